// Counts as several servers write them: each batch is counted once, and added up by one of them.
import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import type { UsageQuery } from "../../../src/store/usage-records.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import type { Openers } from "./samples.ts";

const count = {
  accountId: "a-1",
  keyId: "k-1",
  service: "radio",
  method: "m/Search",
  day: "2026-11-20",
  hour: 9,
  outcome: "OK",
  calls: 2,
} as const;

const everything: UsageQuery = {
  accountId: "a-1",
  fromDay: "2026-11-01",
  toDay: "2026-11-30",
  groupBy: [],
  refunded: [],
  limit: 10,
  offset: 0,
  countsMax: 10_000,
};

/** The tests that every store passes. */
export function countBatchesSuite({ openEmpty }: Openers): void {
  describe("batches of counts", () => {
    test("a batch that is written again is counted once, even after it has been added up", async () => {
      const { store, clock, fixture } = await openEmpty();
      const other = await fixture.open(clock);
      const calls = async () => (await store.usageRows(everything)).rows.map((row) => row.calls);
      const id = newBatch();
      await store.addUsage([count], id);
      await store.addUsage([count], id);
      expect(await calls()).toEqual([2]);
      await Promise.all([store.addUsage([count], id), other.addUsage([count], id)]);
      expect(await calls()).toEqual([2]);
      const next = { ...id, number: 2 };
      await Promise.all([store.addUsage([count], next), other.addUsage([count], next)]);
      expect(await calls()).toEqual([4]);
      await store.addUsage([count], newBatch());
      expect(await calls()).toEqual([6]);
    });

    test("counts of many customers wait up to two minutes, so that a row stands for several calls", async () => {
      const { store, clock, fixture } = await openEmpty();
      // All are in one bucket, of 64.
      const write = async (keys: number) => {
        for (let key = 0; key < keys; key++) {
          await store.addUsage([{ ...count, keyId: `k-${key}` }], newBatch());
        }
      };
      const waiting = async () => {
        while (await store.addUpCounts()) {}
        return (await fixture.dump()).count_batches?.length;
      };
      const waitsMs = async (ms: number) => {
        clock.advance(ms - 1);
        const before = await waiting();
        clock.advance(1);
        return [(before ?? 0) > 0, await waiting()];
      };
      await write(20);
      expect(await waiting()).toBe(0);
      await write(19);
      expect(await waitsMs(120_000)).toEqual([true, 0]);
      await write(19);
      expect(await waitsMs(30_000)).toEqual([true, 0]);
    });

    test("many batches of many accounts are added up in the background, once they have waited half a minute", async () => {
      const { store, clock, fixture } = await openEmpty();
      const other = await fixture.open(clock);
      const batch = Array.from({ length: 500 }, (_, index) => ({ ...count, accountId: `a-${index}`, keyId: `k-${index % 7}` }));
      const write = () =>
        Promise.all(Array.from({ length: 6 }, (_, index) => (index % 2 ? store : other).addUsage(batch, newBatch())));
      const addUpAll = async (by: Store) => {
        while (await by.addUpCounts()) {}
      };
      const rows = async () => {
        const { count_batches: batches, usage_counts: days, usage_hours: hours, key_uses: uses } = await fixture.dump();
        return [batches?.length, days?.length, hours?.length, uses?.length, new Set(days?.map(({ calls }) => Number(calls)))];
      };
      await write();
      await Promise.all([addUpAll(store), addUpAll(other)]);
      await addUpAll(store);
      expect(await rows()).toEqual([0, 500, 500, 7, new Set([12])]);
      await write();
      await addUpAll(store);
      expect((await rows())[0]).toBeGreaterThan(0);
      clock.advance(30_000);
      await Promise.all([addUpAll(store), addUpAll(other)]);
      await addUpAll(store);
      expect(await rows()).toEqual([0, 500, 500, 7, new Set([24])]);
    });
  });
}
