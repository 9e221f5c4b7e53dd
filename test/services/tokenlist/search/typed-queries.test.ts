// Queries that people type find the token they mean first, over the lists of the sandbox.
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { sandboxLists } from "../../../../src/sandbox/stand-ins/tokenlist/lists.ts";
import { createYielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import { buildTokenIndex } from "../../../../src/services/tokenlist/index/token-index.ts";
import { checkList } from "../../../../src/services/tokenlist/lists/checked-list.ts";
import { readListDocument } from "../../../../src/services/tokenlist/lists/list-document.ts";
import { searchMisses } from "./search-misses.ts";
import { TYPED_QUERIES } from "./typed-queries.ts";

test("every query whose token is in the sandbox finds it first", async () => {
  const turns = createYielder(systemClock);
  const lists = sandboxLists(1).map(async ({ key, document }) => ({
    name: key,
    checked: await checkList(readListDocument(document), turns),
  }));
  const { tried, misses } = searchMisses(await buildTokenIndex(await Promise.all(lists), turns));
  expect(misses).toEqual([]);
  expect(tried).toBeGreaterThanOrEqual(184);
});

test("no query is listed twice, even in another case", () => {
  const queries = Object.values(TYPED_QUERIES).flatMap((typed) => typed.map(([query]) => query));
  expect(queries.filter((query, at) => queries.indexOf(query) !== at)).toEqual([]);
});
