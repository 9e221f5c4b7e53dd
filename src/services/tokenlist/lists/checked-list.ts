// A token list in which every entry has been checked.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../../runtime/json-object.ts";
import { isAddressOn, plainAddress, tokenKey } from "../../chains/addresses.ts";
import { ownChainId } from "../../chains/chains.ts";
import { visibleText } from "../../visible-text.ts";
import type { Yielder } from "../cooperative-yield.ts";
import type { ListDocument, ListVersionNumber } from "./list-document.ts";
import { type ListEntry, readListEntry } from "./list-entry.ts";
import type { LogoOrigins } from "./logo.ts";

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
  /** The same by reason, with a few examples of each. */
  readonly droppedEntries: readonly DroppedEntries[];
  /** `tokenKey` → the rule that the entry breaks, for tokens that have no other entry. */
  readonly faults: ReadonlyMap<string, string>;
}

/** Entries that were left out for the same reason. */
interface DroppedEntries {
  readonly reason: string;
  readonly count: number;
  /** Chain id, address and symbol of the first ones. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 5;
const EXAMPLE_CHARACTERS_MAX = 120;
const REPEATED = "repeats an earlier entry";

// How many repeats of one token are used; further ones are only counted. Real lists repeat a token at most once.
const REPEATS_MAX = 10;

/** All entries of a list, the repeated ones last. None for a list that has not been read. */
export function* allEntries(list: CheckedList | undefined): Iterable<ListEntry> {
  yield* list?.entries ?? [];
  yield* list?.repeats ?? [];
}

/**
 * Checks every entry of a list, and yields to the event loop as it goes. Throws an Error if it drops more entries
 * than it keeps.
 */
export async function checkList(document: ListDocument, turns: Yielder, logoOrigins?: LogoOrigins): Promise<CheckedList> {
  const entries: ListEntry[] = [];
  const repeats: ListEntry[] = [];
  const occurrences = new Map<string, number>();
  const faults = new Map<string, string>();
  const droppedByReason = new Map<string, { count: number; readonly examples: string[] }>();
  const drop = (json: unknown, reason: string): void => {
    const dropped = droppedByReason.get(reason) ?? { count: 0, examples: [] };
    dropped.count += 1;
    if (dropped.examples.length < EXAMPLES_MAX) {
      dropped.examples.push(exampleOf(json));
    }
    droppedByReason.set(reason, dropped);
  };
  for (const json of document.entries) {
    const entry = readListEntry(json, logoOrigins);
    if (typeof entry === "string") {
      drop(json, entry);
      const key = keyOf(json);
      if (key !== undefined) {
        faults.set(key, entry);
      }
    } else {
      const key = tokenKey(entry.chainId, entry.address);
      const earlier = occurrences.get(key) ?? 0;
      occurrences.set(key, earlier + 1);
      if (earlier === 0) {
        entries.push(entry);
      } else {
        drop(json, REPEATED);
        if (earlier <= REPEATS_MAX) {
          repeats.push(entry);
        }
      }
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  for (const key of occurrences.keys()) {
    faults.delete(key);
  }
  const dropped = document.entries.length - entries.length;
  if (dropped > entries.length) {
    throw new Error(`${dropped} of ${document.entries.length} entries are invalid or repeated`);
  }
  const droppedEntries = Array.from(droppedByReason, ([reason, { count, examples }]) => ({ reason, count, examples }));
  const { title, timestampMs, version } = document;
  return { title, timestampMs, version, entries, repeats, dropped, droppedEntries, faults };
}

// The token that a faulty entry is about, if its chain and address can be read.
function keyOf(json: unknown): string | undefined {
  const { chainId, address } = isJsonObject(json) ? json : {};
  return typeof chainId === "number" && typeof address === "string" && isAddressOn(ownChainId(chainId), address)
    ? tokenKey(ownChainId(chainId), plainAddress(address))
    : undefined;
}

function exampleOf(json: unknown): string {
  const { chainId, address, symbol } = isJsonObject(json) ? json : {};
  const parts = [chainId, address].map((value) => (["string", "number"].includes(typeof value) ? String(value) : "?"));
  const text = `${parts.join(":")} ${typeof symbol === "string" ? symbol : ""}`;
  return visibleText(text.slice(0, EXAMPLE_CHARACTERS_MAX));
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
