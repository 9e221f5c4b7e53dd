// The latest calls, so that they can be made again. They survive a reload of the page, but end with the tab and with the
// session, and hold no key.

export interface HistoryEntry {
  /** The path of the method: `radio/search-stations`. */
  readonly slug: string;
  /** The form's values as in a link, with `?`. */
  readonly query: string;
  readonly protocol: string;
  /** Whether the call was a dry run. */
  readonly isDryRun: boolean;
  /** `OK`, or the reason of the failure. */
  readonly outcome: string;
  readonly ms: number;
  /** The length of the response's body. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Where the history is kept: `sessionStorage`. */
export type HistoryStorage = Pick<Storage, "getItem" | "setItem">;

/** The most calls that are kept. */
export const HISTORY_MAX = 50;

const NAME = "quintet-console-history";

interface Kept {
  readonly account: string;
  readonly entries: readonly HistoryEntry[];
}

/** Reads an account's history, newest first. Empty if there is none, if it is another account's, or if storage is not allowed. */
export function readHistory(storage: HistoryStorage, account: string): readonly HistoryEntry[] {
  try {
    const kept = JSON.parse(storage.getItem(NAME) ?? "null") as Partial<Kept> | null;
    return kept?.account === account && Array.isArray(kept.entries) ? kept.entries : [];
  } catch {
    return [];
  }
}

/** Returns the history with one more call, and stores it if storage is allowed. */
export function withEntry(
  storage: HistoryStorage,
  account: string,
  history: readonly HistoryEntry[],
  entry: HistoryEntry,
): readonly HistoryEntry[] {
  const entries = [entry, ...history].slice(0, HISTORY_MAX);
  try {
    storage.setItem(NAME, JSON.stringify({ account, entries } satisfies Kept));
  } catch {
    // A browser may forbid storage, or have no room. Then the history lasts as long as the page.
  }
  return entries;
}
