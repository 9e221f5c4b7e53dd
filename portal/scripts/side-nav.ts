// On a narrow screen the list of pages starts folded, so that the page itself comes first.
const NARROW = "(max-width: 60rem)";

/** Folds the list if it is above the page. */
export function foldSideNav(details: HTMLDetailsElement | null): void {
  if (details !== null && matchMedia(NARROW).matches) {
    details.open = false;
  }
}
