// Callers who stay for longer than one call: when they are looked at again, and when they are told to go.
import { expect, test } from "vitest";
import { CallerWatch } from "../../src/guard/caller-watch.ts";
import type { AdmissionRequest, Refused } from "../../src/guard/guard.ts";
import { keyRevoked } from "../../src/guard/keys/key-refusals.ts";
import { keyStatusUnknown, limitsUnavailable } from "../../src/guard/refusals.ts";
import { NodeStatus } from "../../src/store/node-status.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { ADDRESS, METHOD, settled } from "./scene.ts";

const revoked: Refused = { admitted: false, problem: keyRevoked() };
const unavailable: Refused = { admitted: false, problem: limitsUnavailable("token-price") };
const stale: Refused = { admitted: false, problem: keyStatusUnknown("token-price") };

interface Watching {
  readonly clock: ManualClock;
  readonly nodeStatus: NodeStatus;
  readonly watch: CallerWatch;
  /** The keys of the callers that were looked at. */
  readonly checked: string[];
  /** The callers that were told to go, each with the reason. */
  readonly told: string[];
  /** Key → why it may not call. */
  readonly refusals: Map<string, Refused>;
  /** Begins to watch a caller with a key; returns what stops that. */
  add(accountId: string, key: string): () => void;
}

function startWatch(): Watching {
  const clock = createManualClock({ nowMs: 0 });
  const nodeStatus = new NodeStatus();
  const checked: string[] = [];
  const told: string[] = [];
  const refusals = new Map<string, Refused>();
  const check = async ({ key = "" }: AdmissionRequest): Promise<Refused | undefined> => {
    checked.push(key);
    return nodeStatus.isStale(clock.monotonicMs()) ? stale : refusals.get(key);
  };
  const watch = new CallerWatch({ clock, nodeStatus, check });
  return {
    clock,
    nodeStatus,
    watch,
    checked,
    told,
    refusals,
    add: (accountId, key) =>
      watch.add(accountId, { key, address: ADDRESS, service: "token-price", method: METHOD }, ({ problem }) =>
        told.push(`${key} ${problem.reason}`),
      ),
  };
}

test("after a change the callers of that account are checked, and those who may not go on are called back once", async () => {
  const { watch, add, refusals, checked, told, clock } = startWatch();
  add("acme", "a-1");
  add("acme", "a-2");
  add("beta", "b-1");
  refusals.set("a-2", revoked).set("b-1", revoked);
  watch.changed("acme");
  await settled();
  expect([checked, told]).toEqual([["a-1", "a-2"], ["a-2 KEY_REVOKED"]]);
  watch.changed("acme");
  watch.changed("nobody");
  await settled();
  expect([checked, told]).toEqual([["a-1", "a-2", "a-1"], ["a-2 KEY_REVOKED"]]);
  expect(clock.pending).toBe(0);
});

test("after a change that may be of any account all callers are checked", async () => {
  const { watch, add, refusals, checked, told } = startWatch();
  add("acme", "a-1");
  add("beta", "b-1");
  refusals.set("b-1", revoked);
  watch.changed();
  await settled();
  expect([checked, told]).toEqual([["a-1", "b-1"], ["b-1 KEY_REVOKED"]]);
});

test("a caller whose key cannot be checked is checked again every second, and called back with what is found", async () => {
  const { watch, add, refusals, checked, told, clock } = startWatch();
  add("acme", "a-1");
  refusals.set("a-1", unavailable);
  watch.changed("acme");
  await settled();
  for (const looks of [1, 2]) {
    clock.advance(999);
    await settled();
    expect(checked).toHaveLength(looks);
    clock.advance(1);
    await settled();
    expect(checked).toHaveLength(looks + 1);
  }
  expect(told).toEqual([]);
  refusals.set("a-1", revoked);
  clock.advance(1000);
  await settled();
  expect(told).toEqual(["a-1 KEY_REVOKED"]);
  expect(clock.pending).toBe(0);
});

test("however many changes come while nobody can be checked, each caller is checked once a second", async () => {
  const { watch, add, refusals, checked, clock } = startWatch();
  const remove = add("acme", "a-1");
  refusals.set("a-1", unavailable);
  for (let change = 0; change < 10; change++) {
    watch.changed("acme");
  }
  await settled();
  expect(clock.pending).toBe(1);
  const looks = checked.length;
  clock.advance(1000);
  await settled();
  expect(checked).toHaveLength(looks + 1);
  remove();
  expect(clock.pending).toBe(0);
});

test("a caller who has gone is neither checked nor called back, even if a check was under way", async () => {
  const { watch, add, refusals, checked, told, clock } = startWatch();
  const removals = [add("acme", "a-1"), add("acme", "a-2")];
  refusals.set("a-1", revoked).set("a-2", unavailable);
  watch.changed("acme");
  removals[0]?.();
  await settled();
  removals[1]?.();
  clock.advance(10_000);
  watch.changed("acme");
  await settled();
  expect([checked, told]).toEqual([["a-1", "a-2"], []]);
  expect(clock.pending).toBe(0);
});

test("when nothing is heard of the store for too long, all are told, and nobody before", async () => {
  const { add, nodeStatus, told, clock } = startWatch();
  nodeStatus.setFreshUntil(10_000);
  add("acme", "a-1");
  add("beta", "b-1");
  clock.advance(9000);
  nodeStatus.setFreshUntil(19_000);
  clock.advance(9999);
  await settled();
  expect(told).toEqual([]);
  clock.advance(1);
  await settled();
  expect(told).toEqual(["a-1 LIMITS_UNAVAILABLE", "b-1 LIMITS_UNAVAILABLE"]);
  expect(clock.pending).toBe(0);
});

test("a caller who could not be checked is called back when the store stays silent", async () => {
  const { watch, add, nodeStatus, refusals, told, clock } = startWatch();
  nodeStatus.setFreshUntil(10_000);
  add("acme", "a-1");
  refusals.set("a-1", unavailable);
  watch.changed("acme");
  await settled();
  for (let second = 1; second < 10; second++) {
    clock.advance(1000);
    await settled();
  }
  expect(told).toEqual([]);
  clock.advance(1000);
  await settled();
  expect(told).toEqual(["a-1 LIMITS_UNAVAILABLE"]);
});

test("where no change can be missed, nobody waits for one", () => {
  const { add, clock } = startWatch();
  const remove = add("acme", "a-1");
  expect(clock.pending).toBe(0);
  remove();
  expect(clock.pending).toBe(0);
});
