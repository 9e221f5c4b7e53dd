// The page's own console key, which is revoked when the page is left.
import { createConsoleKeys } from "./console-key.ts";

/** It. Whoever ends or begins a session calls `forget`. */
export const consoleKeys = createConsoleKeys({
  fetch: (path, init) => fetch(path, { ...init, credentials: "same-origin" }),
  nowMs: () => Date.now(),
});

// A page that comes back from the browser's cache has a new key made.
addEventListener("pagehide", () => void consoleKeys.forget());
