import { describe, expect, test } from "vitest";
import { generateKey } from "../../src/guard/keys/key.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { StoreConflict } from "../../src/store/store-errors.ts";
import { MemoryStore } from "./memory-store.ts";
import { admissionOf, createScene, credentialOf, METHOD, radioPlan, type Scene, settled } from "./scene.ts";

async function call(
  scene: Scene,
  outcome: Parameters<ReturnType<typeof admissionOf>["settle"]>[0],
  times = 1,
  key = scene.key.secret,
) {
  for (let index = 0; index < times; index++) {
    admissionOf(await scene.admit({ key })).settle(outcome);
  }
}

const row = { accountId: "acme", keyId: "key-1", service: "radio", method: METHOD, day: "2026-11-21", hour: 12 };

describe("usage", () => {
  test("is counted by key, method, day and outcome, and written a second later", async () => {
    const scene = createScene();
    const other = generateKey(systemRandomness);
    scene.store.credentials.set(other.hash, credentialOf({ key: { id: "key-2" } }));
    await call(scene, "OK", 3);
    await call(scene, "NOT_FOUND", 2);
    await call(scene, "UPSTREAM_FAILED");
    await call(scene, "OK", 4, other.secret);
    scene.clock.advance(999);
    await settled();
    expect(scene.store.usage).toEqual([]);
    scene.clock.advance(1);
    await settled();
    expect(scene.store.usage).toEqual([
      { ...row, outcome: "OK", calls: 3 },
      { ...row, outcome: "NOT_FOUND", calls: 2 },
      { ...row, outcome: "UPSTREAM_FAILED", calls: 1 },
      { ...row, keyId: "key-2", outcome: "OK", calls: 4 },
    ]);
  });

  test("excludes refused calls, and needs no timer while there is nothing to write", async () => {
    const scene = createScene({ plans: [radioPlan("free", 2)] });
    await call(scene, "OK", 2);
    await scene.admitted(5);
    await scene.admit({ key: "nonsense" });
    scene.clock.advance(1000);
    await settled();
    expect(scene.store.usage).toEqual([{ ...row, outcome: "OK", calls: 2 }]);
    expect(scene.clock.pending).toBe(0);
  });

  test("counts on the day when the call was admitted", async () => {
    const scene = createScene({ nowMs: Date.UTC(2026, 10, 21, 23, 59, 59, 900) });
    const late = admissionOf(await scene.admit());
    scene.clock.advance(100);
    await call(scene, "OK");
    late.settle("OK");
    await scene.guard.close();
    expect(scene.store.usage.map(({ day, calls }) => [day, calls])).toEqual([
      ["2026-11-22", 1],
      ["2026-11-21", 1],
    ]);
  });

  async function countDifferent(scene: Scene, counts: number) {
    for (let index = 0; index < counts; index++) {
      admissionOf(await scene.admit({ method: `m${index}` })).settle("OK");
    }
  }

  async function secondsUntilWritten(scene: Scene) {
    for (let second = 1; ; second++) {
      scene.clock.advance(1000);
      await settled();
      if (scene.store.usage.length > 0) {
        return second;
      }
    }
  }

  test.each([
    [1, 1],
    [100, 1],
    [101, 2],
    [1000, 10],
    [3000, 30],
    [20_000, 30],
  ])("of %i different kinds is written after %i s", async (counts, seconds) => {
    const scene = createScene({ plans: [radioPlan("free", 10_000_000, 100_000)] });
    await countDifferent(scene, counts);
    expect(await secondsUntilWritten(scene)).toBe(seconds);
  });

  test("is written within a second once it fills half of the memory for it", async () => {
    const scene = createScene({ plans: [radioPlan("free", 10_000_000, 100_000)], limits: { usageCountsMax: 2000 } });
    await countDifferent(scene, 1000);
    expect(await secondsUntilWritten(scene)).toBe(1);
  });

  test("is written in batches", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1_000_000, 100_000)] });
    await countDifferent(scene, 1100);
    await secondsUntilWritten(scene);
    expect(scene.store.requested.filter((question) => question.startsWith("addUsage"))).toEqual([
      "addUsage 500",
      "addUsage 500",
      "addUsage 100",
    ]);
  });

  test("that cannot be written is tried again in the same batch, before later calls", async () => {
    const scene = createScene();
    await call(scene, "OK", 2);
    scene.store.fault = "down";
    for (let second = 0; second < 3; second++) {
      scene.clock.advance(1000);
      await settled();
    }
    await call(scene, "OK", 3);
    scene.store.fault = "none";
    scene.clock.advance(1000);
    await settled();
    expect(scene.store.usage).toEqual([
      { ...row, outcome: "OK", calls: 2 },
      { ...row, outcome: "OK", calls: 3 },
    ]);
    const { batches } = scene.store;
    expect(batches.map(({ number }) => number)).toEqual([1, 1, 1, 1, 2]);
    expect(new Set(batches.map(({ writer }) => writer)).size).toBe(1);
    expect(scene.log.lines).toEqual(["Counts of usage cannot be written; they are kept and tried again"]);
  });

  test("that does not fit in memory is dropped, logged, and reported to the operator", async () => {
    const missing: unknown[] = [];
    const scene = createScene({ limits: { usageCountsMax: 2 }, notCounted: (...calls) => missing.push(calls) });
    await call(scene, "OK");
    await call(scene, "NOT_FOUND");
    await call(scene, "INVALID_ARGUMENT", 3);
    await call(scene, "OK");
    scene.clock.advance(1000);
    await settled();
    expect(scene.store.usage.map(({ outcome, calls }) => [outcome, calls])).toEqual([
      ["OK", 2],
      ["NOT_FOUND", 1],
    ]);
    expect(scene.log.lines).toEqual(["Counts of usage could not be kept in memory and are lost"]);
    expect(missing).toEqual([
      ["usage", 1],
      ["usage", 1],
      ["usage", 1],
    ]);
  });

  test("that the store refuses is dropped, and does not block later counts", async () => {
    class Refusing extends MemoryStore {
      refuse = true;
      override addUsage(...batch: Parameters<MemoryStore["addUsage"]>): Promise<void> {
        return this.refuse ? Promise.reject(new StoreConflict("No such account.")) : super.addUsage(...batch);
      }
    }
    const store = new Refusing();
    const missing: unknown[] = [];
    const scene = createScene({ store, notCounted: (...calls) => missing.push(calls) });
    await call(scene, "OK", 2);
    scene.clock.advance(1000);
    await settled();
    store.refuse = false;
    await call(scene, "NOT_FOUND");
    scene.clock.advance(1000);
    await settled();
    expect(store.usage).toEqual([{ ...row, outcome: "NOT_FOUND", calls: 1 }]);
    expect(missing).toEqual([["usage", 2]]);
  });

  test("is written when the guard closes", async () => {
    const scene = createScene();
    await call(scene, "OK");
    await scene.guard.close();
    expect(scene.store.usage).toEqual([{ ...row, outcome: "OK", calls: 1 }]);
    expect(scene.clock.pending).toBe(0);
  });
});
