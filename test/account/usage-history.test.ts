import { describe, expect, onTestFinished, test } from "vitest";
import { refusalHistory } from "../../src/account/refusal-history.ts";
import type { HistoryQuery } from "../../src/account/summed-counts.ts";
import { refundedOutcomes, type UsageReportOptions, usageHistory } from "../../src/account/usage-history.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import { Failure } from "../../src/problem/failure.ts";
import { invalidArgument } from "../../src/problem/problem.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { TooMuchUsage } from "../../src/store/store-errors.ts";
import type { UsageDimension } from "../../src/store/usage-records.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";
import { newBatch } from "../fixtures/new-batch.ts";
import { createGuard } from "../fixtures/one-thread-guard.ts";
import { ADDRESS, createMemoryLog, METHOD, NOON_MS, plansOf, radioPlan } from "../guard/scene.ts";

const plans = plansOf([radioPlan("free", 2), { ...radioPlan("free", 1000), service: "farkle" }]);
const clock = createManualClock({ nowMs: NOON_MS });
const count = {
  accountId: "a-1",
  keyId: "k-1",
  service: "radio",
  method: METHOD,
  day: "2026-11-20",
  hour: 9,
  outcome: "OK",
  calls: 1,
} as const;
const byDay: HistoryQuery<UsageDimension> = { groupBy: ["day"], limit: 100, offset: 0 };

// The month's status of radio and farkle before any call is counted.
const month = { month: "2026-11", resetsAtMs: Date.UTC(2026, 11, 1) };
const radio = {
  subscriptionId: "s-1",
  service: "radio",
  plan: "free",
  ...month,
  callsPerMonth: 2,
  counted: 0,
  leased: 0,
  credited: 0,
  remaining: 2,
  refused: { forRate: 0, forQuota: 0, rateNeeded: undefined },
};
const farkle = { ...radio, subscriptionId: "s-2", service: "farkle", callsPerMonth: 1000, remaining: 1000 };

async function open(): Promise<UsageReportOptions & { readonly store: Store }> {
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.applyPlans([
    ...loadPlans(undefined).all.filter(({ service }) => service !== "radio" && service !== "farkle"),
    ...plans.all,
  ]);
  await store.createAccount({ id: "a-1", name: "acme", email: null });
  const subscription = { accountId: "a-1", plan: "free", state: "active" } as const;
  await store.createSubscription({ ...subscription, id: "s-2", service: "farkle" });
  await store.createSubscription({ ...subscription, id: "s-1", service: "radio" });
  return { store, clock, unspent: () => 0 };
}

