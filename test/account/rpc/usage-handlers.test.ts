import { create, isMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { UsageDimension as Dimension, GetUsageRequestSchema, UsageMeasure } from "../../../gen/quintet/account/v1/usage_pb.js";
import { reportQueueFull, tooManyCalls } from "../../../src/account/refusals.ts";
import { createUsageHandlers } from "../../../src/account/rpc/usage-handlers.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { invalidArgument } from "../../../src/problem/problem.ts";
import type { RefusalCount, UsageCount } from "../../../src/store/usage-records.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { me, openTwoAccounts, other, type TwoAccounts } from "./two-accounts.ts";

const search = "quintet.radio.v1.RadioService/SearchStations";
const count: UsageCount = {
  accountId: "a-1",
  keyId: "k-1",
  service: "radio",
  method: search,
  day: "2026-11-20",
  hour: 9,
  outcome: "OK",
  calls: 1,
};

const refusal: RefusalCount = {
  accountId: "a-1",
  keyId: "k-1",
  service: "radio",
  day: "2026-11-20",
  hour: 9,
  reason: "RATE_LIMITED",
  calls: 1,
  rateNeeded: 9,
};

const month = { month: "2026-11", resetsAt: timestampFromMs(Date.UTC(2026, 11, 1)) };
const radio = {
  subscriptionId: "s-1",
  service: "radio",
  plan: "free",
  ...month,
  callsPerMonth: 20_000,
  counted: 8,
  credited: 0,
  remaining: 19_992,
  refusedForRate: 214,
  refusedForQuota: 6,
  sufficientRequestsPerSecond: 15,
};
const farkle = {
  subscriptionId: "s-2",
  service: "farkle",
  plan: "starter",
  ...month,
  callsPerMonth: 56_700,
  remaining: 56_700,
  counted: 16,
  credited: 0,
  refusedForRate: 0,
  refusedForQuota: 0,
};
const span = { fromDay: "2026-11-01", toDay: "2026-11-21" };

// Counts of two days, keys, services and outcomes; all but 4 of the calls count.
async function open(): Promise<TwoAccounts> {
  const scene = await openTwoAccounts();
  const { store } = scene;
  await store.createSubscription({ id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" });
  await store.createSubscription({ id: "s-2", accountId: "a-1", service: "farkle", plan: "starter", state: "active" });
  await store.lease("s-1", "2026-11", 20_000, 8);
  await store.addUsage(
    [
      { ...count, day: "2026-10-31", calls: 900 },
      { ...count, day: "2026-11-19", calls: 1 },
      { ...count, keyId: "k-2", outcome: "NOT_FOUND", calls: 7 },
      { ...count, outcome: "UPSTREAM_FAILED", calls: 4 },
      { ...count, service: "farkle", method: "quintet.farkle.v1.FarkleService/Score", calls: 16 },
      { ...count, accountId: "a-2", calls: 900 },
    ],
    newBatch(),
  );
  await store.addRefusals(
    [
      { ...refusal, calls: 200 },
      { ...refusal, day: "2026-11-19", keyId: "k-2", calls: 14, rateNeeded: 15 },
      { ...refusal, reason: "QUOTA_EXCEEDED", calls: 6, rateNeeded: 13 },
      { ...refusal, reason: "KEY_REVOKED", keyId: "k-2", calls: 3, rateNeeded: 0 },
      { ...refusal, day: "2026-10-31", calls: 900, rateNeeded: 900 },
      { ...refusal, service: "farkle", reason: "KEY_EXPIRED", calls: 2, rateNeeded: 0 },
      { ...refusal, accountId: "a-2", calls: 900, rateNeeded: 900 },
    ],
    newBatch(),
  );
  return scene;
}

type Wish = MessageInitShape<typeof GetUsageRequestSchema>;

// The report, with its counts as numbers.
const requested = async ({ handlers }: TwoAccounts, wish: Wish, who = me) =>
  withNumbers(await handlers.getUsage(create(GetUsageRequestSchema, wish), who)) as Report;

interface Report {
  readonly standings?: readonly object[];
  readonly total: number;
  readonly nextOffset?: number;
  readonly results: readonly object[];
}

function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") {
    return Number(value);
  }
  if (Array.isArray(value)) {
    return value.map(withNumbers);
  }
  return typeof value === "object" && value !== null && !isMessage(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNumbers(one)]))
    : value;
}

