// Marks the section that is being read in the list of a page's sections. On a narrow screen the list starts folded, so that the page itself
// comes first.
const NARROW = "(max-width: 79.99rem)";
/** A section is being read once its heading is above this height: just below the header, where following a link scrolls a heading to. */
const READING_PX = 100;

/** Folds the list, and marks sections from now on. */
export function followSections(details: HTMLDetailsElement | null): void {
  if (details === null) {
    return;
  }
  if (matchMedia(NARROW).matches) {
    details.open = false;
  }
  const sections = [...details.querySelectorAll("a")].flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return heading === null ? [] : [{ link, heading }];
  });
  let isWaiting = false;
  const mark = (): void => {
    isWaiting = false;
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const above = sections.filter(({ heading }) => heading.getBoundingClientRect().top <= READING_PX);
    const current = isAtEnd && scrollY > 0 ? sections.at(-1) : above.at(-1);
    for (const { link } of sections) {
      if (link === current?.link) {
        link.setAttribute("aria-current", "location");
      } else {
        link.removeAttribute("aria-current");
      }
    }
  };
  addEventListener(
    "scroll",
    () => {
      if (!isWaiting) {
        isWaiting = true;
        requestAnimationFrame(mark);
      }
    },
    { passive: true },
  );
  mark();
}
