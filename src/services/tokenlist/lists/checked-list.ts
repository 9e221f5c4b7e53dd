// A token list in which every entry has been checked.
import { isDeepStrictEqual } from "node:util";
import { tokenKey } from "../../chains/addresses.ts";
import type { Yielder } from "../cooperative-yield.ts";
import type { ListDocument, ListVersionNumber } from "./list-document.ts";
import { type ListEntry, readListEntry } from "./list-entry.ts";

export interface CheckedList {
  readonly title: string;
  readonly timestampMs: number;
  readonly version: ListVersionNumber;
  /** In the list's own order, with each chain and address only once. */
  readonly entries: readonly ListEntry[];
  /** Valid entries with the chain and address of an earlier one. What they say about the token and its bridges counts too. */
  readonly repeats: readonly ListEntry[];
  /** How many entries were left out because they break a rule or repeat an earlier one. */
  readonly dropped: number;
}

// How many repeats of one token are used; further ones are only counted. Real lists repeat a token at most once.
const REPEATS_MAX = 10;

/** All entries of a list, the repeated ones last. None for a list that has not been read. */
export function* allEntries(list: CheckedList | undefined): Iterable<ListEntry> {
  yield* list?.entries ?? [];
  yield* list?.repeats ?? [];
}

/**
 * Checks every entry of a list that came from `origin`, and yields to the event loop as it goes. Throws an Error if it drops more entries
 * than it keeps.
 */
export async function checkList(document: ListDocument, turns: Yielder, origin?: string): Promise<CheckedList> {
  const entries: ListEntry[] = [];
  const repeats: ListEntry[] = [];
  const occurrences = new Map<string, number>();
  for (const json of document.entries) {
    const entry = readListEntry(json, origin);
    if (entry !== undefined) {
      const key = tokenKey(entry.chainId, entry.address);
      const earlier = occurrences.get(key) ?? 0;
      occurrences.set(key, earlier + 1);
      if (earlier === 0) {
        entries.push(entry);
      } else if (earlier <= REPEATS_MAX) {
        repeats.push(entry);
      }
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  const dropped = document.entries.length - entries.length;
  if (dropped > entries.length) {
    throw new Error(`${dropped} of ${document.entries.length} entries are invalid or repeated`);
  }
  const { title, timestampMs, version } = document;
  return { title, timestampMs, version, entries, repeats, dropped };
}

/** Whether two lists are equal. Yields to the event loop as it compares them. */
export async function isSameList(one: CheckedList, other: CheckedList, turns: Yielder): Promise<boolean> {
  const [{ entries, repeats, ...head }, { entries: otherEntries, repeats: otherRepeats, ...otherHead }] = [one, other];
  if (entries.length !== otherEntries.length || !isDeepStrictEqual([head, repeats], [otherHead, otherRepeats])) {
    return false;
  }
  for (const [index, entry] of entries.entries()) {
    if (!isDeepStrictEqual(entry, otherEntries[index])) {
      return false;
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  return true;
}
