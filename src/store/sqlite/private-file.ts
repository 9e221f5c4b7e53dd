// Files and directories that are for their owner alone. SQLite would make its own readable for all, and gives their companions the same
// mode.
import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

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

/** Makes a directory, and those above it, where there is none. Throws what the system says against it. */
export function makeDirectoryPrivately(path: string): void {
  if (isDirectory(path)) {
    return;
  }
  const above = dirname(path);
  // One after the other: Node's own `recursive` tries for ever where the system denies the existence of what is to be made, as in /proc.
  if (!existsSync(above)) {
    makeDirectoryPrivately(above);
  }
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been first.
    if (!isDirectory(path)) {
      throw error;
    }
  }
}

/** Whether others than its owner may write to a file or directory. What they write there is not ours to trust. */
export const isWritableByOthers = (path: string): boolean => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) !== 0;

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
