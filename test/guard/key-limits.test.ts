// Keys with limits of their own: what they admit, what they leave to the account's other keys, and what is refunded.
import { describe, expect, test } from "vitest";
import { generateKey } from "../../src/guard/keys/key.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import type { KeyLimits } from "../../src/store/records.ts";
import { admissionOf, createScene, credentialOf, problemOf, radioPlan, type Scene, settled } from "./scene.ts";

const CAP = "cap key-1 2026-11";
const PLAN = "sub-1 2026-11";

// A second key of the account, without limits of its own.
function production(scene: Scene): string {
  const { secret, hash } = generateKey(systemRandomness);
  scene.store.credentials.set(hash, credentialOf({ key: { id: "key-2", capId: "key-2" } }));
  return secret;
}

function limited(limits: Partial<KeyLimits>, plan = radioPlan("free", 100_000)): Scene {
  const scene = createScene({ plans: [plan] });
  scene.change(credentialOf({ key: limits }));
  return scene;
}

async function admitted(scene: Scene, calls: number, key = scene.key.secret): Promise<number> {
  let count = 0;
  for (let call = 0; call < calls; call++) {
    count += (await scene.admit({ key })).admitted ? 1 : 0;
  }
  return count;
}

test("a key's own rate pays for the requests to upstreams that its calls cause", async () => {
  const scene = limited({ requestsPerSecond: 4 });
  const decision = await scene.admit();
  for (let request = 0; decision.admitted && request < 6; request++) {
    decision.chargeRequest?.();
  }
  expect(problemOf(await scene.admit())).toMatchObject({ reason: "KEY_RATE_LIMITED", retryAfterMs: 750 });
  scene.clock.advance(750);
  expect(await admitted(scene, 2)).toBe(1);
});

describe("a key with a cap", () => {
  test("admits exactly as many calls a month, and then says that its own calls are used up", async () => {
    const scene = limited({ callsPerMonth: 250 });
    expect(await admitted(scene, 400)).toBe(250);
    expect(problemOf(await scene.admit())).toEqual({
      reason: "KEY_QUOTA_EXCEEDED",
      message:
        "This API key's own quota of 250 calls for 2026-11 is used up; it resets at 2026-12-01T00:00:00Z. To raise it: PATCH /account/v1/keys/key-1.",
      retryAfterMs: Date.UTC(2026, 11, 1) - scene.clock.nowMs(),
      quotaSubject: "key:key-1",
      metadata: { service: "radio" },
    });
    expect(scene.store.leased.get(CAP)).toBe(250);
  });

  test("that is used up spends nothing of the plan, and leaves the other keys alone", async () => {
    const scene = limited({ callsPerMonth: 10 }, radioPlan("free", 100, 5));
    expect(await admitted(scene, 5)).toBe(5);
    scene.clock.advance(1000);
    expect(await admitted(scene, 5)).toBe(5);
    scene.clock.advance(1000);
    // It takes no token of the plan's rate either.
    expect(await admitted(scene, 1000)).toBe(0);
    const key = production(scene);
    expect(await admitted(scene, 6, key)).toBe(5);
    for (let second = 0; second < 30; second++) {
      scene.clock.advance(1000);
      await admitted(scene, 5, key);
    }
    // All of the plan's month but the ten calls of the capped key.
    const counts = scene.store.usage.filter(({ keyId }) => keyId === "key-2").reduce((sum, { calls }) => sum + calls, 0);
    await scene.guard.close();
    expect(scene.store.leased.get(PLAN)).toBe(100);
    expect(counts).toBeLessThanOrEqual(90);
  });

  test("refunds calls that fail on our side, and those that the plan refuses", async () => {
    const scene = limited({ callsPerMonth: 3 }, radioPlan("free", 100_000, 2));
    const first = admissionOf(await scene.admit());
    first.settle("UPSTREAM_FAILED");
    first.settle("UPSTREAM_FAILED");
    expect((await scene.admit()).admitted).toBe(true);
    expect(problemOf(await scene.admit()).reason).toBe("RATE_LIMITED");
    scene.clock.advance(1000);
    expect(await admitted(scene, 2)).toBe(2);
    scene.clock.advance(1000);
    expect(problemOf(await scene.admit()).reason).toBe("KEY_QUOTA_EXCEEDED");
    expect(scene.store.leased.get(CAP)).toBe(3);
  });

  test("begins again with the next month", async () => {
    const scene = limited({ callsPerMonth: 2 });
    expect(await admitted(scene, 3)).toBe(2);
    scene.setWallClock(Date.UTC(2026, 11, 1, 1));
    expect(await admitted(scene, 3)).toBe(2);
  });

  test("follows a change of the cap at once, up and down, and counts on when it is rotated", async () => {
    const scene = limited({ callsPerMonth: 5 });
    expect(await admitted(scene, 10)).toBe(5);
    scene.change(credentialOf({ key: { callsPerMonth: 8 } }));
    expect(await admitted(scene, 10)).toBe(3);
    scene.change(credentialOf({ key: { callsPerMonth: 4 } }));
    expect(await admitted(scene, 10)).toBe(0);
    scene.change(credentialOf({ key: { id: "key-2", capId: "key-1", callsPerMonth: 9 } }));
    expect(await admitted(scene, 10)).toBe(1);
    scene.change(credentialOf());
    expect(await admitted(scene, 10)).toBe(10);
  });

  test("returns what it has not spent when the server stops", async () => {
    const scene = limited({ callsPerMonth: 10_000 });
    expect(await admitted(scene, 30)).toBe(30);
    await scene.guard.close();
    expect([scene.store.leased.get(CAP), scene.store.leased.get(PLAN)]).toEqual([30, 30]);
  });

  test("judges a dry run without charging it", async () => {
    const scene = limited({ callsPerMonth: 1 });
    expect((await scene.admit({ isDryRun: true })).admitted).toBe(true);
    expect((await scene.admit()).admitted).toBe(true);
    expect(problemOf(await scene.admit({ isDryRun: true })).reason).toBe("KEY_QUOTA_EXCEEDED");
  });

  test("refuses calls while the store is down and nothing is leased, without a guess", async () => {
    const scene = limited({ callsPerMonth: 1000 });
    expect((await scene.admit()).admitted).toBe(true);
    scene.store.fault = "down";
    const reasons = new Set<string>();
    for (let call = 0; call < 50; call++) {
      const decision = await scene.admit();
      reasons.add(decision.admitted ? "OK" : decision.problem.reason);
    }
    expect([...reasons].toSorted()).toEqual(["LIMITS_UNAVAILABLE", "OK"]);
    scene.store.fault = "none";
    scene.clock.advance(5000);
    await settled();
    expect(scene.store.leased.get(CAP)).toBeLessThanOrEqual(1000);
  });
});

