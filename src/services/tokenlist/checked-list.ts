// A token list that has been checked to the last entry.
import { tokenKey } from "./address.ts";
import type { ListDocument, ListVersionNumber } from "./list-document.ts";
import { type ListEntry, readListEntry } from "./list-entry.ts";
import type { Turns } from "./turns.ts";

/** A good list. */
export interface CheckedList {
  readonly title: string;
  readonly timestampMs: number;
  readonly version: ListVersionNumber;
  /** In the list's own order; no two with the same chain and address. */
  readonly entries: readonly ListEntry[];
  /** How many entries were left out: those that break a rule, and those that repeat an earlier one. */
  readonly dropped: number;
}

/** Checks every entry, in turns. Throws an Error when more entries are bad than good: then it is the list that is bad. */
export async function checkList(document: ListDocument, turns: Turns): Promise<CheckedList> {
  const entries: ListEntry[] = [];
  const seen = new Set<string>();
  for (const json of document.entries) {
    const entry = readListEntry(json);
    const key = entry === undefined ? "" : tokenKey(entry.chainId, entry.address);
    if (entry !== undefined && !seen.has(key)) {
      seen.add(key);
      entries.push(entry);
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  const dropped = document.entries.length - entries.length;
  if (dropped > entries.length) {
    throw new Error(`${dropped} of ${document.entries.length} entries are bad`);
  }
  const { title, timestampMs, version } = document;
  return { title, timestampMs, version, entries, dropped };
}
