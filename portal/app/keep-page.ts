// Keeps the page open while it shows what cannot be shown again: Back and Forward are blocked, and the browser asks before the page is
// closed.
import { holdPage } from "../api/leave-account.ts";

/** Keeps the page until the returned function is called. `onBack` is called for each attempt to go back or forward in the application. */
export function keepPage(onBack: () => void): () => void {
  const release = holdPage();
  const { href } = location;
  const { state } = history;
  const stay = (event: PopStateEvent): void => {
    // Runs before the router does. It is not known how many entries the user has gone back, so the page gets a new history entry.
    event.stopImmediatePropagation();
    history.pushState(state, "", href);
    onBack();
  };
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener("popstate", stay, { capture: true });
  addEventListener("beforeunload", ask);
  return () => {
    removeEventListener("popstate", stay, { capture: true });
    removeEventListener("beforeunload", ask);
    release();
  };
}
