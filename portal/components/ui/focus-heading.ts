// Where the focus goes when the element that had it is gone.

/** Focuses the page's heading: a screen reader says which page is open, and Tab continues from there. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