const refused = (scene: TwoAccounts, wish: Wish, who = me) => requested(scene, { measure: UsageMeasure.REFUSALS, ...wish }, who);

describe("Response times", () => {
  const getLatency = (scene: TwoAccounts, wish: Wish, who = me) =>
    requested(scene, { measure: UsageMeasure.LATENCY, ...wish }, who);
  const timed = async () => {
    const scene = await openTwoAccounts();
    const latency = { accountId: "a-1", service: "farkle", hour: "2026-11-20T09" } as const;
    await scene.store.addLatency([
      { ...latency, latency: [90, 5, 4, 1] },
      { ...latency, service: "radio", hour: "2026-11-21T10", latency: [0, 0, 0, 0, 0, 0, 0, 10] },
      { ...latency, hour: "2026-10-31T10", latency: [9000] },
      { ...latency, accountId: "a-2", latency: [9000] },
    ]);
    return scene;
  };

  test("are shown by service, for this month by default", async () => {
    expect(await getLatency(await timed(), {})).toEqual({
      ...span,
      total: 2,
      results: [
        { service: "farkle", calls: 100, medianMs: 0.1, p95Ms: 0.5, p99Ms: 1 },
        { service: "radio", calls: 10, medianMs: 24, p95Ms: 31.2, p99Ms: 31.8 },
      ],
    });
  });

  test("are shown by hour and by month, for one service", async () => {
    const scene = await timed();
    const times = { calls: 10, medianMs: 24, p95Ms: 31.2, p99Ms: 31.8 };
    expect((await getLatency(scene, { service: "radio", groupBy: [Dimension.HOUR] })).results).toEqual([
      { hour: timestampFromMs(Date.UTC(2026, 10, 21, 10)), ...times },
    ]);
    expect((await getLatency(scene, { service: "radio", groupBy: [Dimension.MONTH, Dimension.DAY] })).results).toEqual([
      { month: "2026-11", day: "2026-11-21", ...times },
    ]);
  });

  test("of others are not shown", async () => {
    expect((await getLatency(await timed(), {}, other)).results).toMatchObject([{ service: "farkle", calls: 9000 }]);
  });
});

test("by default this month is shown day by day, with the subscriptions' status", async () => {
  expect(await requested(await open(), {})).toEqual({
    standings: [radio, farkle],
    ...span,
    total: 2,
    results: [
      { day: "2026-11-19", calls: 1, failed: 0, counted: 1 },
      { day: "2026-11-20", calls: 27, failed: 11, counted: 23 },
    ],
  });
});

describe("the history is grouped by", () => {
  const score = "quintet.farkle.v1.FarkleService/Score";
  test.for<{ names: string; groupBy: Dimension[]; results: readonly object[] }>([
    {
      names: "day",
      groupBy: [Dimension.DAY],
      results: [
        { day: "2026-11-19", calls: 1, failed: 0, counted: 1 },
        { day: "2026-11-20", calls: 27, failed: 11, counted: 23 },
      ],
    },
    {
      names: "service",
      groupBy: [Dimension.SERVICE],
      results: [
        { service: "farkle", calls: 16, failed: 0, counted: 16 },
        { service: "radio", calls: 12, failed: 11, counted: 8 },
      ],
    },
    {
      names: "method",
      groupBy: [Dimension.METHOD],
      results: [
        { method: score, calls: 16, failed: 0, counted: 16 },
        { method: search, calls: 12, failed: 11, counted: 8 },
      ],
    },
    {
      names: "outcome",
      groupBy: [Dimension.OUTCOME],
      results: [
        { outcome: "NOT_FOUND", calls: 7, failed: 7, counted: 7 },
        { outcome: "OK", calls: 17, failed: 0, counted: 17 },
        { outcome: "UPSTREAM_FAILED", calls: 4, failed: 4, counted: 0 },
      ],
    },
    {
      names: "key",
      groupBy: [Dimension.KEY],
      results: [
        { keyId: "k-1", calls: 21, failed: 4, counted: 17 },
        { keyId: "k-2", calls: 7, failed: 7, counted: 7 },
      ],
    },
    {
      names: "key and day",
      groupBy: [Dimension.KEY, Dimension.DAY],
      results: [
        { keyId: "k-1", day: "2026-11-19", calls: 1, failed: 0, counted: 1 },
        { keyId: "k-1", day: "2026-11-20", calls: 20, failed: 4, counted: 16 },
        { keyId: "k-2", day: "2026-11-20", calls: 7, failed: 7, counted: 7 },
      ],
    },
    { names: "month", groupBy: [Dimension.MONTH], results: [{ month: "2026-11", calls: 28, failed: 11, counted: 24 }] },
  ])("$names", async ({ groupBy, results }) => {
    const { standings: _, ...history } = await requested(await open(), { groupBy });
    expect(history).toEqual({ ...span, total: results.length, results });
  });
});

