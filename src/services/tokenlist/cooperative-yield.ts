// Splits long work into short turns, between which the event loop serves calls, and sorts in such turns.
import type { Clock } from "../../runtime/clock.ts";
import { nextTurn } from "../../runtime/event-loop-turn.ts";

/** Used between the steps of long work: `if (turns.due()) await turns.next();` */
export interface Yielder {
  /** Whether this turn has lasted long enough. */
  due(): boolean;
  /** Yields to the event loop once. */
  next(): Promise<void>;
}

// The longest that all long work of a thread may take in one turn, and far longer than a turn of the event loop itself takes.
const TURN_MS = 2;

/** The first turn begins now. */
export function createYielder(clock: Clock): Yielder {
  let startedMs = clock.monotonicMs();
  return {
    due: () => clock.monotonicMs() - startedMs >= TURN_MS,
    async next() {
      await nextTurn();
      startedMs = clock.monotonicMs();
    },
  };
}

// Sorting or merging this many takes well under a turn.
const RUN_LENGTH = 1024;

/**
 * Sorts items, keeping the order of equal ones. Yields to the event loop as it sorts, because an untrusted list decides how many items
 * there are.
 */
export async function sortedInTurns<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
  turns: Yielder,
): Promise<readonly Item[]> {
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += RUN_LENGTH) {
    runs.push(items.slice(at, at + RUN_LENGTH).sort(compare));
    if (turns.due()) {
      await turns.next();
    }
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergedInTurns(runs[at] as Item[], runs[at + 1] ?? [], compare, turns));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedInTurns<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
  turns: Yielder,
): Promise<Item[]> {
  const merged: Item[] = [];
  let at = 0;
  let otherAt = 0;
  while (at < one.length || otherAt < other.length) {
    const takesOne = otherAt >= other.length || (at < one.length && compare(one[at] as Item, other[otherAt] as Item) <= 0);
    merged.push((takesOne ? one[at] : other[otherAt]) as Item);
    at += takesOne ? 1 : 0;
    otherAt += takesOne ? 0 : 1;
    if (merged.length % RUN_LENGTH === 0 && turns.due()) {
      await turns.next();
    }
  }
  return merged;
}
