import { describe, expect, test } from "vitest";
import type { Admitted, Refused } from "../../../src/guard/guard.ts";
import { leaseMax } from "../../../src/guard/quota/lease-size.ts";
import { MemoryStore } from "../memory-store.ts";
import { admissionOf, createScene, credentialOf, NOON_MS, problemOf, radioPlan, type Scene, settled } from "../scene.ts";

const reasonOf = (decision: Admitted | Refused): string => (decision.admitted ? "admitted" : decision.problem.reason);

function tally(decisions: readonly (Admitted | Refused)[]): Record<string, number> {
  return Object.fromEntries(
    Map.groupBy(decisions, reasonOf)
      .entries()
      .map(([reason, all]) => [reason, all.length]),
  );
}

const free = (calls: number) => radioPlan("free", calls, 100_000);

describe("the month's calls are admitted exactly to the last one", () => {
  test.each([1, 2, 99, 100, 650, 3456])("%d of them, one after another", async (calls) => {
    const scene = createScene({ plans: [free(calls)] });
    expect(await scene.admitted(calls + 50)).toBe(calls);
  });

  test.each([1, 100, 3456])("%d of them, all at once", async (calls) => {
    const scene = createScene({ plans: [free(calls)], limits: { waitersMax: 10_000 } });
    const decisions = await Promise.all(Array.from({ length: calls + 500 }, () => scene.admit()));
    expect(tally(decisions)).toEqual({ admitted: calls, QUOTA_EXCEEDED: 500 });
  });

  test("shared by three nodes on one store", async () => {
    const store = new MemoryStore();
    const nodes = Array.from({ length: 3 }, () => createScene({ plans: [free(5000)], store, limits: { waitersMax: 10_000 } }));
    const decisions = await Promise.all(
      Array.from({ length: 6000 }, (_, index) => nodes[index % 3]?.admit() as Promise<Admitted | Refused>),
    );
    // A node may still hold what another could have used; closing returns it.
    const first = tally(decisions).admitted ?? 0;
    expect(first).toBeLessThanOrEqual(5000);
    await Promise.all(nodes.slice(1).map(({ guard }) => guard.close()));
    const [survivor] = nodes as [Scene];
    survivor.clock.advance(10_000);
    await survivor.admit().then((decision) => decision.admitted && decision.settle("INTERNAL"));
    await settled();
    expect(first + (await survivor.admitted(1000))).toBe(5000);
  });
});

test("a process never holds more than its lease, which shrinks as the month runs out", async () => {
  const plan = radioPlan("free", 2000, 100_000);
  const scene = createScene({ plans: [plan] });
  const held: number[] = [];
  for (let spent = 1; spent <= 2000; spent++) {
    await scene.admit();
    await settled();
    held.push((scene.store.leased.get("sub-1 2026-11") ?? 0) - spent);
  }
  expect(Math.max(...held)).toBe(leaseMax(plan));
  expect(held.slice(1900).every((calls, index) => calls <= Math.ceil((100 - index) / 10) + 1)).toBe(true);
  expect(held.at(-1)).toBe(0);
});

describe("a call that fails on our side is refunded", () => {
  test.each([
    ["OK", 0],
    ["INVALID_ARGUMENT", 0],
    ["NOT_FOUND", 0],
    ["CANCELLED", 0],
    ["UPSTREAM_FAILED", 1],
    ["DEADLINE_EXCEEDED", 1],
    ["INTERNAL", 1],
    ["PLAN_LIMIT", 1],
  ] as const)("%s refunds %d", async (outcome, refund) => {
    const scene = createScene({ plans: [free(3)] });
    const admission = admissionOf(await scene.admit());
    expect(await scene.admitted(5)).toBe(2);
    admission.settle(outcome);
    admission.settle("INTERNAL");
    expect(await scene.admitted(5)).toBe(refund);
  });

  test("and refunds beyond the lease go to the store", async () => {
    const plan = free(1000);
    const scene = createScene({ plans: [plan] });
    const admissions = [];
    for (let index = 0; index < 100; index++) {
      admissions.push(admissionOf(await scene.admit()));
      await settled();
    }
    for (const admission of admissions) {
      admission.settle("UPSTREAM_FAILED");
      await settled();
    }
    expect(scene.store.leased.get("sub-1 2026-11")).toBe(leaseMax(plan));
    expect(await scene.admitted(1100)).toBe(1000);
  });
});

