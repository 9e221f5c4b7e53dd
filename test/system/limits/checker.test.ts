// The checker, on hand-made records: correct records pass, and each broken guarantee is named.
import { describe, expect, test } from "vitest";
import { check } from "./checker.ts";
import type { CallRecord, Event, History, Outcome, UsageRow } from "./history.ts";

const MONTH = "2026-11";

/** A call that was decided on between `atMs` and a millisecond later. */
const call = (atMs: number, outcome: Outcome = "OK", changes: Partial<CallRecord> = {}): CallRecord => ({
  node: "a",
  subscription: "scores",
  key: "first",
  protocol: "rest",
  startMs: atMs,
  endMs: atMs + 1,
  outcome,
  month: outcome === "lost" ? undefined : MONTH,
  ...changes,
});

const calls = (count: number, outcome: Outcome = "OK", changes: Partial<CallRecord> = {}): CallRecord[] =>
  Array.from({ length: count }, (_, index) => call(1000 + 10 * index, outcome, changes));

const row = (count: number, changes: Partial<UsageRow> = {}): UsageRow => ({
  subscription: "scores",
  key: "first",
  month: MONTH,
  outcome: "OK",
  calls: count,
  ...changes,
});

interface Scene {
  readonly calls?: readonly CallRecord[];
  readonly events?: readonly Event[];
  readonly taken?: number;
  readonly usage?: readonly UsageRow[];
  readonly rate?: number;
  readonly sharedRate?: boolean;
}

/** A quota of ten calls; a process holds at most two of them. */
const history = ({ rate = 1000, sharedRate = true, ...scene }: Scene): History => ({
  subscriptions: [{ name: "scores", callsPerMonth: 10, requestsPerSecond: rate, leaseMax: 2, usedUp: true }],
  sharedRate,
  callersPerNode: 1,
  calls: scene.calls ?? calls(10),
  events: [{ kind: "node started", node: "a", atMs: 0 }, ...(scene.events ?? [])],
  taken: [{ subscription: "scores", month: MONTH, calls: scene.taken ?? 10 }],
  usage: scene.usage ?? [row(10)],
  lastMonth: MONTH,
});

const killed: Event = { kind: "node killed", node: "a", atMs: 1055 };
const failed: Event = { kind: "database failed", fromMs: 1040, untilMs: 1060 };
const turned: Event = { kind: "month changed", node: "a", fromMs: 1000, untilMs: 1200 };

describe("passes", () => {
  test.each<[string, Scene]>([
    ["the whole quota, and refusals after it", { calls: [...calls(10), ...calls(40, "QUOTA_EXCEEDED")] }],
    [
      "refunds in addition to the whole quota",
      { calls: [...calls(10), ...calls(5, "UPSTREAM_FAILED")], usage: [row(10), row(5, { outcome: "UPSTREAM_FAILED" })] },
    ],
    [
      "a caller's mistake that counts",
      { calls: [...calls(9), call(1500, "INVALID_ARGUMENT")], usage: [row(9), row(1, { outcome: "INVALID_ARGUMENT" })] },
    ],
    ["two keys", { calls: [...calls(6), ...calls(4, "OK", { key: "second" })], usage: [row(6), row(4, { key: "second" })] }],
    ["a lease that was lost with its node", { calls: calls(8), events: [killed], usage: [row(8)] }],
    [
      "a refund that was being returned when its node died",
      {
        calls: [...calls(7), call(1054, "UPSTREAM_FAILED")],
        events: [killed],
        usage: [row(7), row(1, { outcome: "UPSTREAM_FAILED" })],
      },
    ],
    ["usage that was lost with its node", { events: [killed], usage: [row(4)] }],
    ["a response that was lost with its node, and counted", { calls: [...calls(9), call(1500, "lost")] }],
    ["a response that was lost with its node, and did not count", { calls: [...calls(10), call(1500, "lost")] }],
    ["a lease that the database granted in vain", { calls: calls(6), events: [failed], usage: [row(6)] }],
    ["usage that was written twice because the first write was not confirmed", { events: [failed], usage: [row(20)] }],
    ["a lease that was left behind in a month", { calls: calls(8), events: [turned], usage: [row(8)] }],
    [
      "a refund that came too late for its month",
      {
        calls: [...calls(9), call(1100, "UPSTREAM_FAILED")],
        events: [turned],
        usage: [row(9), row(1, { outcome: "UPSTREAM_FAILED" })],
      },
    ],
    [
      "the burst, and the rate after it",
      { calls: [0, 0, 250, 500, 750, 1000].map((ms) => call(5000 + ms)), rate: 4, usage: [row(6)], events: [failed] },
    ],
    [
      "a second burst after a node could not use Redis",
      {
        calls: [...calls(4), ...calls(4)],
        rate: 4,
        usage: [row(8)],
        events: [failed, { kind: "rate shared out", node: "a", fromMs: 1010, untilMs: 1012, nodes: 2 }],
      },
    ],
    [
      "a second burst after the one node was started again",
      {
        calls: [...calls(4), ...calls(4)],
        rate: 4,
        sharedRate: false,
        usage: [row(8)],
        events: [failed, { kind: "node started", node: "b", atMs: 1015 }],
      },
    ],
  ])("%s", (_, scene) => {
    expect(check(history(scene))).toEqual([]);
  });
});

