// The sandbox's own key as a file of its data directory, so that it outlives a restart and scripts can read it. A server's keys are kept
// nowhere; this one is good for nothing but invented data.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_PREFIXES, type KeyPrefix, parseKey } from "../guard/keys/key.ts";

const FILE_NAME = "demo-key";

/** The key that the sandbox of this data directory had last, if it had one. */
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

/** Keeps it, for the directory's user alone. */
export function keepDemoKey(dataDir: string, key: string): void {
  writeFileSync(join(dataDir, FILE_NAME), `${key}\n`, { mode: 0o600 });
}

/** How keys begin that are made in this data directory: a sandbox's, where it is one's. */
export const keyPrefixFor = (dataDir: string): KeyPrefix =>
  readDemoKey(dataDir) === undefined ? KEY_PREFIXES.live : KEY_PREFIXES.sandbox;