describe("of the history", () => {
  const rows = [
    { day: "2026-10-31", calls: 900, failed: 0, counted: 900 },
    { day: "2026-11-19", calls: 1, failed: 0, counted: 1 },
    { day: "2026-11-20", calls: 11, failed: 11, counted: 7 },
  ];
  const wish = { service: "radio", fromDay: "2026-10-01", toDay: "2026-11-20" };

  test.for<{ page: object; results: typeof rows; nextOffset?: number }>([
    { page: {}, results: rows },
    { page: { limit: 2 }, results: rows.slice(0, 2), nextOffset: 2 },
    { page: { limit: 2, offset: 2 }, results: rows.slice(2) },
    { page: { offset: 1 }, results: rows.slice(1) },
    { page: { offset: 3 }, results: [] },
    { page: { limit: 1, offset: 1_000_000 }, results: [] },
  ])("the response has one service, and $page of its history", async ({ page, results, nextOffset }) => {
    expect(await requested(await open(), { ...wish, ...page })).toEqual({
      standings: [radio],
      fromDay: "2026-10-01",
      toDay: "2026-11-20",
      total: 3,
      ...(nextOffset !== undefined && { nextOffset }),
      results,
    });
  });

  test("a page has 100 rows by default", async () => {
    const scene = await open();
    await scene.store.addUsage(
      Array.from({ length: 150 }, (_, index) => ({ ...count, accountId: "a-2", keyId: `k-${index}` })),
      newBatch(),
    );
    const history = await requested(scene, { groupBy: [Dimension.KEY] }, other);
    expect([history.standings, history.total, history.nextOffset, history.results.length]).toEqual([[], 150, 100, 100]);
  });
});

describe("by hour", () => {
  const hourAt = (day: number) => timestampFromMs(Date.UTC(2026, 10, day, 9));

  test("the history is of yesterday and today by default", async () => {
    const { standings: _, ...history } = await requested(await open(), { groupBy: [Dimension.HOUR, Dimension.SERVICE] });
    const results = [
      { hour: hourAt(20), service: "farkle", calls: 16, failed: 0, counted: 16 },
      { hour: hourAt(20), service: "radio", calls: 11, failed: 11, counted: 7 },
    ];
    expect(history).toEqual({ fromDay: "2026-11-20", toDay: "2026-11-21", total: 2, results });
  });

  test("it goes back seven days", async () => {
    const scene = await open();
    const wish = { groupBy: [Dimension.HOUR], fromDay: "2026-11-14", toDay: "2026-11-19" };
    expect((await requested(scene, wish)).results).toEqual([{ hour: hourAt(19), calls: 1, failed: 0, counted: 1 }]);
    const description = "must not be before 2026-11-14: hours are kept for 7 days; group by day to see further back";
    const fault = new Failure(invalidArgument([{ field: "from_day", description }]));
    await expect(requested(scene, { ...wish, fromDay: "2026-11-13" })).rejects.toThrow(fault);
    await expect(requested(scene, { ...wish, fromDay: undefined, toDay: "2026-11-14" })).rejects.toThrow(fault);
  });

  test("an invalid last day is refused", async () => {
    const fault = { field: "to_day", description: 'must be a day such as 2026-11-21, not "2026-11-31"' };
    const wish = { groupBy: [Dimension.HOUR], toDay: "2026-11-31" };
    await expect(requested(await open(), wish)).rejects.toThrow(new Failure(invalidArgument([fault])));
  });
});

