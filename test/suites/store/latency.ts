// How long customers' calls took.
import { describe, expect, test } from "vitest";
import { CALL_LATENCY_BOUNDS_MS, type LatencyCount } from "../../../src/store/usage-records.ts";
import { account, type Openers } from "./samples.ts";

const buckets = (...counts: readonly number[]): readonly number[] => [
  ...counts,
  ...new Array(CALL_LATENCY_BOUNDS_MS.length + 1 - counts.length).fill(0),
];

const count = (change: Partial<LatencyCount> = {}): LatencyCount => ({
  ...{ accountId: "a-1", service: "radio", hour: "2026-11-21T11", latency: buckets(7, 2) },
  ...change,
});

const everything = { accountId: "a-1", fromDay: "2026-11-01", toDay: "2026-11-30", limit: 100, offset: 0 } as const;

/** The tests that every store passes. */
export function latencySuite({ open }: Openers): void {
  describe("Response times", () => {
    test("are added up by hour, day, month and service, for one account", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await store.addLatency([
        count(),
        count({ service: "farkle" }),
        count({ hour: "2026-11-21T12", latency: buckets(0, 0, 2 ** 40) }),
      ]);
      await store.addLatency([count(), count(), count({ hour: "2026-11-20T23" }), count({ accountId: "a-2" })]);
      await store.addLatency([]);
      const hours = await store.latencyRows({ ...everything, groupBy: ["hour", "service"] });
      expect(hours).toEqual({
        total: 4,
        rows: [
          { hour: "2026-11-20T23", service: "radio", calls: 9, latency: buckets(7, 2) },
          { hour: "2026-11-21T11", service: "farkle", calls: 9, latency: buckets(7, 2) },
          { hour: "2026-11-21T11", service: "radio", calls: 27, latency: buckets(21, 6) },
          { hour: "2026-11-21T12", service: "radio", calls: 2 ** 40, latency: buckets(0, 0, 2 ** 40) },
        ],
      });
      expect(await store.latencyRows({ ...everything, service: "radio", groupBy: ["day"] })).toEqual({
        total: 2,
        rows: [
          { day: "2026-11-20", calls: 9, latency: buckets(7, 2) },
          { day: "2026-11-21", calls: 27 + 2 ** 40, latency: buckets(21, 6, 2 ** 40) },
        ],
      });
      expect(await store.latencyRows({ ...everything, groupBy: ["month"] })).toEqual({
        total: 1,
        rows: [{ month: "2026-11", calls: 45 + 2 ** 40, latency: buckets(35, 10, 2 ** 40) }],
      });
      const second = await store.latencyRows({ ...everything, fromDay: "2026-11-21", groupBy: ["service"], limit: 1, offset: 1 });
      expect([second.total, second.rows.map(({ service }) => service)]).toEqual([2, ["radio"]]);
    });

    test("of two servers are added up, even if they arrive together", async () => {
      const { store } = await open();
      const both = [count(), count({ service: "farkle" })];
      await Promise.all(Array.from({ length: 20 }, (_, index) => store.addLatency(index % 2 === 0 ? both : both.toReversed())));
      const { rows } = await store.latencyRows({ ...everything, groupBy: ["service"] });
      expect(rows.map(({ calls }) => calls)).toEqual([180, 180]);
    });

    test("of an account that does not exist are not stored", async () => {
      const { store, fixture } = await open();
      await store.addLatency([count({ accountId: "a-9" }), count({ accountId: account.id })]);
      const { latency_hours: hours, latency_days: days } = await fixture.dump();
      expect([hours, days].map((rows) => rows?.map((row) => row.account_id))).toEqual([["a-1"], ["a-1"]]);
    });

    test("are deleted after seven days by hour, and after a year by day", async () => {
      const { store, fixture } = await open();
      const times = ["2025-11-19T23", "2025-11-20T00", "2026-11-13T23", "2026-11-14T00"];
      await store.addLatency(times.map((hour) => count({ hour })));
      expect(await store.deleteExpired()).toBe(false);
      const { latency_hours: hours, latency_days: days } = await fixture.dump();
      expect(hours?.map(({ hour }) => hour)).toEqual(["2026-11-14T00"]);
      expect(days?.map(({ day }) => day).toSorted()).toEqual(["2025-11-20", "2026-11-13", "2026-11-14"]);
    });
  });
}
