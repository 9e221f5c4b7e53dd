// Loads the page of a link when the user points at the link or focuses it, so that the page is there when the link is followed.
import { pageAt } from "./pages.ts";
import { isApplicationPath } from "./sign-in-path.ts";

/** Starts preloading for all links in the document. Returns a function that stops it. */
export function preloadLinks(): () => void {
  const preload = ({ target }: Event): void => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (link !== null && link.origin === location.origin && isApplicationPath(link.pathname)) {
      void pageAt(link.pathname).component.preload();
    }
  };
  document.addEventListener("pointerover", preload);
  document.addEventListener("focusin", preload);
  return () => {
    document.removeEventListener("pointerover", preload);
    document.removeEventListener("focusin", preload);
  };
}
