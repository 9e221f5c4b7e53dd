// The list of a section's pages beside a page. On a narrow screen it starts folded, so that the page itself comes first. On a wide one it
// starts at the entry of the page, which may be far down: there it has its own scrollbar.
const NARROW = "(max-width: 60rem)";

/** Folds the list if it is above the page; otherwise shows the page's own entry in it. */
export function setUpSideNav(details: HTMLDetailsElement | null): void {
  if (details === null) {
    return;
  }
  if (matchMedia(NARROW).matches) {
    details.open = false;
    return;
  }
  const list = details.getBoundingClientRect();
  const own = details.querySelector("[aria-current]")?.getBoundingClientRect();
  if (own !== undefined && own.bottom > list.bottom) {
    details.scrollTop = own.top - list.top - list.height / 2;
  }
}