describe("the month changes", () => {
  const decemberMs = Date.UTC(2026, 11, 1);

  test("at midnight UTC, with a full quota and nothing of the old month", async () => {
    const scene = createScene({ plans: [free(5)], nowMs: decemberMs - 10 });
    const late = admissionOf(await scene.admit());
    expect(await scene.admitted(10)).toBe(4);
    scene.clock.advance(9);
    expect(problemOf(await scene.admit())).toMatchObject({ reason: "QUOTA_EXCEEDED", retryAfterMs: 1 });
    scene.clock.advance(1);
    expect(admissionOf(await scene.admit()).limits).toMatchObject({ monthRemaining: 4, monthSeconds: 31 * 86_400 });
    late.settle("INTERNAL");
    expect(await scene.admitted(10)).toBe(4);
    expect(Object.fromEntries(scene.store.leased)).toEqual({ "sub-1 2026-11": 5, "sub-1 2026-12": 5 });
  });

  test("while callers wait for a lease of the old month, and their calls count in the new one", async () => {
    const scene = createScene({ plans: [free(5)], nowMs: decemberMs - 10 });
    scene.store.fault = "silent";
    const looking = scene.admit();
    await settled();
    scene.store.release();
    scene.store.fault = "silent";
    await settled();
    scene.clock.advance(20);
    scene.store.release();
    expect(admissionOf(await looking).limits).toMatchObject({ monthRemaining: 4, monthSeconds: 31 * 86_400 });
    expect(await scene.admitted(10)).toBe(4);
  });

  test.each([
    ["a second", 1000],
    ["an hour", 3_600_000],
  ])("and a clock that is set back by %s reopens no quota", async (_, backMs) => {
    const scene = createScene({ plans: [free(5)], nowMs: decemberMs - 10 });
    expect(await scene.admitted(10)).toBe(5);
    scene.clock.advance(10);
    expect(await scene.admitted(3)).toBe(3);
    scene.setWallClock(decemberMs - backMs);
    expect(await scene.admitted(10)).toBe(2);
    scene.setWallClock(decemberMs + 1);
    expect(await scene.admitted(10)).toBe(0);
  });

  test("and a clock that was a month ahead by mistake admits each month's quota once", async () => {
    const scene = createScene({ plans: [free(200)], nowMs: NOON_MS });
    expect(await scene.admitted(150)).toBe(150);
    scene.setWallClock(NOON_MS + 30 * 86_400_000);
    expect(await scene.admitted(20)).toBe(20);
    scene.setWallClock(NOON_MS);
    const restOfNovember = await scene.admitted(100);
    scene.setWallClock(NOON_MS + 30 * 86_400_000);
    const restOfDecember = await scene.admitted(300);
    // Of each month's 200 calls, those in the lease when the month changed are lost and count as spent.
    expect([restOfNovember, restOfDecember]).toEqual([49, 179]);
    expect([...scene.store.leased.values()]).toEqual([200, 200]);
  });
});

