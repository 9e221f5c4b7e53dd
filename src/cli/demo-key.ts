// The sandbox's demo key, as a file in its data directory, so that it survives a restart and scripts can read it. A server's keys are kept
// nowhere; this one is good for invented data only.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_PREFIXES, type KeyPrefix, parseKey } from "../guard/keys/key.ts";

const FILE_NAME = "demo-key";

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
export function keepDemoKey(dataDir: string, key: string): void {
  writeFileSync(join(dataDir, FILE_NAME), `${key}\n`, { mode: 0o600 });
}

/** The prefix of keys that are made in this data directory: the sandbox's, where it is a sandbox's. */
export const keyPrefixFor = (dataDir: string): KeyPrefix =>
  readDemoKey(dataDir) === undefined ? KEY_PREFIXES.live : KEY_PREFIXES.sandbox;
