// Merges the entries of one token: each field by majority, and on a tie by the order of the lists.
import type { ListEntry } from "../lists/list-entry.ts";

/** One list's entry for a token. A list may have several for the same token. */
export interface ListedEntry {
  readonly listIndex: number;
  readonly entry: ListEntry;
}

export interface TokenFields {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly logo?: string | undefined;
  readonly logoIpfs?: string | undefined;
}

// The value that most lists give; on a tie, the one that comes first. A list counts once per value. Undefined if there is none.
function majority<Value>(listedEntries: readonly ListedEntry[], read: (entry: ListEntry) => Value | undefined): Value | undefined {
  const votes = new Map<Value, { count: number; lastList: number }>();
  for (const { listIndex, entry } of listedEntries) {
    const value = read(entry);
    if (value !== undefined) {
      const { count, lastList } = votes.get(value) ?? { count: 0, lastList: -1 };
      votes.set(value, { count: lastList === listIndex ? count : count + 1, lastList: listIndex });
    }
  }
  let winner: Value | undefined;
  let most = 0;
  for (const [value, { count }] of votes) {
    if (count > most) {
      winner = value;
      most = count;
    }
  }
  return winner;
}

/** Merges the entries of one token. They are in the order of the lists; there is at least one. */
export function canonicalFields(listedEntries: readonly [ListedEntry, ...ListedEntry[]]): TokenFields {
  const [{ entry }] = listedEntries;
  if (listedEntries.length === 1) {
    return entry;
  }
  return {
    name: majority(listedEntries, ({ name }) => name) ?? entry.name,
    symbol: majority(listedEntries, ({ symbol }) => symbol) ?? entry.symbol,
    decimals: majority(listedEntries, ({ decimals }) => decimals) ?? entry.decimals,
    logo: majority(listedEntries, ({ logo }) => logo),
    logoIpfs: majority(listedEntries, ({ logoIpfs }) => logoIpfs),
  };
}
