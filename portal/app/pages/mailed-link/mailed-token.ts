// The token of a mailed link. It is in the fragment, which is never sent to a server, and is removed from the page's address at once, so
// that it gets into no history.
import { useState } from "preact/hooks";

function take(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined;
  if (token !== undefined) {
    history.replaceState(history.state, "", location.pathname);
  }
  return token;
}

/** The token that the page was opened with; undefined if there was none. */
export function useMailedToken(): string | undefined {
  const [token] = useState(take);
  return token;
}
