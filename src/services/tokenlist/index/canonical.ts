// Merges the entries of one token: each field by majority, and on a tie by the order of the lists.
import type { ListEntry } from "../lists/list-entry.ts";

/** One entry of a list for a token. A list may have several entries for a token. */
export interface Testimony {
  /** The list's place in the order of the lists. */
  readonly listIndex: number;
  readonly entry: ListEntry;
}

/** The merged values. */
export interface TokenFields {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly logo?: string | undefined;
}

// The value that most lists give; of several, the one that is given first. A list counts once for a value. Undefined when there is
// none.
function majority<Value>(testimonies: readonly Testimony[], read: (entry: ListEntry) => Value | undefined): Value | undefined {
  const votes = new Map<Value, { count: number; lastList: number }>();
  for (const { listIndex, entry } of testimonies) {
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
export function canonicalFields(testimonies: readonly [Testimony, ...Testimony[]]): TokenFields {
  const [{ entry }] = testimonies;
  if (testimonies.length === 1) {
    return { name: entry.name, symbol: entry.symbol, decimals: entry.decimals, logo: entry.logo };
  }
  return {
    name: majority(testimonies, ({ name }) => name) ?? entry.name,
    symbol: majority(testimonies, ({ symbol }) => symbol) ?? entry.symbol,
    decimals: majority(testimonies, ({ decimals }) => decimals) ?? entry.decimals,
    logo: majority(testimonies, ({ logo }) => logo),
  };
}
