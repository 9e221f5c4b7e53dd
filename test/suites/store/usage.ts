// The usage history.

import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { TooMuchUsage } from "../../../src/store/store-errors.ts";
import type { UsageCount, UsageDimension, UsageQuery, UsageRow } from "../../../src/store/usage-records.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { newKey, type Openers } from "./samples.ts";

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

const dimensions = ["month", "day", "service", "method", "outcome", "key"] as const;

// Everything, each count separately.
const everything: UsageQuery = {
  accountId: "a-1",
  fromDay: "0000-01-01",
  toDay: "9999-12-31",
  groupBy: dimensions,
  refunded: ["INTERNAL", "UPSTREAM_FAILED"],
  limit: Number.MAX_SAFE_INTEGER,
  offset: 0,
  countsMax: 10_000,
};

// Every set of dimensions, each rotated by a different amount, so that all orders of two occur.
const groupings = Array.from({ length: 2 ** dimensions.length }, (_, bits) => {
  const chosen = dimensions.filter((_, index) => (bits & (1 << index)) !== 0);
  const turn = bits % (chosen.length || 1);
  return { groupBy: [...chosen.slice(turn), ...chosen.slice(0, turn)] };
});

// Counts that share values in every dimension, but no two are equal.
const many: readonly UsageCount[] = Array.from({ length: 240 }, (_, index) => ({
  accountId: "a-1",
  keyId: `k-${index % 5}`,
  service: (["farkle", "radio"] as const)[index % 2] ?? "radio",
  method: `m/${"ABC"[index % 3]}`,
  day: `2026-11-${10 + Math.floor(index / 60)}`,
  hour: index % 24,
  outcome: ["INTERNAL", "NOT_FOUND", "OK", "UPSTREAM_FAILED"][index % 4] ?? "OK",
  calls: index + 1,
}));

const values: Readonly<Record<UsageDimension, (each: UsageCount) => string>> = {
  month: ({ day }) => day.slice(0, 7),
  day: ({ day }) => day,
  hour: ({ day, hour }) => `${day}T${String(hour).padStart(2, "0")}`,
  service: ({ service }) => service,
  method: ({ method }) => method,
  outcome: ({ outcome }) => outcome,
  key: ({ keyId }) => keyId,
};
const valueIn = (dimension: UsageDimension, each: UsageCount): string => values[dimension](each);

// The expected result, computed the simple way.
function addedUp(counts: readonly UsageCount[], { groupBy, refunded }: UsageQuery): UsageRow[] {
  const groups = Map.groupBy(counts, (each) => JSON.stringify(groupBy.map((dimension) => valueIn(dimension, each))));
  const sum = (group: readonly UsageCount[]): number => group.reduce((total, { calls }) => total + calls, 0);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => ({
      ...Object.fromEntries(
        groupBy.map((dimension) => [dimension === "key" ? "keyId" : dimension, valueIn(dimension, group[0] ?? count)]),
      ),
      calls: sum(group),
      failed: sum(group.filter(({ outcome }) => outcome !== "OK")),
      counted: sum(group.filter(({ outcome }) => !refunded.includes(outcome))),
    }));
}

async function readInPages(store: Store, query: UsageQuery, limit: number): Promise<UsageRow[]> {
  const read: UsageRow[] = [];
  for (;;) {
    const { total, rows } = await store.usageRows({ ...query, limit, offset: read.length });
    read.push(...rows);
    if (read.length >= total) {
      return read;
    }
  }
}

