// A script that runs inside Redis.
import { createHash } from "node:crypto";

/** A script, and the hash by which Redis knows it after its first run. */
export interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

/** The script with this source. */
export const scriptOf = (source: string): RedisScript => ({ source, sha1: createHash("sha1").update(source).digest("hex") });
