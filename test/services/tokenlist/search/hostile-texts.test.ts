// An attacker who controls a list can choose names that have as much as possible in common. A search stays about as cheap.
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { createYielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import { buildSearchIndex, type SearchIndex } from "../../../../src/services/tokenlist/search/search-index.ts";

// As many as a list may have.
const TOKENS = 10_000;
const digits = (number: number): string => String(1_000_000 + number);
const ideograph = (number: number): string => String.fromCharCode(0x4e00 + number);

const indexOf = (nameOf: (number: number) => string): Promise<SearchIndex> =>
  buildSearchIndex(
    TOKENS,
    (number) => ({
      chainId: 1,
      symbol: digits(number),
      otherSymbols: [],
      names: [nameOf(number)],
      otherNames: [],
      network: "main" as const,
      listCount: 1,
      plain: true,
      familiar: false,
      home: "home" as const,
    }),
    createYielder(systemClock),
  );

/** The least CPU time of some searches, in milliseconds: other load on the machine can only add to it. */
function leastMs(index: SearchIndex, query: string): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    for (let round = 0; round < 4; round += 1) {
      index.find(query, 0, 20);
    }
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 4000;
  });
  return Math.min(...times);
}

const SEVEN = ["aaaaaa", "bbbbbb", "cccccc", "dddddd", "eeeeee", "ffffff", "gggggg"];

test.each<[string, (number: number) => string, string]>([
  ["the same letter again and again", (number) => "a".repeat(53) + digits(number), "aaaaaaaa"],
  ["the same ending", (number) => digits(number) + "a".repeat(53), "aaaaaaaa"],
  ["words that are one mistake away", (number) => `aaaaaa${ideograph(number)}`, "aaaaaab aaaaaac aaaaaad aaaaaae"],
  [
    "seven words that are one mistake away",
    (number) => SEVEN.map((word) => word + ideograph(number)).join(" "),
    SEVEN.map((word) => `${word}x`).join(" "),
  ],
])("%s in all of 10,000 names costs a search at most 12 ms", async (_, nameOf, query) => {
  expect(leastMs(await indexOf(nameOf), query)).toBeLessThan(12);
});

test.each([
  ["the name", (name: string) => name],
  ["its beginning", (name: string) => name.slice(0, 30)],
  ["a part of it that is longer than the sorted prefix", (name: string) => name.slice(20, 45)],
])("of 10,000 long words with the same beginning, %s finds the one", async (_, queryOf) => {
  const nameOf = (number: number): string => `${"a".repeat(17)}${digits(number)}${"b".repeat(20)}`;
  const { page } = (await indexOf(nameOf)).find(queryOf(nameOf(7777)), 0, 20);
  expect(page).toEqual([7777]);
});
