// Where the focus goes when the element that had it is gone.

/** Puts it at the heading of the page: a screen reader says which page is open, and Tab goes on from there. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
