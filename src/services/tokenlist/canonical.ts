// What the lists together say of one token: each field by majority, and on a tie by the order of the lists.
import type { ListEntry } from "./list-entry.ts";

/** What one list says of a token. */
export interface Testimony {
  /** The list's place in the order of the lists. */
  readonly listIndex: number;
  readonly entry: ListEntry;
}

/** What a token is taken to be. */
export interface TokenFields {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly logo?: string | undefined;
}

// The value that occurs most often; of several, the one that occurs first. Undefined when there is none.
function majority<Value>(values: readonly Value[]): Value | undefined {
  let winner = values[0];
  let most = 0;
  for (const value of new Set(values)) {
    const count = values.filter((each) => each === value).length;
    if (count > most) {
      winner = value;
      most = count;
    }
  }
  return winner;
}

/** Merges what lists say of one token. Testimonies are in the order of the lists; there is at least one. */
export function canonicalFields(testimonies: readonly [Testimony, ...Testimony[]]): TokenFields {
  const [{ entry }] = testimonies;
  if (testimonies.length === 1) {
    return { name: entry.name, symbol: entry.symbol, decimals: entry.decimals, logo: entry.logo };
  }
  const entries = testimonies.map((testimony) => testimony.entry);
  return {
    name: majority(entries.map(({ name }) => name)) ?? entry.name,
    symbol: majority(entries.map(({ symbol }) => symbol)) ?? entry.symbol,
    decimals: majority(entries.map(({ decimals }) => decimals)) ?? entry.decimals,
    logo: majority(entries.flatMap(({ logo }) => (logo === undefined ? [] : [logo]))),
  };
}
