// The calls that were made lately, to make them again. They outlive a reload of the page, not its tab, and hold no key.

/** One call. */
export interface HistoryEntry {
  /** The method's address: `radio/search`. */
  readonly slug: string;
  /** The form's values as in a link, with `?`. */
  readonly query: string;
  readonly protocol: string;
  /** Whether it only asked what would become of the call. */
  readonly isDryRun: boolean;
  /** `OK`, or the reason of the failure. */
  readonly outcome: string;
  readonly ms: number;
  /** Of the answer's body. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** What keeps it: `sessionStorage`. */
export type HistoryStorage = Pick<Storage, "getItem" | "setItem">;

/** The most calls that are kept. */
export const HISTORY_MAX = 50;

const NAME = "quintet-console-history";

/** Reads it, newest first. Empty where there is none, or where storage is not allowed. */
export function readHistory(storage: HistoryStorage): readonly HistoryEntry[] {
  try {
    const entries: unknown = JSON.parse(storage.getItem(NAME) ?? "[]");
    return Array.isArray(entries) ? (entries as readonly HistoryEntry[]) : [];
  } catch {
    return [];
  }
}

/** The history with one more call, which is kept where that is allowed. */
export function withEntry(storage: HistoryStorage, history: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  const entries = [entry, ...history].slice(0, HISTORY_MAX);
  try {
    storage.setItem(NAME, JSON.stringify(entries));
  } catch {
    // A browser may forbid storage, or have no room. Then the history lasts as long as the page.
  }
  return entries;
}