describe("refusals are counted", () => {
  test.for<{ names: string; wish: Wish; results: readonly object[] }>([
    {
      names: "by reason",
      wish: {},
      results: [
        { outcome: "KEY_EXPIRED", calls: 2 },
        { outcome: "KEY_REVOKED", calls: 3 },
        { outcome: "QUOTA_EXCEEDED", calls: 6 },
        { outcome: "RATE_LIMITED", calls: 214 },
      ],
    },
    {
      names: "of a service by day and key",
      wish: { service: "radio", groupBy: [Dimension.DAY, Dimension.KEY] },
      results: [
        { day: "2026-11-19", keyId: "k-2", calls: 14 },
        { day: "2026-11-20", keyId: "k-1", calls: 206 },
        { day: "2026-11-20", keyId: "k-2", calls: 3 },
      ],
    },
    {
      names: "by service",
      wish: { groupBy: [Dimension.SERVICE] },
      results: [
        { service: "farkle", calls: 2 },
        { service: "radio", calls: 223 },
      ],
    },
  ])("$names", async ({ wish, results }) => {
    expect(await refused(await open(), wish)).toEqual({
      ...span,
      total: results.length,
      results,
    });
  });

  test("by hour, of yesterday and today by default, and seven days back", async () => {
    const scene = await open();
    const hour = (day: number) => timestampFromMs(Date.UTC(2026, 10, day, 9));
    const wish = { groupBy: [Dimension.HOUR, Dimension.OUTCOME], service: "radio" };
    expect(await refused(scene, wish)).toEqual({
      fromDay: "2026-11-20",
      toDay: "2026-11-21",
      total: 3,
      results: [
        { hour: hour(20), outcome: "KEY_REVOKED", calls: 3 },
        { hour: hour(20), outcome: "QUOTA_EXCEEDED", calls: 6 },
        { hour: hour(20), outcome: "RATE_LIMITED", calls: 200 },
      ],
    });
    const days = { fromDay: "2026-11-14", toDay: "2026-11-19" };
    expect((await refused(scene, { ...wish, ...days })).results).toEqual([{ hour: hour(19), outcome: "RATE_LIMITED", calls: 14 }]);
    const description = "must not be before 2026-11-14: hours are kept for 7 days; group by day to see further back";
    const fault = new Failure(invalidArgument([{ field: "from_day", description }]));
    await expect(refused(scene, { ...wish, fromDay: "2026-11-13" })).rejects.toThrow(fault);
  });

  test("of other months, a page at a time", async () => {
    const wish = { groupBy: [Dimension.MONTH], fromDay: "2026-10-01", toDay: "2026-11-30", limit: 1 };
    expect(await refused(await open(), wish)).toEqual({
      fromDay: "2026-10-01",
      toDay: "2026-11-30",
      total: 2,
      nextOffset: 1,
      results: [{ month: "2026-10", calls: 900 }],
    });
  });

  test("within a valid span, and as often as the history", async () => {
    const scene = await open();
    const fault = { field: "from_day", description: "must not be after 2026-11-21" };
    await expect(refused(scene, { fromDay: "2026-11-22" })).rejects.toThrow(new Failure(invalidArgument([fault])));
    // A request that is refused for its input counts too.
    for (let made = 0; made < 20; made += 1) {
      await Promise.all([refused(scene, {}), ...(made < 19 ? [requested(scene, {})] : [])]);
    }
    await expect(refused(scene, {})).rejects.toThrow(new Failure(tooManyCalls(500)));
  });
});

test("counts that do not fit in 32 bits are exact", async () => {
  const scene = await open();
  const many = 3_000_000_001;
  await scene.store.addUsage([{ ...count, accountId: "a-2", day: "2026-11-21", calls: many }], newBatch());
  await scene.store.addRefusals([{ ...refusal, accountId: "a-2", day: "2026-11-21", calls: many }], newBatch());
  await scene.store.createSubscription({ id: "s-3", accountId: "a-2", service: "radio", plan: "free", state: "active" });
  const wish = { fromDay: "2026-11-21" };
  const calls = await requested(scene, wish, other);
  expect(calls.results).toEqual([{ day: "2026-11-21", calls: many, failed: 0, counted: many }]);
  expect(calls.standings).toMatchObject([{ counted: many + 900, refusedForRate: many + 900 }]);
  expect((await refused(scene, wish, other)).results).toEqual([{ outcome: "RATE_LIMITED", calls: many }]);
});

