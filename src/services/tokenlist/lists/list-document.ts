// A token list as received. Its head is checked at once; its entries are checked later, in several turns of the event loop.
import { isJsonObject } from "../../../runtime/json-object.ts";
import { characterCount } from "../text.ts";

/** A publisher's version of a list. */
export interface ListVersionNumber {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** A list with a valid head. */
export interface ListDocument {
  readonly title: string;
  /** When its publisher made this version, in milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly version: ListVersionNumber;
  /** 1 to 10,000 entries, not checked yet. */
  readonly entries: readonly unknown[];
}

const TITLE_CHARACTERS_MAX = 30;
const ENTRIES_MAX = 10_000;
const TIMESTAMP_MS_MAX = Date.parse("9999-12-31T23:59:59Z");
const DATE_TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;
const VERSION_KEYS = ["major", "minor", "patch"] as const;

function readVersion(json: unknown): ListVersionNumber {
  const numbers = isJsonObject(json) ? VERSION_KEYS.map((key) => json[key]) : [];
  const [major, minor, patch] = numbers.filter((value) => Number.isSafeInteger(value) && (value as number) >= 0) as number[];
  if (
    major === undefined ||
    minor === undefined ||
    patch === undefined ||
    Object.keys(json as object).length !== VERSION_KEYS.length
  ) {
    throw new Error("version must be {major, minor, patch}, whole numbers from 0");
  }
  return { major, minor, patch };
}

/**
 * Checks a list's head against the token-lists schema. Keywords, tags and logo are not used and not checked. Throws an Error that
 * names the rule.
 */
export function readListDocument(json: unknown): ListDocument {
  if (!isJsonObject(json)) {
    throw new Error("a list must be an object");
  }
  const { name, timestamp, tokens } = json;
  if (typeof name !== "string" || !/^[\w ]+$/.test(name) || characterCount(name) > TITLE_CHARACTERS_MAX) {
    throw new Error(`name must be 1 to ${TITLE_CHARACTERS_MAX} letters, digits, underscores and spaces`);
  }
  const timestampMs = typeof timestamp === "string" && DATE_TIME_PATTERN.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (!(timestampMs >= 0 && timestampMs <= TIMESTAMP_MS_MAX)) {
    throw new Error("timestamp must be an ISO 8601 date and time from 1970 to 9999");
  }
  const version = readVersion(json.version);
  if (!Array.isArray(tokens) || tokens.length < 1 || tokens.length > ENTRIES_MAX) {
    throw new Error(`tokens must be 1 to ${ENTRIES_MAX} entries`);
  }
  return { title: name.trim(), timestampMs, version, entries: tokens };
}

/** The version as people write it, such as `22.21.0`. */
export const versionText = ({ major, minor, patch }: ListVersionNumber): string => `${major}.${minor}.${patch}`;

/** Negative if `left` is older than `right`, 0 if they are equal, positive if it is newer. */
export const compareVersions = (left: ListVersionNumber, right: ListVersionNumber): number =>
  left.major - right.major || left.minor - right.minor || left.patch - right.patch;
