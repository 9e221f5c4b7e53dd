// Files that are for their owner alone. SQLite would make its own readable for all, and gives their companions the same mode.
import { closeSync, openSync } from "node:fs";

/** Makes an empty file where there is none. One that is there is not even opened: closing it again would drop this process's locks on it. */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
}