test.for([
  {
    measure: UsageMeasure.REFUSALS,
    by: Dimension.METHOD,
    description: "cannot be method for this measure, only day, service, outcome, key, hour, month",
  },
  {
    measure: UsageMeasure.LATENCY,
    by: Dimension.KEY,
    description: "cannot be key for this measure, only day, service, hour, month",
  },
])("a measure is grouped only by what is known of it: $description", async ({ measure, by, description }) => {
  const wish = { measure, groupBy: [Dimension.DAY, by] };
  await expect(requested(await open(), wish)).rejects.toThrow(
    new Failure(invalidArgument([{ field: "group_by[1]", description }])),
  );
});

test("an invalid span is refused", async () => {
  const fault = { field: "from_day", description: 'must be a day such as 2026-11-21, not "2026-02-30"' };
  await expect(requested(await open(), { fromDay: "2026-02-30" })).rejects.toThrow(new Failure(invalidArgument([fault])));
});

test("an account may request its history 40 times, then twice a second", async () => {
  const scene = await open();
  for (let made = 0; made < 40; made += 10) {
    await Promise.all(Array.from({ length: 10 }, () => requested(scene, {})));
  }
  await expect(requested(scene, {})).rejects.toThrow(new Failure(tooManyCalls(500)));
  expect((await requested(scene, {}, other)).total).toBe(1);
  scene.clock.advance(499);
  await expect(requested(scene, {})).rejects.toThrow(new Failure(tooManyCalls(1)));
  scene.clock.advance(1);
  expect((await requested(scene, {})).total).toBe(2);
});

// The handlers, with a store that reads rows of usage with this function.
const handlersOver = (scene: Awaited<ReturnType<typeof open>>, usageRows: (typeof scene)["store"]["usageRows"]) =>
  createUsageHandlers({ ...scene, unspent: () => 0, store: { ...scene.store, usageRows } });

test("one account's history is added up at a time, 20 wait, and more are refused", async () => {
  const scene = await open();
  const counts = { atWork: 0, most: 0 };
  const handlers = handlersOver(scene, async (query) => {
    counts.atWork++;
    counts.most = Math.max(counts.most, counts.atWork);
    const rows = await scene.store.usageRows(query);
    counts.atWork--;
    return rows;
  });
  const request = (index: number) => handlers.getUsage(create(GetUsageRequestSchema), { ...me, accountId: `a-${index + 1}` });
  const requested = Array.from({ length: 21 }, (_, index) => request(index));
  await expect(request(21)).rejects.toThrow(new Failure(reportQueueFull()));
  expect((await Promise.all(requested)).map(({ total }) => total)).toEqual([2, 1, ...Array(19).fill(0)]);
  expect(counts).toEqual({ atWork: 0, most: 1 });
});

test("an account with many requests does not delay others: the next account has its turn after one of them", async () => {
  const scene = await open();
  const order: string[] = [];
  const handlers = handlersOver(scene, (query) => {
    order.push(query.accountId);
    return scene.store.usageRows(query);
  });
  const usage = (accountId: string) => handlers.getUsage(create(GetUsageRequestSchema), { ...me, accountId });
  const refusals = (accountId: string) =>
    handlers.getUsage(create(GetUsageRequestSchema, { measure: UsageMeasure.REFUSALS }), { ...me, accountId });
  const greedy = Array.from({ length: 10 }, () => usage("a-1"));
  const crowd = Array.from({ length: 11 }, (_, index) => refusals(`a-${index + 3}`));
  // The queue is full, so the newest request of the account with the most requests is refused.
  const late = usage("a-2");
  const outcomes = await Promise.allSettled([...greedy, ...crowd, late]);
  const refused = outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [[index, outcome.reason]] : []));
  expect(refused).toEqual([[9, new Failure(reportQueueFull())]]);
  // Each history reads the store twice.
  expect(order.filter((_, index) => index % 2 === 0)).toEqual(["a-1", "a-1", "a-2", ...Array(7).fill("a-1")]);
});
