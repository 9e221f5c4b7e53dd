// Creates files and directories that only their owner can use. SQLite would create the database readable by everybody, and gives the files
// next to it the same mode.
import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Creates an empty file if there is none. An existing file is not opened: closing it again would drop this process's locks on it. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
}

/** Creates a directory and its missing parents. Throws the system's error. */
export function createPrivateDirectory(path: string): void {
  if (isDirectory(path)) {
    return;
  }
  const above = dirname(path);
  // One after the other: Node's `recursive` loops forever if mkdir fails with ENOENT, as in /proc.
  if (!existsSync(above)) {
    createPrivateDirectory(above);
  }
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it first.
    if (!isDirectory(path)) {
      throw error;
    }
  }
}

/** Whether anybody but the owner may write to a file or directory. If so, its contents cannot be trusted. */
export const isWritableByOthers = (path: string): boolean => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) !== 0;

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
