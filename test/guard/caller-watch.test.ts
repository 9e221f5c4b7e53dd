// Callers who stay connected for longer than one call: when they are checked again, and when they must stop.
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
  /** The keys of the callers that were checked. */
  readonly checked: string[];
  /** The callers that were notified to stop, each with the reason. */
  readonly notified: string[];
  /** Key → why it may not call. */
  readonly refusals: Map<string, Refused>;
  /** Begins to watch a caller with a key; returns a function that stops it. */
  add(accountId: string, key: string): () => void;
}

function startWatch(): Watching {
  const clock = createManualClock({ nowMs: 0 });
  const nodeStatus = new NodeStatus();
  const checked: string[] = [];
  const notified: string[] = [];
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
    notified,
    refusals,
    add: (accountId, key) =>
      watch.add(accountId, { key, address: ADDRESS, service: "token-price", method: METHOD }, ({ problem }) =>
        notified.push(`${key} ${problem.reason}`),
      ),
  };
}

test("after a change the account's callers are checked, and those no longer admitted are notified once", async () => {
  const { watch, add, refusals, checked, notified, clock } = startWatch();
  add("acme", "a-1");
  add("acme", "a-2");
  add("beta", "b-1");
  refusals.set("a-2", revoked).set("b-1", revoked);
  watch.changed("acme");
  await settled();
  expect([checked, notified]).toEqual([["a-1", "a-2"], ["a-2 KEY_REVOKED"]]);
  watch.changed("acme");
  watch.changed("nobody");
  await settled();
  expect([checked, notified]).toEqual([["a-1", "a-2", "a-1"], ["a-2 KEY_REVOKED"]]);
  expect(clock.pending).toBe(0);
});

test("after a change that may concern any account, all callers are checked", async () => {
  const { watch, add, refusals, checked, notified } = startWatch();
  add("acme", "a-1");
  add("beta", "b-1");
  refusals.set("b-1", revoked);
  watch.changed();
  await settled();
  expect([checked, notified]).toEqual([["a-1", "b-1"], ["b-1 KEY_REVOKED"]]);
});

test("a caller whose key cannot be checked is checked again every second, and notified of the result", async () => {
  const { watch, add, refusals, checked, notified, clock } = startWatch();
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
  expect(notified).toEqual([]);
  refusals.set("a-1", revoked);
  clock.advance(1000);
  await settled();
  expect(notified).toEqual(["a-1 KEY_REVOKED"]);
  expect(clock.pending).toBe(0);
});

test("however many changes arrive while checks fail, each caller is checked once a second", async () => {
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

test("a caller who has left is neither checked nor notified, even if a check was in progress", async () => {
  const { watch, add, refusals, checked, notified, clock } = startWatch();
  const removals = [add("acme", "a-1"), add("acme", "a-2")];
  refusals.set("a-1", revoked).set("a-2", unavailable);
  watch.changed("acme");
  removals[0]?.();
  await settled();
  removals[1]?.();
  clock.advance(10_000);
  watch.changed("acme");
  await settled();
  expect([checked, notified]).toEqual([["a-1", "a-2"], []]);
  expect(clock.pending).toBe(0);
});

test("all callers are notified when contact to the store is lost for too long, and none earlier", async () => {
  const { add, nodeStatus, notified, clock } = startWatch();
  nodeStatus.setFreshUntil(10_000);
  add("acme", "a-1");
  add("beta", "b-1");
  clock.advance(9000);
  nodeStatus.setFreshUntil(19_000);
  clock.advance(9999);
  await settled();
  expect(notified).toEqual([]);
  clock.advance(1);
  await settled();
  expect(notified).toEqual(["a-1 LIMITS_UNAVAILABLE", "b-1 LIMITS_UNAVAILABLE"]);
  expect(clock.pending).toBe(0);
});

test("a caller who could not be checked is notified if the store stays silent", async () => {
  const { watch, add, nodeStatus, refusals, notified, clock } = startWatch();
  nodeStatus.setFreshUntil(10_000);
  add("acme", "a-1");
  refusals.set("a-1", unavailable);
  watch.changed("acme");
  await settled();
  for (let second = 1; second < 10; second++) {
    clock.advance(1000);
    await settled();
  }
  expect(notified).toEqual([]);
  clock.advance(1000);
  await settled();
  expect(notified).toEqual(["a-1 LIMITS_UNAVAILABLE"]);
});

test("without a deadline for changes there is no timer", () => {
  const { add, clock } = startWatch();
  const remove = add("acme", "a-1");
  expect(clock.pending).toBe(0);
  remove();
  expect(clock.pending).toBe(0);
});
