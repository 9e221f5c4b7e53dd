import { describe, expect, test } from "vitest";
import { generateKey } from "../../src/guard/keys/key.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { StoreConflict, StoreUnavailable } from "../../src/store/store-errors.ts";
import { MemoryStore } from "./memory-store.ts";
import { admissionOf, createScene, credentialOf, problemOf, radioPlan, settled } from "./scene.ts";

const plan = radioPlan("free", 1000, 100_000);
const unavailable = {
  reason: "LIMITS_UNAVAILABLE",
  message: "The limits of this API key cannot be checked at the moment; retry in 1 s.",
  retryAfterMs: 1000,
};

/** A scene with a cached key and a lease of ten calls. */
async function leased() {
  const scene = createScene({ plans: [plan] });
  await scene.admit();
  await settled();
  return scene;
}

describe("when the store fails", () => {
  test.each(["down", "lost"] as const)(
    "(%s) the lease is spent, then calls are refused, and later admitted again",
    async (fault) => {
      const scene = await leased();
      scene.store.fault = fault;
      expect(await scene.admitted(20)).toBe(10);
      expect(await scene.admit()).toEqual({
        admitted: false,
        problem: { ...unavailable, metadata: { service: "radio", plan: "free" } },
        limits: {
          plan,
          secondRemaining: 99_989,
          secondResetSeconds: 1,
          monthRemaining: 989,
          monthResetSeconds: 820_800,
          monthSeconds: 2_592_000,
        },
        identity: { accountId: "acme", keyId: "key-1", keyLastFour: "0000" },
      });
      scene.store.fault = "none";
      scene.clock.advance(1000);
      // The first call discovers that the store is back, without waiting for it.
      expect(await scene.admitted(1)).toBe(0);
      await settled();
      expect(await scene.admitted(1)).toBe(1);
      expect(scene.log.lines).toEqual([
        "The store does not respond; calls are admitted from what is leased",
        "The store responds again",
      ]);
    },
  );

  test("a store that is down is queried once a second, however many calls arrive", async () => {
    const scene = await leased();
    scene.store.fault = "down";
    await scene.admitted(20);
    const requested = scene.store.requested.length;
    for (let second = 0; second < 5; second++) {
      await scene.admitted(50);
      scene.clock.advance(1000);
    }
    // The refusals are written once a second too.
    const since = scene.store.requested.slice(requested);
    expect(since.filter((question) => question.startsWith("addRefusals")).length).toBe(5);
    expect(since.filter((question) => !question.startsWith("addRefusals")).length).toBe(4);
  });

  test("after a lost response it risks at most one call at a time, until the store has recovered", async () => {
    const scene = await leased();
    scene.store.fault = "lost";
    await scene.admitted(20);
    for (let second = 0; second < 5; second++) {
      scene.clock.advance(1000);
      await scene.admitted(5);
      await settled();
    }
    const wants = scene.store.requested.filter((question) => question.startsWith("lease"));
    expect(wants.slice(2)).toEqual(["lease 2026-11 8", ...Array.from({ length: 5 }, () => "lease 2026-11 1")]);
  });

  test("the store is queried again about a month used up before the last change, once it responds", async () => {
    const scene = createScene({ plans: [radioPlan("free", 5)] });
    expect(await scene.admitted(6)).toBe(5);
    scene.store.announce();
    // The key is looked up, and the store fails before the month is.
    const lease = scene.store.lease.bind(scene.store);
    scene.store.lease = () => Promise.reject(new StoreUnavailable("The store is down."));
    expect(problemOf(await scene.admit()).reason).toBe("LIMITS_UNAVAILABLE");
    scene.store.lease = lease;
    scene.clock.advance(1000);
    await scene.admit();
    await settled();
    expect(problemOf(await scene.admit()).reason).toBe("QUOTA_EXCEEDED");
  });

  test("a refused call takes no token of the rate either", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1000, 2)] });
    await scene.admit();
    await settled();
    scene.store.fault = "down";
    scene.clock.advance(1000);
    scene.store.announce();
    await scene.admit();
    scene.store.fault = "none";
    scene.clock.advance(1000);
    await scene.admit();
    await settled();
    expect(await scene.admitted(5)).toBe(2);
  });
});

