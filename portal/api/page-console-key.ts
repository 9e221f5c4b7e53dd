// The page's own console key, which is forgotten when the page is left.
import { createConsoleKeys } from "./console-key.ts";
import { pageAccount } from "./page-account.ts";

/** The console keys of this page. Code that begins or ends a session calls `forget`. */
export const consoleKeys = createConsoleKeys({
  account: pageAccount,
  fetch: (path, init) => fetch(path, { ...init, credentials: "same-origin" }),
  nowMs: () => Date.now(),
});

// A page that is restored from the browser's cache gets a new key.
addEventListener("pagehide", () => consoleKeys.leave());
