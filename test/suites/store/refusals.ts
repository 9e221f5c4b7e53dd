// Refused calls.

import { describe, expect, test } from "vitest";
import { TooMuchUsage } from "../../../src/store/store-errors.ts";
import type { RefusalCount, RefusalQuery } from "../../../src/store/usage-records.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import type { Openers } from "./samples.ts";

const count: RefusalCount = {
  accountId: "a-1",
  keyId: "k-1",
  service: "radio",
  day: "2026-11-20",
  hour: 9,
  reason: "RATE_LIMITED",
  calls: 2,
  rateNeeded: 7,
};

const everything: RefusalQuery = {
  accountId: "a-1",
  fromDay: "0000-01-01",
  toDay: "9999-12-31",
  groupBy: ["day", "service", "reason", "key"],
  limit: Number.MAX_SAFE_INTEGER,
  offset: 0,
  countsMax: 10_000,
};

/** The tests that every store passes. */
export function refusalsSuite({ openEmpty }: Openers): void {
  describe("refusals", () => {
    test("add up, even within one batch, and the largest rate needed is kept", async () => {
      const { store } = await openEmpty();
      await store.addRefusals([], newBatch());
      await store.addRefusals([count, { ...count, rateNeeded: 11 }, count], newBatch());
      await store.addRefusals([count, { ...count, reason: "QUOTA_EXCEEDED", calls: 1, rateNeeded: 0 }], newBatch());
      const row = { day: "2026-11-20", service: "radio", keyId: "k-1" };
      expect(await store.refusalRows(everything)).toEqual({
        total: 2,
        rows: [
          { ...row, reason: "QUOTA_EXCEEDED", calls: 1, rateNeeded: 0 },
          { ...row, reason: "RATE_LIMITED", calls: 8, rateNeeded: 11 },
        ],
      });
    });

    test.for<{ groupBy: RefusalQuery["groupBy"]; rows: readonly object[] }>([
      { groupBy: [], rows: [{ calls: 26, rateNeeded: 9 }] },
      { groupBy: ["month"], rows: [{ month: "2026-11", calls: 26, rateNeeded: 9 }] },
      {
        groupBy: ["hour", "reason"],
        rows: [
          { hour: "2026-11-20T09", reason: "RATE_LIMITED", calls: 9, rateNeeded: 0 },
          { hour: "2026-11-20T23", reason: "RATE_LIMITED", calls: 7, rateNeeded: 0 },
          { hour: "2026-11-21T09", reason: "KEY_REVOKED", calls: 10, rateNeeded: 0 },
        ],
      },
      {
        groupBy: ["day", "hour", "key"],
        rows: [
          { day: "2026-11-20", hour: "2026-11-20T09", keyId: "k-1", calls: 9, rateNeeded: 0 },
          { day: "2026-11-20", hour: "2026-11-20T23", keyId: "k-1", calls: 7, rateNeeded: 0 },
          { day: "2026-11-21", hour: "2026-11-21T09", keyId: "k-2", calls: 10, rateNeeded: 0 },
        ],
      },
      {
        groupBy: ["day"],
        rows: [
          { day: "2026-11-20", calls: 16, rateNeeded: 9 },
          { day: "2026-11-21", calls: 10, rateNeeded: 0 },
        ],
      },
      {
        groupBy: ["reason", "service"],
        rows: [
          { reason: "KEY_REVOKED", service: "radio", calls: 10, rateNeeded: 0 },
          { reason: "RATE_LIMITED", service: "farkle", calls: 4, rateNeeded: 9 },
          { reason: "RATE_LIMITED", service: "radio", calls: 12, rateNeeded: 7 },
        ],
      },
      {
        groupBy: ["key"],
        rows: [
          { keyId: "k-1", calls: 16, rateNeeded: 9 },
          { keyId: "k-2", calls: 10, rateNeeded: 0 },
        ],
      },
    ])("of an account are grouped by $groupBy", async ({ groupBy, rows }) => {
      const { store } = await openEmpty();
      await store.addRefusals(
        [
          { ...count, calls: 5 },
          { ...count, hour: 23, calls: 7 },
          { ...count, service: "farkle", calls: 4, rateNeeded: 9 },
          { ...count, keyId: "k-2", day: "2026-11-21", reason: "KEY_REVOKED", calls: 10, rateNeeded: 0 },
          { ...count, accountId: "a-2", calls: 100, rateNeeded: 100 },
        ],
        newBatch(),
      );
      expect(await store.refusalRows({ ...everything, groupBy })).toEqual({ total: rows.length, rows });
    });

    test("are limited to the requested days, service and page, and to a bounded number of counts", async () => {
      const { store } = await openEmpty();
      await store.addRefusals(
        [18, 19, 20, 21].map((day) => ({ ...count, day: `2026-11-${day}` })),
        newBatch(),
      );
      await store.addRefusals([{ ...count, service: "farkle" }], newBatch());
      const query = { ...everything, service: "radio", groupBy: ["day"], fromDay: "2026-11-19", toDay: "2026-11-20" } as const;
      expect(await store.refusalRows({ ...query, limit: 1, offset: 1 })).toEqual({
        total: 2,
        rows: [{ day: "2026-11-20", calls: 2, rateNeeded: 7 }],
      });
      expect(await store.refusalRows({ ...query, offset: 2 })).toEqual({ total: 2, rows: [] });
      expect(await store.refusalRows({ ...query, groupBy: ["hour"], limit: 1, offset: 1 })).toEqual({
        total: 2,
        rows: [{ hour: "2026-11-20T09", calls: 2, rateNeeded: 0 }],
      });
      expect((await store.refusalRows({ ...query, countsMax: 2 })).total).toBe(2);
      await expect(store.refusalRows({ ...query, countsMax: 1 })).rejects.toThrow(new TooMuchUsage(1));
    });

    test("of more than 500 kinds in a day are counted without the key", async () => {
      const { store } = await openEmpty();
      const ofKeys = (from: number, to: number): RefusalCount[] =>
        Array.from({ length: to - from }, (_, index) => ({ ...count, keyId: `k-${from + index}`, calls: 1 }));
      await store.addRefusals(ofKeys(0, 499), newBatch());
      expect((await store.refusalRows(everything)).total).toBe(499);
      await store.addRefusals(ofKeys(499, 510), newBatch());
      expect((await store.refusalRows(everything)).total).toBe(510);
      for (let batch = 0; batch < 4; batch++) {
        await store.addRefusals([...ofKeys(batch * 500, (batch + 1) * 500), { ...count, accountId: "a-2" }], newBatch());
      }
      // One more row, however many keys there are.
      const { total, rows } = await store.refusalRows(everything);
      expect([total, rows[0], rows.reduce((sum, { calls }) => sum + calls, 0)]).toEqual([
        511,
        { day: "2026-11-20", service: "radio", reason: "RATE_LIMITED", keyId: "", calls: 2000, rateNeeded: 7 },
        2510,
      ]);
      // An hour has no more rows either, and its sum is the day's.
      const hours = await store.refusalRows({ ...everything, groupBy: ["hour", "service", "reason", "key"] });
      expect([hours.total, hours.rows.reduce((sum, { calls }) => sum + calls, 0)]).toEqual([511, 2510]);
      // Another day and another account are unaffected.
      await store.addRefusals([{ ...count, day: "2026-11-21" }], newBatch());
      expect((await store.refusalRows({ ...everything, fromDay: "2026-11-21" })).rows[0]?.keyId).toBe("k-1");
      expect((await store.refusalRows({ ...everything, accountId: "a-2" })).rows.map(({ keyId }) => keyId)).toEqual(["k-1"]);
    });

    test("written by several servers at once add up, by day and by hour", async () => {
      const { store, clock, fixture } = await openEmpty();
      const other = await fixture.open(clock);
      const batch = Array.from({ length: 300 }, (_, index) => ({ ...count, keyId: `k-${index}`, hour: index % 24, calls: 1 }));
      const batches = [batch, batch.toReversed()];
      await Promise.all(
        Array.from({ length: 6 }, (_, at) => (at % 2 ? store : other).addRefusals(batches[at % 2] ?? [], newBatch())),
      );
      const sums = async (groupBy: RefusalQuery["groupBy"]) =>
        (await store.refusalRows({ ...everything, groupBy })).rows.map(({ calls }) => calls);
      expect(await sums(["day"])).toEqual([1800]);
      expect(await sums(["hour"])).toEqual(Array.from({ length: 24 }, (_, hour) => 6 * (hour < 12 ? 13 : 12)));
    });

    test("that are written again are counted once", async () => {
      const { store } = await openEmpty();
      const id = newBatch();
      await store.addRefusals([count], id);
      await store.addRefusals([count], id);
      expect((await store.refusalRows({ ...everything, groupBy: [] })).rows).toEqual([{ calls: 2, rateNeeded: 7 }]);
    });

    test("are kept for a year", async () => {
      const { store } = await openEmpty();
      await store.addRefusals([{ ...count, day: "2025-11-19" }, { ...count, day: "2025-11-20" }, count], newBatch());
      const days = async () => (await store.refusalRows({ ...everything, groupBy: ["day"] })).rows.map(({ day }) => day);
      expect(await days()).toEqual(["2025-11-19", "2025-11-20", "2026-11-20"]);
      await store.deleteExpired();
      expect(await days()).toEqual(["2025-11-20", "2026-11-20"]);
    });

    test("are kept by hour for today and the seven days before", async () => {
      const { store, clock } = await openEmpty();
      await store.addRefusals(
        [{ ...count, day: "2026-11-13", hour: 23 }, { ...count, day: "2026-11-14", hour: 0 }, count],
        newBatch(),
      );
      const hours = async () => (await store.refusalRows({ ...everything, groupBy: ["hour"] })).rows.map(({ hour }) => hour);
      expect(await hours()).toHaveLength(3);
      await store.deleteExpired();
      expect(await hours()).toEqual(["2026-11-14T00", "2026-11-20T09"]);
      clock.advance(7 * 86_400_000);
      await store.addRefusals([{ ...count, day: "2026-11-28" }], newBatch());
      expect(await hours()).toHaveLength(3);
      await store.deleteExpired();
      expect(await hours()).toEqual(["2026-11-28T09"]);
      expect((await store.refusalRows({ ...everything, groupBy: ["day"] })).total).toBe(4);
    });
  });
}
