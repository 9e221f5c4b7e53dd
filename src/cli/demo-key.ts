// The sandbox's demo key, as a file in its data directory, so that it survives a restart and scripts can read it. A server never stores its
// keys; this one gives access to invented data only. The file marks the directory as a sandbox's, and is written before the first account.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_PREFIXES, parseKey } from "../guard/keys/key.ts";
import { createPrivateDirectory, createPrivateFile } from "../store/sqlite/open-database.ts";

const FILE_NAME = "demo-key";

/** Whether the data directory is a sandbox's. */
export const isSandboxDirectory = (dataDir: string): boolean => existsSync(join(dataDir, FILE_NAME));

/** Marks a data directory as a sandbox's, and creates it if it is missing. Throws the system's error. */
export function markSandboxDirectory(dataDir: string): void {
  createPrivateDirectory(dataDir);
  createPrivateFile(join(dataDir, FILE_NAME));
}

/** The last demo key of this data directory, if it has one. */
export function readDemoKey(dataDir: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataDir, FILE_NAME), "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  return text.startsWith(KEY_PREFIXES.sandbox) && parseKey(text).kind === "ok" ? text : undefined;
}

/** Stores the key, readable by the directory's owner only. */
export function storeDemoKey(dataDir: string, key: string): void {
  writeFileSync(join(dataDir, FILE_NAME), `${key}\n`, { mode: 0o600 });
}
