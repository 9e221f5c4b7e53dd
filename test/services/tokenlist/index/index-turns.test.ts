// The index is built in short turns, however long the lists are. A turn is measured by the number of items that it processes, not by time.
import { expect, test } from "vitest";
import type { Yielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import { buildTokenIndex } from "../../../../src/services/tokenlist/index/token-index.ts";
import type { CheckedList } from "../../../../src/services/tokenlist/lists/checked-list.ts";
import type { ListEntry } from "../../../../src/services/tokenlist/lists/list-entry.ts";
import { groupNumbers, NumberList } from "../../../../src/services/tokenlist/number-list.ts";
import { address, checked, row } from "../lists.ts";

/** Turns that are always over when checked. `ended` is called at the end of each. */
const shortestTurns = (ended: () => void): Yielder => ({
  due: () => true,
  next: async () => ended(),
});

/** Counts the reads of a list's entries, and how often all of them are iterated. */
async function countedList(length: number, read: () => void): Promise<CheckedList> {
  const rows = Array.from({ length }, (_, number) => {
    const changes = { name: `Name ${number} of Many`, extensions: { bridgeInfo: { 10: { tokenAddress: address(number) } } } };
    return row(number, changes);
  });
  const list = await checked(rows);
  const counted = (entry: ListEntry): ListEntry =>
    new Proxy(entry, {
      get(target, key) {
        read();
        return Reflect.get(target, key);
      },
    });
  return { ...list, entries: list.entries.map(counted) };
}

/** The most reads of entries in a turn while a list of this length is indexed, and how many turns that took. */
async function turnsOf(length: number): Promise<{ readonly readsMax: number; readonly turns: number }> {
  let [reads, readsMax, turns] = [0, 0, 0];
  const list = await countedList(length, () => {
    reads += 1;
    readsMax = Math.max(readsMax, reads);
  });
  await buildTokenIndex(
    [{ name: "long", checked: list }],
    shortestTurns(() => {
      reads = 0;
      turns += 1;
    }),
  );
  return { readsMax, turns };
}

test("a turn that is over at once reads no more of a long list than of a short one, and there are more turns", async () => {
  const short = await turnsOf(500);
  const long = await turnsOf(5000);
  expect(long.readsMax).toBeLessThanOrEqual(1024 * 4);
  expect(long.turns).toBeGreaterThan(9 * short.turns);
});

test("at most 16,384 numbers are grouped per turn", async () => {
  const [keys, values] = [new NumberList(), new NumberList()];
  for (let number = 0; number < 100_000; number += 1) {
    keys.push(number % 7);
    values.push(number);
  }
  let turns = 0;
  const { starts } = await groupNumbers(
    7,
    keys,
    values,
    shortestTurns(() => {
      turns += 1;
    }),
  );
  expect([...starts]).toEqual([0, 14_286, 28_572, 42_858, 57_144, 71_430, 85_715, 100_000]);
  // Seven for each of the two passes over all numbers, and one for the keys.
  expect(turns).toBe(15);
});
