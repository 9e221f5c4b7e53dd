// The token of a link that came by mail. It stands in the fragment, which is sent to no server, and is taken out of the page's address at once, so
// that it is in no history.
import { useState } from "preact/hooks";

function take(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined;
  if (token !== undefined) {
    history.replaceState(history.state, "", location.pathname);
  }
  return token;
}

/** The token that the page was opened with; undefined where there was none. */
export function useMailedToken(): string | undefined {
  const [token] = useState(take);
  return token;
}