/** The tests that every store passes. */
export function usageSuite({ open, openEmpty }: Openers): void {
  describe("usage", () => {
    test("counts add up, even within one batch", async () => {
      const { store } = await openEmpty();
      await store.addUsage([], newBatch());
      await store.addUsage([count, count], newBatch());
      await store.addUsage([count, { ...count, outcome: "NOT_FOUND", calls: 1 }], newBatch());
      const { accountId: _, calls: __, hour: ___, ...told } = count;
      expect(await store.usageRows(everything)).toEqual({
        total: 2,
        rows: [
          { ...told, month: "2026-11", outcome: "NOT_FOUND", calls: 1, failed: 1, counted: 1 },
          { ...told, month: "2026-11", calls: 6, failed: 0, counted: 6 },
        ],
      });
    });

    test("a key's last use is when its latest counts were written, to within a minute", async () => {
      const { store, clock } = await open();
      await store.createKey(newKey());
      expect(await store.keyUses("a-1")).toEqual(new Map());
      await store.addUsage([count, { ...count, keyId: "k-2" }, { ...count, accountId: "a-2", keyId: "k-3" }], newBatch());
      const firstMs = clock.nowMs();
      expect((await store.keyUses("a-1")).get("k-1")).toBe(firstMs);
      clock.advance(59_999);
      await store.addUsage([count], newBatch());
      expect(await store.keyUses("a-1")).toEqual(
        new Map([
          ["k-1", firstMs],
          ["k-2", firstMs],
        ]),
      );
      clock.advance(1);
      await store.addUsage([count], newBatch());
      // A dry run uses its key, but is not a call.
      await store.addUsage([{ ...count, accountId: "a-2", keyId: "k-4", calls: 0 }], newBatch());
      expect((await store.keyUses("a-2")).get("k-4")).toBe(clock.nowMs());
      expect((await store.usageRows({ ...everything, accountId: "a-2", groupBy: ["key"] })).rows.map(({ keyId }) => keyId)).toEqual(
        ["k-3"],
      );
      // Deleted keys are forgotten when the next key is created.
      await store.createKey(newKey({ id: "k-9", hash: "99".repeat(32) }));
      expect(await store.keyUses("a-1")).toEqual(new Map([["k-1", firstMs + 60_000]]));
      expect((await store.keyUses("a-2")).get("k-3")).toBe(firstMs);
    });

    test("the history covers one account, the requested days, and one service if requested", async () => {
      const { store } = await openEmpty();
      const days = ["2026-11-22", "2026-11-21", "2026-11-20", "2026-11-19"];
      await store.addUsage(
        days.map((day) => ({ ...count, day })),
        newBatch(),
      );
      await store.addUsage([{ ...count, accountId: "a-2" }], newBatch());
      await store.addUsage([{ ...count, service: "farkle" }], newBatch());
      const query = { ...everything, groupBy: ["day", "service"] } as const;
      const sums = { calls: 2, failed: 0, counted: 2 };
      expect(await store.usageRows({ ...query, service: "radio", fromDay: "2026-11-20", toDay: "2026-11-21" })).toEqual({
        total: 2,
        rows: [
          { day: "2026-11-20", service: "radio", ...sums },
          { day: "2026-11-21", service: "radio", ...sums },
        ],
      });
      expect(await store.usageRows({ ...query, fromDay: "2026-11-20", toDay: "2026-11-20" })).toEqual({
        total: 2,
        rows: [
          { day: "2026-11-20", service: "farkle", ...sums },
          { day: "2026-11-20", service: "radio", ...sums },
        ],
      });
    });

    test("a batch larger than one statement is added whole", async () => {
      const { store } = await openEmpty();
      await store.addUsage(
        Array.from({ length: 450 }, (_, index) => ({ ...count, keyId: `k-${index}`, calls: 1 })),
        newBatch(),
      );
      expect((await store.usageRows(everything)).total).toBe(450);
    });

    test("the history is summed by every set of dimensions, whole and page by page", async () => {
      const { store } = await openEmpty();
      await store.addUsage(many, newBatch());
      for (const { groupBy } of groupings) {
        const query = { ...everything, groupBy };
        const rows = addedUp(many, query);
        expect(await store.usageRows(query)).toEqual({ total: rows.length, rows });
        expect(await readInPages(store, query, 37)).toEqual(rows);
      }
    });

    test("it is also summed by hour with every set of dimensions, and the hours add up to the day", async () => {
      const { store } = await openEmpty();
      // Days that are kept: a week that ends with the clock's day.
      const recent = many.map((each, index) => ({ ...each, day: `2026-11-${14 + (index % 8)}` }));
      await store.addUsage(recent, newBatch());
      await store.addUsage(recent, newBatch());
      const twice = recent.map((each) => ({ ...each, calls: 2 * each.calls }));
      for (const { groupBy } of groupings) {
        const query = { ...everything, groupBy: [...groupBy, "hour"] } as const;
        const rows = addedUp(twice, query);
        expect(await store.usageRows(query)).toEqual({ total: rows.length, rows });
      }
      for (const service of ["radio", "farkle"] as const) {
        const query = { ...everything, service, fromDay: "2026-11-15", toDay: "2026-11-16" };
        const ofService = twice.filter(
          ({ day, ...each }) => each.service === service && day >= "2026-11-15" && day <= "2026-11-16",
        );
        const hours = (await store.usageRows({ ...query, groupBy: ["hour"] })).rows;
        expect(hours).toEqual(addedUp(ofService, { ...query, groupBy: ["hour"] }));
        const byDay = Map.groupBy(hours, ({ hour }) => String(hour).slice(0, 10));
        const days = [...byDay].map(([day, of]) => ({
          day,
          calls: of.reduce((sum, { calls }) => sum + calls, 0),
          failed: of.reduce((sum, { failed }) => sum + failed, 0),
          counted: of.reduce((sum, { counted }) => sum + counted, 0),
        }));
        expect(days).toEqual((await store.usageRows({ ...query, groupBy: ["day"] })).rows);
      }
    });

    test("hours are kept for today and the seven days before, and days for longer", async () => {
      const { store, clock } = await openEmpty();
      const old = Array.from({ length: 1500 }, (_, index) => ({ ...count, day: "2026-11-14", keyId: `k-${index}`, calls: 1 }));
      for (let start = 0; start < old.length; start += 500) {
        await store.addUsage(old.slice(start, start + 500), newBatch());
      }
      const hours = { ...everything, groupBy: ["hour"] } as const;
      expect((await store.usageRows(hours)).rows).toEqual([{ hour: "2026-11-14T09", calls: 1500, failed: 0, counted: 1500 }]);
      // On the next day they are deleted, a thousand at a time.
      clock.advance(86_400_000);
      await store.addUsage([{ ...count, day: "2026-11-22" }], newBatch());
      expect(await store.deleteExpired()).toBe(true);
      expect((await store.usageRows(hours)).rows).toEqual([
        { hour: "2026-11-14T09", calls: 500, failed: 0, counted: 500 },
        { hour: "2026-11-22T09", calls: 2, failed: 0, counted: 2 },
      ]);
      expect(await store.deleteExpired()).toBe(false);
      expect((await store.usageRows(hours)).rows).toEqual([{ hour: "2026-11-22T09", calls: 2, failed: 0, counted: 2 }]);
      expect((await store.usageRows({ ...everything, groupBy: ["day"] })).rows).toEqual([
        { day: "2026-11-14", calls: 1500, failed: 0, counted: 1500 },
        { day: "2026-11-22", calls: 2, failed: 0, counted: 2 },
      ]);
    });

    test.for([
      { case: "the last page", limit: 3, offset: 2, days: ["2026-11-12", "2026-11-13"] },
      { case: "the first row past the end", limit: 3, offset: 4, days: [] },
      { case: "far past the end", limit: 1000, offset: 1_000_000, days: [] },
      { case: "no row of a page", limit: 0, offset: 0, days: [] },
    ])("$case has the total", async ({ limit, offset, days }) => {
      const { store } = await openEmpty();
      await store.addUsage(many, newBatch());
      const { total, rows } = await store.usageRows({ ...everything, groupBy: ["day"], limit, offset });
      expect([total, rows.map(({ day }) => day)]).toEqual([4, days]);
    });

    test.for<{ groupBy: readonly UsageDimension[] }>([{ groupBy: ["day"] }, { groupBy: dimensions }, { groupBy: [] }])(
      "without calls there are no rows, by $groupBy",
      async ({ groupBy }) => {
        const { store } = await openEmpty();
        await store.addUsage([count], newBatch());
        const none = { total: 0, rows: [] };
        expect(await store.usageRows({ ...everything, groupBy, fromDay: "2026-11-21" })).toEqual(none);
        expect(await store.usageRows({ ...everything, groupBy, fromDay: "2026-11-21", toDay: "2026-11-19" })).toEqual(none);
        expect(await store.usageRows({ ...everything, groupBy, accountId: "a-2" })).toEqual(none);
      },
    );

    test("every outcome counts except refunds, and every one except OK is a failure", async () => {
      const { store } = await openEmpty();
      const outcomes = ["OK", "UPSTREAM_FAILED", "NOT_FOUND", "OF_ANOTHER_VERSION"];
      await store.addUsage(
        outcomes.map((outcome, index) => ({ ...count, outcome, calls: 10 ** index })),
        newBatch(),
      );
      const query = { ...everything, groupBy: [] };
      expect((await store.usageRows(query)).rows).toEqual([{ calls: 1111, failed: 1110, counted: 1101 }]);
      expect((await store.usageRows({ ...query, refunded: [] })).rows).toEqual([{ calls: 1111, failed: 1110, counted: 1111 }]);
      expect((await store.usageRows({ ...query, refunded: outcomes })).rows).toEqual([{ calls: 1111, failed: 1110, counted: 0 }]);
    });

    test("a bounded number of counts is summed", async () => {
      const { store } = await openEmpty();
      await store.addUsage(many, newBatch());
      const query = { ...everything, groupBy: [], countsMax: 120 };
      const half = { service: "radio" } as const;
      expect((await store.usageRows({ ...query, ...half })).total).toBe(1);
      const more = [{}, { ...half, countsMax: 119 }, { ...half, countsMax: 0 }, { fromDay: "2026-11-12", countsMax: 119 }];
      for (const change of more) {
        const requested = { ...query, ...change };
        await expect(store.usageRows(requested)).rejects.toThrow(new TooMuchUsage(requested.countsMax));
      }
    });

    test("sums are exact beyond 32 bits", async () => {
      const { store } = await openEmpty();
      const calls = 2 ** 51;
      await store.addUsage(
        [
          { ...count, calls },
          { ...count, keyId: "k-2", calls: calls + 1 },
          { ...count, keyId: "k-3", outcome: "INTERNAL", calls: 1 },
        ],
        newBatch(),
      );
      const expected = [{ calls: 2 * calls + 2, failed: 1, counted: 2 * calls + 1 }];
      expect((await store.usageRows({ ...everything, groupBy: [] })).rows).toEqual(expected);
    });

    test("the usage of a key stays when it is revoked", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.addUsage([count], newBatch());
      await store.revokeKey("k-1");
      const rows = [{ keyId: "k-1", calls: 2, failed: 0, counted: 2 }];
      expect(await store.usageRows({ ...everything, groupBy: ["key"] })).toEqual({ total: 1, rows });
    });

    test("usage of all accounts is summed by service, and for the accounts with the most calls", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await store.addUsage(
        [
          count,
          { ...count, outcome: "INTERNAL", calls: 5 },
          { ...count, service: "farkle", keyId: "k-2" },
          { ...count, accountId: "a-2", calls: 8 },
          { ...count, accountId: "a-3", calls: 1 },
          { ...count, accountId: "a-3", day: "2026-11-19", calls: 100 },
        ],
        newBatch(),
      );
      const days = { fromDay: "2026-11-20", toDay: "2026-11-21", refunded: ["INTERNAL"] };
      expect(await store.topAccounts({ ...days, limit: 2 })).toEqual({
        services: [
          { service: "radio", calls: 16, counted: 11, accounts: 3 },
          { service: "farkle", calls: 2, counted: 2, accounts: 1 },
        ],
        accounts: [
          {
            accountId: "a-1",
            accountName: "acme",
            services: [
              { service: "radio", calls: 7, counted: 2 },
              { service: "farkle", calls: 2, counted: 2 },
            ],
          },
          { accountId: "a-2", accountName: "other", services: [{ service: "radio", calls: 8, counted: 8 }] },
        ],
      });
      expect(await store.topAccounts({ ...days, service: "radio", limit: 3, refunded: [] })).toEqual({
        services: [{ service: "radio", calls: 16, counted: 16, accounts: 3 }],
        accounts: [
          { accountId: "a-2", accountName: "other", services: [{ service: "radio", calls: 8, counted: 8 }] },
          { accountId: "a-1", accountName: "acme", services: [{ service: "radio", calls: 7, counted: 7 }] },
          { accountId: "a-3", accountName: null, services: [{ service: "radio", calls: 1, counted: 1 }] },
        ],
      });
      expect(await store.topAccounts({ ...days, fromDay: "2026-11-21", limit: 3 })).toEqual({ services: [], accounts: [] });
    });
  });
}