describe("when the store is silent", () => {
  test("a caller waits a quarter of a second for a lease, and its token of the rate is refunded", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1000, 2)] });
    await scene.admit();
    scene.clock.advance(1000);
    await settled();
    await scene.admitted(2);
    // Ten calls are leased, at two a second; this skips to the empty lease.
    for (let second = 0; second < 4; second++) {
      scene.clock.advance(1000);
      scene.store.fault = "silent";
      await scene.admitted(2);
    }
    scene.clock.advance(1000);
    const decision = scene.admit();
    await settled();
    scene.clock.advance(249);
    await settled();
    scene.clock.advance(1);
    expect(await decision).toMatchObject({ admitted: false, problem: unavailable, limits: { secondRemaining: 2 } });
  });

  test("waiting callers are admitted in order of arrival", async () => {
    const scene = createScene({ plans: [plan] });
    scene.store.fault = "silent";
    const first = scene.admit();
    await settled();
    scene.store.release();
    scene.store.fault = "silent";
    await settled();
    const order: number[] = [];
    const more = [1, 2, 3].map(async (number) => {
      const { admitted } = await scene.admit();
      order.push(admitted ? number : -number);
    });
    await settled();
    scene.store.release();
    await Promise.all([first, ...more]);
    expect(order).toEqual([1, 2, 3]);
  });

  test("the number of waiting callers is bounded", async () => {
    const scene = createScene({ plans: [plan], limits: { waitersMax: 2 } });
    await scene.admit();
    await settled();
    await scene.admitted(5);
    scene.store.fault = "silent";
    await scene.admitted(5);
    const decisions = Array.from({ length: 5 }, () => scene.admit());
    await settled();
    scene.store.release();
    const admitted = (await Promise.all(decisions)).map((decision) => decision.admitted);
    expect(admitted).toEqual([true, true, false, false, false]);
  });

  test("it counts as down after two seconds, callers no longer wait, and a late grant is returned", async () => {
    const scene = await leased();
    scene.store.fault = "silent";
    await scene.admitted(10);
    scene.clock.advance(2000);
    await settled();
    expect(problemOf(await scene.admit()).reason).toBe("LIMITS_UNAVAILABLE");
    scene.store.release();
    await settled();
    await settled();
    expect(await scene.admitted(1)).toBe(1);
    await scene.guard.close();
    expect(scene.store.leased.get("sub-1 2026-11")).toBe(12);
  });
});

describe("keys, when the store fails", () => {
  test("a cached key still works; another is refused at once while the store is known to be down", async () => {
    const scene = await leased();
    const other = generateKey(systemRandomness);
    scene.store.credentials.set(other.hash, credentialOf({ key: { id: "key-2" } }));
    scene.store.fault = "down";
    const refusal = { admitted: false, problem: { ...unavailable, metadata: { service: "radio" } } };
    expect(await scene.admit({ key: other.secret })).toEqual(refusal);
    expect(await scene.admit({ key: other.secret })).toEqual(refusal);
    expect(scene.store.requested.filter((question) => question === "findCredential")).toHaveLength(2);
    expect(await scene.admitted(1)).toBe(1);
    scene.store.fault = "none";
    scene.clock.advance(1000);
    expect((await scene.admit({ key: other.secret })).admitted).toBe(false);
    await settled();
    expect((await scene.admit({ key: other.secret })).admitted).toBe(true);
  });

  test("a lookup without a response is abandoned after a quarter of a second", async () => {
    const scene = createScene();
    scene.store.fault = "silent";
    const decision = scene.admit();
    await settled();
    scene.clock.advance(250);
    expect(problemOf(await decision)).toEqual({ ...unavailable, metadata: { service: "radio" } });
  });
});

test("a store that refuses a lease is not down: only that subscription is refused, and the log says so", async () => {
  class Refusing extends MemoryStore {
    override lease(): Promise<never> {
      return Promise.reject(new StoreConflict("There is no such subscription."));
    }
  }
  const scene = createScene({ store: new Refusing() });
  expect(problemOf(await scene.admit()).reason).toBe("LIMITS_UNAVAILABLE");
  expect(scene.log.lines).toEqual(["The store refused a lease"]);
  expect(problemOf(await scene.admit({ key: generateKey(systemRandomness).secret })).reason).toBe("KEY_INVALID");
});

test("closing while the store is down waits for nothing and loses only the lease", async () => {
  const scene = await leased();
  scene.store.fault = "down";
  admissionOf(await scene.admit()).settle("OK");
  await scene.guard.close();
  expect(scene.store.leased.get("sub-1 2026-11")).toBe(11);
  expect(scene.log.lines).toContain("The last usage counts could not be written and are lost");
});

test("closing while the store is silent takes no longer than the store timeout", async () => {
  const scene = await leased();
  admissionOf(await scene.admit()).settle("OK");
  scene.store.fault = "silent";
  const closing = scene.guard.close();
  await settled();
  scene.clock.advance(2000);
  await settled();
  scene.clock.advance(2000);
  await closing;
  expect(await scene.admitted(1)).toBe(0);
});