describe("the plan changes", () => {
  const plans = [free(100), radioPlan("pro", 300, 100_000), radioPlan("slow", 100, 2)];
  const on = (plan: string) => credentialOf({ subscription: { plan } });

  test("to a larger one: the next call has its quota, minus what is used", async () => {
    const scene = createScene({ plans });
    expect(await scene.admitted(200)).toBe(100);
    scene.change(on("pro"));
    expect(admissionOf(await scene.admit()).limits.monthRemaining).toBe(199);
    expect(await scene.admitted(400)).toBe(199);
  });

  test("to a smaller one that is used up: the next call is refused, even after a refund", async () => {
    const scene = createScene({ plans });
    scene.change(on("pro"));
    const admission = admissionOf(await scene.admit());
    expect(await scene.admitted(149)).toBe(149);
    scene.change(on("free"));
    expect(problemOf(await scene.admit()).reason).toBe("QUOTA_EXCEEDED");
    admission.settle("INTERNAL");
    await settled();
    expect(problemOf(await scene.admit()).reason).toBe("QUOTA_EXCEEDED");
    expect(scene.store.leased.get("sub-1 2026-11")).toBe(149);
  });

  test("during a lease request: what was granted under the old one is returned", async () => {
    const scene = createScene({ plans });
    scene.change(on("pro"));
    await scene.admit();
    await settled();
    scene.store.fault = "silent";
    await scene.admitted(2);
    scene.store.fault = "none";
    scene.change(on("free"));
    const decision = scene.admit();
    await settled();
    scene.store.release();
    expect((await decision).admitted).toBe(true);
    expect(await scene.admitted(200)).toBe(96);
  });

  test("and the rate follows at once", async () => {
    const scene = createScene({ plans });
    expect(await scene.admitted(10)).toBe(10);
    scene.clock.advance(1000);
    scene.change(on("slow"));
    expect(await scene.admitted(10)).toBe(2);
  });

  test("a subscription that follows a cancelled one continues its count", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1000, 5)] });
    expect(await scene.admitted(10)).toBe(5);
    scene.store.firstOf.set("sub-2", "sub-1");
    scene.change(credentialOf({ subscription: { id: "sub-2" } }));
    expect(problemOf(await scene.admit()).reason).toBe("RATE_LIMITED");
    await scene.guard.close();
    expect(scene.store.leased.get("sub-1 2026-11")).toBe(5);
  });
});

test("closing returns unspent calls, which another process can use", async () => {
  const store = new MemoryStore();
  const first = createScene({ plans: [free(1000)], store });
  expect(await first.admitted(7)).toBe(7);
  await settled();
  expect(store.leased.get("sub-1 2026-11")).toBeGreaterThan(7);
  await first.guard.close();
  await first.guard.close();
  expect(store.leased.get("sub-1 2026-11")).toBe(7);
  const second = createScene({ plans: [free(1000)], store });
  expect(await second.admitted(2000)).toBe(993);
});

test("calls of a used-up month do not query the store each time, yet find what another process returns", async () => {
  const store = new MemoryStore();
  const scene = createScene({ plans: [free(1000)], store });
  const other = createScene({ plans: [free(1000)], store });
  await other.admit();
  await settled();
  await scene.admitted(1100);
  const requested = store.requested.length;
  expect(await scene.admitted(100)).toBe(0);
  expect(store.requested).toHaveLength(requested);
  await other.guard.close();
  scene.clock.advance(10_000);
  expect(await scene.admitted(1)).toBe(0);
  await settled();
  expect(await scene.admitted(100)).toBe(10);
});

test("unused subscriptions are evicted for others, and lose nothing", async () => {
  const scene = createScene({ plans: [free(1000)], limits: { subscriptionsMax: 1 } });
  await scene.admit().then((decision) => admissionOf(decision).settle("OK"));
  await settled();
  scene.change(credentialOf({ account: { id: "other" }, subscription: { id: "sub-2" } }));
  expect(problemOf(await scene.admit()).reason).toBe("LIMITS_UNAVAILABLE");
  scene.clock.advance(61_000);
  expect((await scene.admit()).admitted).toBe(true);
  await settled();
  expect(scene.store.leased.get("sub-1 2026-11")).toBe(1);
  expect(await scene.admitted(2000)).toBe(999);
});
