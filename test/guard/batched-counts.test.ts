import { expect, test } from "vitest";
import { BatchedCounts } from "../../src/guard/batched-counts.ts";
import { systemRandomness as randomness } from "../../src/runtime/randomness.ts";
import { bucketOf } from "../../src/store/repositories/count-batches.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

import { createMemoryLog, settled } from "./scene.ts";

const BUCKETS = 64;
const BATCHES = 4;
const BATCH_MAX = 500;

test("counts of many accounts are written in batches that are about few buckets each", async () => {
  const clock = createManualClock({ nowMs: 0 });
  const batches: (readonly { readonly accountId: string }[])[] = [];
  const counts = new BatchedCounts({
    ...{ clock, randomness, log: createMemoryLog(), countsMax: 10_000, dropped: () => {}, what: "usage", merge: () => {} },
    write: async (batch: readonly { readonly accountId: string; calls: number }[]) => {
      batches.push(batch);
    },
  });
  for (let account = 0; account < BATCHES * BATCH_MAX; account++) {
    counts.add(`a-${account}`, { accountId: `a-${account}`, calls: 1 });
  }
  clock.advance(30_000);
  await settled();
  const rows = batches.map((batch) => new Set(batch.map(({ accountId }) => bucketOf(accountId))).size);
  expect(batches.map(({ length }) => length)).toEqual(new Array(BATCHES).fill(BATCH_MAX));
  expect(rows.reduce((sum, row) => sum + row)).toBeLessThanOrEqual(BUCKETS + BATCHES - 1);
  expect(new Set(batches.flat().map(({ accountId }) => accountId)).size).toBe(BATCHES * BATCH_MAX);
});