describe("a key with a rate", () => {
  test("admits as many calls a second, and takes no more from the plan", async () => {
    const scene = limited({ requestsPerSecond: 3 }, radioPlan("free", 100_000, 5));
    expect(await admitted(scene, 100)).toBe(3);
    expect(problemOf(await scene.admit())).toEqual({
      reason: "KEY_RATE_LIMITED",
      message:
        "This API key has its own limit of 3 requests per second; retry in 1 s, or raise the limit: PATCH /account/v1/keys/key-1.",
      retryAfterMs: 334,
      metadata: { service: "radio" },
    });
    // The other two of the plan's five.
    expect(await admitted(scene, 10, production(scene))).toBe(2);
    scene.clock.advance(1001);
    expect(await admitted(scene, 100)).toBe(3);
  });

  test("leases nothing for a cap that it does not have", async () => {
    const scene = limited({ requestsPerSecond: 3 });
    await admitted(scene, 10);
    expect([...scene.store.leased.keys()]).toEqual([PLAN]);
  });

  test("above the plan's is refused by the plan", async () => {
    const scene = limited({ requestsPerSecond: 50 }, radioPlan("free", 100_000, 2));
    expect(await admitted(scene, 10)).toBe(2);
    expect(problemOf(await scene.admit()).reason).toBe("RATE_LIMITED");
  });
});

test("refusals by a key's own limits are counted as the key's, and say nothing about the plan", async () => {
  const scene = limited({ callsPerMonth: 2, requestsPerSecond: 100 });
  await admitted(scene, 5);
  scene.clock.advance(1000);
  await settled();
  const row = { accountId: "acme", keyId: "key-1", service: "radio", day: "2026-11-21", hour: 12 };
  expect(scene.store.refusals).toEqual([{ ...row, reason: "KEY_QUOTA_EXCEEDED", calls: 3, rateNeeded: 0 }]);
});