describe("names", () => {
  test.each<[string, Scene, string[]]>([
    [
      "a call over the quota",
      { calls: calls(11), usage: [row(11)] },
      [
        "over the quota: scores in 2026-11 admitted 11 calls of 10",
        "admitted without a lease: scores in 2026-11 admitted 11 calls, and nodes took 10",
      ],
    ],
    ["leases over the quota", { taken: 12, events: [killed] }, ["over the quota: of scores in 2026-11 nodes took 12 calls of 10"]],
    [
      "a call without a lease",
      { calls: calls(8), taken: 7, usage: [row(8)], events: [killed] },
      ["admitted without a lease: scores in 2026-11 admitted 8 calls, and nodes took 7"],
    ],
    [
      "a call that was lost without a failure",
      { calls: calls(9), usage: [row(9)] },
      [
        "lost too many: of scores in 2026-11 nodes took 10, 9 were admitted, and 0 + 0 may be lost",
        "under the quota: scores in 2026-11 admitted 9 calls of 10, and 0 + 0 may be lost",
      ],
    ],
    [
      "more calls lost than a lease",
      { calls: calls(7), events: [killed], usage: [row(7)] },
      [
        "lost too many: of scores in 2026-11 nodes took 10, 7 were admitted, and 2 + 0 may be lost",
        "under the quota: scores in 2026-11 admitted 7 calls of 10, and 2 + 0 may be lost",
      ],
    ],
    [
      "calls that were refused although quota was left",
      { calls: calls(7), taken: 7, usage: [row(7)] },
      ["under the quota: scores in 2026-11 admitted 7 calls of 10, and 0 + 0 may be lost"],
    ],
    [
      "a refund that was charged",
      { calls: [...calls(9), call(1100, "UPSTREAM_FAILED")], usage: [row(9), row(1, { outcome: "UPSTREAM_FAILED" })] },
      [
        "lost too many: of scores in 2026-11 nodes took 10, 9 were admitted, and 0 + 0 may be lost",
        "under the quota: scores in 2026-11 admitted 9 calls of 10, and 0 + 0 may be lost",
      ],
    ],
    [
      "a call over the rate",
      {
        calls: [
          ...Array.from({ length: 5 }, () => call(1000)),
          ...Array.from({ length: 5 }, (_, index) => call(9000 + 1000 * index)),
        ],
        rate: 4,
      },
      ["over the rate: scores admitted 5 calls in 1.0 ms at 4/s, where 4.0 are allowed"],
    ],
    [
      "a second burst, even though the database failed",
      { calls: [...calls(5), ...calls(5)], rate: 4, events: [failed] },
      ["over the rate: scores admitted 10 calls in 41.0 ms at 4/s, where 4.2 are allowed"],
    ],
    ["missing usage", { usage: [row(9)] }, ["usage differs: scores, first, 2026-11, OK has 9 calls, fewer than 10"]],
    ["too much usage", { usage: [row(11)] }, ["usage differs: scores, first, 2026-11, OK has 11 calls, more than 10"]],
    [
      "usage of a refusal",
      { usage: [row(10), row(1, { outcome: "QUOTA_EXCEEDED" })] },
      ["usage differs: scores, first, 2026-11, QUOTA_EXCEEDED has 1 calls, more than 0"],
    ],
    [
      "usage that a node had long written before it died",
      { calls: calls(10), events: [{ ...killed, atMs: 9000 }], usage: [row(9)] },
      ["usage differs: scores, first, 2026-11, OK has 9 calls, fewer than 10"],
    ],
    ["a defect", { calls: [...calls(10), call(1500, "INTERNAL")] }, ["unexpected response: 1 × INTERNAL"]],
    ["a good key that was refused", { calls: [...calls(10), call(1500, "KEY_INVALID")] }, ["unexpected response: 1 × KEY_INVALID"]],
  ])("%s", (_, scene, wrong) => {
    expect(check(history(scene))).toEqual(wrong);
  });
});
