// Where the focus goes when what had it is no longer there.

/** Puts it at the heading of the page: a reader of the screen hears which page is open, and Tab goes on from there. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