describe("this month's status", () => {
  test("covers each active subscription, in the services' usual order, whatever span is requested", async () => {
    const deps = { ...(await open()), unspent: (key: string) => (key === "a-1/farkle" ? 20 : 0) };
    const { store } = deps;
    await store.lease("s-1", "2026-11", 2, 1);
    await store.lease("s-2", "2026-11", 1000, 30);
    const other = { accountId: "a-1", plan: "starter", state: "active" } as const;
    await store.createSubscription({ ...other, id: "s-3", service: "bitcoin", state: "requested" });
    await store.createSubscription({ ...other, id: "s-4", service: "token-list" });
    await store.cancel("s-4");
    await store.createSubscription({ ...other, id: "s-5", service: "token-price" });
    await store.addUsage(
      [
        { ...count, day: "2026-10-31", calls: 900 },
        { ...count, day: "2026-11-01" },
        { ...count, day: "2026-11-30", service: "farkle", calls: 10 },
        { ...count, day: "2026-11-30", service: "farkle", outcome: "UPSTREAM_FAILED", calls: 100 },
        { ...count, day: "2026-11-21", service: "token-price", calls: 7 },
        { ...count, day: "2026-12-01", calls: 900 },
        { ...count, accountId: "a-2", calls: 900 },
      ],
      newBatch(),
    );
    const standings = [
      { ...radio, counted: 1, leased: 1, remaining: 1 },
      {
        ...radio,
        subscriptionId: "s-5",
        service: "token-price",
        plan: "starter",
        callsPerMonth: 135_000,
        counted: 7,
        remaining: 135_000,
      },
      { ...farkle, counted: 10, leased: 30, remaining: 990 },
    ];
    const span = { fromDay: "2026-01-01", toDay: "2026-01-31" };
    const rest = { ...span, total: 0, rows: [] };
    expect(await usageHistory(deps, "a-1", { ...byDay, ...span })).toEqual({ standings, ...rest });
    expect(await usageHistory(deps, "a-1", { ...byDay, ...span, service: "farkle" })).toEqual({
      standings: [standings[2]],
      ...rest,
    });
    expect((await usageHistory(deps, "a-1", { ...byDay, service: "bitcoin" })).standings).toEqual([]);
  });

  test("has nothing left if the plan is now smaller than what was leased", async () => {
    const deps = await open();
    await deps.store.lease("s-1", "2026-11", 10, 3);
    expect((await usageHistory(deps, "a-1", byDay)).standings).toEqual([{ ...radio, leased: 3, remaining: 0 }, farkle]);
  });

  test("counts calls as used that a server leased before it crashed", async () => {
    const deps = await open();
    await deps.store.lease("s-2", "2026-11", 1000, 1000);
    expect((await usageHistory(deps, "a-1", byDay)).standings).toEqual([radio, { ...farkle, leased: 1000, remaining: 0 }]);
  });
});

