// A store across a network can fall silent. Callers are refused after the configured silence, not after the longer store timeout.
import { expect, test } from "vitest";
import { StoreBreaker } from "../../src/guard/breaker/store-breaker.ts";
import { guardLimitsOf } from "../../src/guard/guard-limits.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { createMemoryLog, createScene, credentialOf, problemOf, radioPlan, type Scene, settled } from "./scene.ts";

const limits = {
  ...guardLimitsOf({ database: {}, databaseWaitMs: 50, workers: 1 }),
  callerWaitMs: 250,
};
const plan = radioPlan("free", 1000, 100_000);
const sceneOf = (): Scene => createScene({ plans: [plan], limits });

/** A key that was never used. */
function newKeyOf(scene: Scene): string {
  const { hash, secret } = generateKey(systemRandomness);
  scene.store.credentials.set(hash, credentialOf({ key: { id: hash } }));
  return secret;
}

/** Advances the clock by this many milliseconds, one by one. */
async function pass(scene: Scene, ms: number): Promise<void> {
  for (let index = 0; index < ms; index++) {
    scene.clock.advance(1);
    await settled();
  }
}

test("a caller waits 50 ms for a silent store, and later callers do not wait", async () => {
  const scene = sceneOf();
  scene.store.fault = "silent";
  const decision = scene.admit();
  await pass(scene, 50);
  expect(problemOf(await decision).reason).toBe("LIMITS_UNAVAILABLE");
  expect(problemOf(await scene.admit({ key: newKeyOf(scene) })).reason).toBe("LIMITS_UNAVAILABLE");
  expect(scene.store.requested).toEqual(["findCredential"]);
});

test.each([1, 30, 49])("a caller who arrives %i ms after a response waits 50 ms as well", async (restMs) => {
  const scene = sceneOf();
  expect((await scene.admit()).admitted).toBe(true);
  await settled();
  await pass(scene, restMs);
  scene.store.fault = "silent";
  const queriedAtMs = scene.clock.monotonicMs();
  const refusedAfter = scene.admit({ key: newKeyOf(scene) }).then((decision) => {
    expect(problemOf(decision).reason).toBe("LIMITS_UNAVAILABLE");
    return scene.clock.monotonicMs() - queriedAtMs;
  });
  await pass(scene, 200);
  // The check for a response may run just after the caller's own timeout.
  expect([50, 51]).toContain(await refusedAfter);
});

test("a silent store counts as healthy with its first response", async () => {
  const scene = sceneOf();
  scene.store.fault = "silent";
  const decision = scene.admit();
  await pass(scene, 60);
  expect((await decision).admitted).toBe(false);
  scene.store.release();
  await settled();
  expect((await scene.admit()).admitted).toBe(true);
});

test("a store that keeps falling silent is logged once in ten seconds, and counted each time", async () => {
  const scene = sceneOf();
  const breaker = new StoreBreaker(scene.clock, scene.log, limits);
  const silence = "The store does not respond; until it does, calls are admitted from existing leases, and all others are refused";
  const beSilent = async (): Promise<void> => {
    const response = Promise.withResolvers<void>();
    const requested = breaker.run(() => response.promise);
    await pass(scene, 60);
    expect(breaker.isOpen).toBe(true);
    response.resolve();
    await requested;
    expect(breaker.isOpen).toBe(false);
  };
  await beSilent();
  await beSilent();
  expect(scene.log.lines.filter((line) => line === silence)).toHaveLength(1);
  scene.clock.advance(10_000);
  await beSilent();
  expect(scene.log.lines.filter((line) => line === silence)).toHaveLength(2);
  expect(breaker.counts).toMatchObject({ queries: 3, failed: 0, silences: 3 });
});

test("a slow store is logged once in ten seconds, and each slow response is counted", async () => {
  const scene = createScene();
  const breaker = new StoreBreaker(scene.clock, scene.log, guardLimitsOf({ database: {}, workers: 1 }));
  const responseAfter = async (ms: number): Promise<void> => {
    const response = Promise.withResolvers<void>();
    const requested = breaker.run(() => response.promise);
    scene.clock.advance(ms);
    response.resolve();
    await requested;
  };
  await responseAfter(125);
  expect(scene.log.lines).toEqual([]);
  await responseAfter(126);
  await responseAfter(200);
  expect(scene.log.lines).toEqual(["The store is slow; calls that wait for it too long are refused"]);
  scene.clock.advance(10_000);
  await responseAfter(200);
  expect(scene.log.lines).toHaveLength(2);
  expect(breaker.counts).toEqual({ queries: 4, slow: 3, failed: 0, silences: 0 });
});

test("a store that responds to one query and then to none is silent again after 50 ms", async () => {
  const scene = sceneOf();
  const breaker = new StoreBreaker(scene.clock, scene.log, limits);
  const response = Promise.withResolvers<void>();
  const responded = breaker.run(() => response.promise);
  void breaker.run(() => new Promise(() => {})).catch(() => {});
  await pass(scene, 60);
  response.resolve();
  await responded;
  expect(breaker.isOpen).toBe(false);
  await pass(scene, 50);
  expect(breaker.isOpen).toBe(true);
});

test("leases are spent while the store is silent", async () => {
  const scene = sceneOf();
  await scene.admit();
  await settled();
  scene.store.fault = "silent";
  const last = scene.admitted(20);
  await pass(scene, 120);
  expect(await last).toBe(10);
});

test("a caller waits longer for a busy store that keeps responding to others", async () => {
  const scene = sceneOf();
  scene.store.fault = "silent";
  const slow = scene.admit();
  await settled();
  // The first query gets no response, while others get theirs at once.
  scene.store.fault = "none";
  for (let round = 0; round < 10; round++) {
    await pass(scene, 10);
    expect((await scene.admit({ key: newKeyOf(scene) })).admitted).toBe(true);
  }
  scene.store.release();
  expect((await slow).admitted).toBe(true);
});

test("a process that stalled itself does not consider the store silent before it has checked again", () => {
  let nowMs = 0;
  const looks: (() => void)[] = [];
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, run) {
      if (delayMs === 50) {
        looks.push(run);
      }
      return () => {};
    },
  };
  const breaker = new StoreBreaker(clock, createMemoryLog(), limits);
  void breaker.run(() => new Promise(() => {}));
  nowMs = 100;
  looks.shift()?.();
  expect(breaker.isOpen).toBe(false);
  nowMs = 150;
  looks.shift()?.();
  expect(breaker.isOpen).toBe(true);
});
