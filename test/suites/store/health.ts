// What servers measure about services and their sources.
import { describe, expect, test } from "vitest";
import { type HealthCount, LATENCY_BOUNDS_MS } from "../../../src/store/usage-records.ts";
import type { Openers } from "./samples.ts";

const buckets = (...counts: readonly number[]): readonly number[] => [
  ...counts,
  ...new Array(LATENCY_BOUNDS_MS.length + 1 - counts.length).fill(0),
];

const count = (change: Partial<HealthCount> = {}): HealthCount => ({
  ...{ service: "radio", part: "calls", hour: "2026-11-21T11", calls: 10, failed: 1, refused: 2, latency: buckets(7, 2) },
  ...change,
});

/** The tests that every store passes. */
export function healthSuite({ open }: Openers): void {
  describe("Measurements", () => {
    test("are added up, by hour and by day, for each service and its source", async () => {
      const { store } = await open();
      await store.addHealth([count(), count({ part: "source", failed: 0 }), count({ service: "farkle" })]);
      await store.addHealth([count({ latency: buckets(0, 0, 5) }), count({ hour: "2026-11-21T12", calls: 2 ** 40 })]);
      await store.addHealth([count({ hour: "2026-11-20T23" })]);
      await store.addHealth([]);
      const twice = { service: "radio", part: "calls", calls: 20, failed: 2, refused: 4, latency: buckets(7, 2, 5) };
      const { hour: _, ...once } = count();
      expect(await store.healthRows({ fromHour: "2026-11-21", by: "hour" })).toEqual([
        { ...once, time: "2026-11-21T11", service: "farkle" },
        { ...twice, time: "2026-11-21T11" },
        { ...once, time: "2026-11-21T11", part: "source", failed: 0 },
        { ...once, time: "2026-11-21T12", calls: 2 ** 40 },
      ]);
      expect(await store.healthRows({ fromHour: "2026-11-21T12", by: "hour" })).toHaveLength(1);
      expect(await store.healthRows({ fromHour: "2026-11-20", by: "day" })).toEqual([
        { ...once, time: "2026-11-20" },
        { ...once, time: "2026-11-21", service: "farkle" },
        { ...twice, time: "2026-11-21", calls: 20 + 2 ** 40, failed: 3, refused: 6, latency: buckets(14, 4, 5) },
        { ...once, time: "2026-11-21", part: "source", failed: 0 },
      ]);
    });

    test("of two servers are added up, even if they arrive together", async () => {
      const { store } = await open();
      const both = [count(), count({ service: "farkle" })];
      await Promise.all(Array.from({ length: 20 }, (_, index) => store.addHealth(index % 2 === 0 ? both : both.toReversed())));
      expect((await store.healthRows({ fromHour: "2026-11-21", by: "day" })).map(({ calls }) => calls)).toEqual([200, 200]);
    });

    test("are deleted after 90 days", async () => {
      const { store } = await open();
      await store.addHealth([count({ hour: "2026-08-22T23" }), count({ hour: "2026-08-23T00" }), count()]);
      expect(await store.deleteExpired()).toBe(false);
      expect((await store.healthRows({ fromHour: "2026-01-01", by: "day" })).map(({ time }) => time)).toEqual([
        "2026-08-23",
        "2026-11-21",
      ]);
    });
  });
}