describe("the history", () => {
  test("is this month's by default, and what failed on our side does not count in it", async () => {
    const deps = await open();
    await deps.store.addUsage(
      [
        { ...count, day: "2026-10-31", calls: 900 },
        { ...count, day: "2026-11-01", outcome: "NOT_FOUND", calls: 2 },
        { ...count, day: "2026-11-21", service: "farkle", calls: 3 },
        { ...count, day: "2026-11-21", service: "farkle", outcome: "INTERNAL", calls: 4 },
        { ...count, day: "2026-11-22", calls: 900 },
      ],
      newBatch(),
    );
    const { standings: _, ...history } = await usageHistory(deps, "a-1", byDay);
    expect(history).toEqual({
      fromDay: "2026-11-01",
      toDay: "2026-11-21",
      total: 2,
      rows: [
        { day: "2026-11-01", calls: 2, failed: 2, counted: 2 },
        { day: "2026-11-21", calls: 7, failed: 4, counted: 3 },
      ],
    });
  });

  test("is grouped as requested, in that order, a page at a time", async () => {
    const deps = await open();
    await deps.store.addUsage(
      [
        { ...count, keyId: "k-2" },
        { ...count, day: "2026-11-19", keyId: "k-2", calls: 2 },
        { ...count, day: "2026-11-21", calls: 4 },
        { ...count, service: "farkle", calls: 8 },
      ],
      newBatch(),
    );
    const query = { ...byDay, groupBy: ["key", "day"], service: "radio" } as const;
    const rows = [
      { keyId: "k-1", day: "2026-11-21", calls: 4, failed: 0, counted: 4 },
      { keyId: "k-2", day: "2026-11-19", calls: 2, failed: 0, counted: 2 },
      { keyId: "k-2", day: "2026-11-20", calls: 1, failed: 0, counted: 1 },
    ];
    const pages = [
      { limit: 2, offset: 0, rows: rows.slice(0, 2) },
      { limit: 2, offset: 2, rows: rows.slice(2) },
      { limit: 2, offset: 4, rows: [] },
    ];
    for (const { rows, ...page } of pages) {
      const history = await usageHistory(deps, "a-1", { ...query, ...page });
      expect([history.total, history.rows]).toEqual([3, rows]);
    }
  });

  const counts = "one for each day, method, key and outcome";
  test.each([
    ["2026-10-31", "from_day", `covers more than 250000 counts (${counts}); request fewer days, or a single service`],
    ["2026-11-30", "service", `covers more than 250000 counts of this month (${counts}); request a single service`],
  ])(
    "until %s with more counts than are added up at once is refused, with an error that says what to request",
    async (day, field, description) => {
      const { store, ...deps } = await open();
      const usageRows: Store["usageRows"] = async (query) => {
        if (query.fromDay <= day && day <= query.toDay && query.countsMax === 250_000) {
          throw new TooMuchUsage(query.countsMax);
        }
        return store.usageRows(query);
      };
      const span = { fromDay: "2026-10-01", toDay: "2026-10-31" };
      await expect(usageHistory({ ...deps, store: { ...store, usageRows } }, "a-1", { ...byDay, ...span })).rejects.toThrow(
        new Failure(invalidArgument([{ field, description }])),
      );
    },
  );

  test("leaves out calls that the guard refused", async () => {
    const deps = await open();
    const key = generateKey(systemRandomness);
    const { hash, prefix, lastFour } = key;
    await deps.store.createKey({
      id: "k-1",
      accountId: "a-1",
      name: "first",
      services: null,
      expiresAtMs: null,
      lifetimeMs: null,
      hash,
      prefix,
      lastFour,
    });
    const guard = createGuard({ ...deps, plans, log: createMemoryLog() });
    const admissionRequest = async (secret: string, service: "radio" | "bitcoin"): Promise<string> => {
      const decision = await guard.admit({ key: secret, address: ADDRESS, service, method: METHOD });
      if (!decision.admitted) {
        return decision.problem.reason;
      }
      decision.settle("OK");
      return "OK";
    };
    const outcomes = [
      await admissionRequest(key.secret, "radio"),
      await admissionRequest(key.secret, "radio"),
      await admissionRequest(key.secret, "radio"),
    ];
    outcomes.push(
      await admissionRequest(key.secret, "bitcoin"),
      await admissionRequest(generateKey(systemRandomness).secret, "radio"),
    );
    await deps.store.revokeKey("k-1");
    outcomes.push(await admissionRequest(key.secret, "radio"));
    await guard.close();
    expect(outcomes).toEqual(["OK", "OK", "QUOTA_EXCEEDED", "SUBSCRIPTION_REQUIRED", "KEY_INVALID", "KEY_REVOKED"]);
    const { standings, total, rows } = await usageHistory(deps, "a-1", { ...byDay, groupBy: ["outcome", "key"] });
    expect([total, rows]).toEqual([1, [{ outcome: "OK", keyId: "k-1", calls: 2, failed: 0, counted: 2 }]]);
    // The plan's 1000 a second, and one more.
    const refused = { forRate: 0, forQuota: 1, rateNeeded: 1001 };
    expect(standings).toEqual([{ ...radio, counted: 2, leased: 2, remaining: 0, refused }, farkle]);
    const all = { groupBy: ["service", "reason", "key"], limit: 10, offset: 0 } as const;
    expect((await refusalHistory(deps, "a-1", all)).rows).toEqual([
      { service: "bitcoin", reason: "SUBSCRIPTION_REQUIRED", keyId: "k-1", calls: 1, rateNeeded: 0 },
      { service: "radio", reason: "KEY_REVOKED", keyId: "k-1", calls: 1, rateNeeded: 0 },
      { service: "radio", reason: "QUOTA_EXCEEDED", keyId: "k-1", calls: 1, rateNeeded: 1001 },
    ]);
  });

  test("of an invalid span is refused", async () => {
    await expect(usageHistory(await open(), "a-1", { ...byDay, fromDay: "2026-02-30" })).rejects.toThrow(Failure);
  });
});

test("exactly the outcomes that are not charged do not count", () => {
  expect(refundedOutcomes).toEqual(expect.arrayContaining(["UPSTREAM_FAILED", "DEADLINE_EXCEEDED", "INTERNAL", "PLAN_LIMIT"]));
  expect(["OK", "INVALID_ARGUMENT", "NOT_FOUND", "CANCELLED"].filter((outcome) => refundedOutcomes.includes(outcome))).toEqual([]);
});
