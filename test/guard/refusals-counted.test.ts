import { describe, expect, test } from "vitest";
import { generateKey } from "../../src/guard/keys/key.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { createScene, credentialOf, radioPlan, type Scene, settled } from "./scene.ts";

const row = { accountId: "acme", keyId: "key-1", service: "radio", day: "2026-11-21", hour: 12 };

async function written(scene: Scene) {
  scene.clock.advance(1000);
  await settled();
  return scene.store.refusals;
}

describe("refusals of a known key are counted by reason", () => {
  test.for<{ reason: string; credential?: Parameters<typeof credentialOf>[0]; service?: "farkle" }>([
    { reason: "KEY_REVOKED", credential: { key: { revokedAtMs: 1 } } },
    { reason: "KEY_REVOKED", credential: { key: { disabled: true } } },
    { reason: "KEY_EXPIRED", credential: { key: { expiresAtMs: 1 } } },
    { reason: "KEY_SERVICE_REFUSED", credential: { key: { services: ["bitcoin"] } } },
    { reason: "SUBSCRIPTION_REQUIRED", credential: { account: { suspended: true } } },
    { reason: "SUBSCRIPTION_REQUIRED", credential: { subscription: { state: "requested" } } },
    { reason: "SUBSCRIPTION_REQUIRED", service: "farkle" },
  ])("$reason", async ({ reason, credential = {}, service }) => {
    const scene = createScene();
    scene.change(credentialOf(credential));
    await scene.admit(service && { service });
    await scene.admit(service && { service });
    expect(await written(scene)).toEqual([{ ...row, service: service ?? "radio", reason, calls: 2, rateNeeded: 0 }]);
    expect(scene.store.usage).toEqual([]);
    expect(scene.clock.pending).toBe(0);
  });

  test("RATE_LIMITED, with the rate that would have been enough", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1000, 5)] });
    // Two in this second, then seven, then one; the bucket refills in between.
    for (const refused of [2, 7, 1]) {
      expect(await scene.admitted(5 + refused)).toBe(5);
      scene.clock.advance(2000);
      await settled();
    }
    const calls = scene.store.refusals.reduce((sum, one) => sum + one.calls, 0);
    const rateNeeded = Math.max(...scene.store.refusals.map((one) => one.rateNeeded));
    expect([calls, rateNeeded]).toEqual([10, 5 + 7]);
    expect(new Set(scene.store.refusals.map(({ reason }) => reason))).toEqual(new Set(["RATE_LIMITED"]));
  });

  test("QUOTA_EXCEEDED, with the rate that all calls would have needed", async () => {
    const scene = createScene({ plans: [radioPlan("free", 2, 5)] });
    expect(await scene.admitted(10)).toBe(2);
    expect(await written(scene)).toEqual([{ ...row, reason: "QUOTA_EXCEEDED", calls: 8, rateNeeded: 5 + 8 }]);
  });

  test("with the rate scaled by the number of nodes, each of which may have refused as many", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1000, 5)] });
    scene.store.nodeStatus.setAliveNodes(3);
    expect(await scene.admitted(9)).toBe(5);
    expect(await written(scene)).toEqual([{ ...row, reason: "RATE_LIMITED", calls: 4, rateNeeded: 5 + 4 * 3 }]);
  });

  test("LIMITS_UNAVAILABLE, once the store can be written again", async () => {
    const scene = createScene();
    expect(await scene.admitted(1)).toBe(1);
    scene.store.fault = "down";
    await scene.admitted(1000);
    const before = scene.store.refusals.length;
    scene.store.fault = "none";
    const rows = await written(scene);
    expect([before, rows.map(({ reason }) => reason)]).toEqual([0, ["LIMITS_UNAVAILABLE"]]);
  });
});

test("unknown keys and calls without a key are not counted", async () => {
  const scene = createScene();
  for (const key of [undefined, "nonsense", generateKey(systemRandomness).secret]) {
    await scene.admit({ key });
  }
  expect(await written(scene)).toEqual([]);
  expect(scene.store.requested.filter((question) => question.startsWith("addRefusals"))).toEqual([]);
});

test("refusals of dry runs are not counted", async () => {
  const scene = createScene({ plans: [radioPlan("free", 1000, 5)] });
  for (let index = 0; index < 20; index++) {
    await scene.admit({ isDryRun: true });
    await scene.admit({ isDryRun: true, service: "farkle" });
  }
  expect((await scene.admit()).admitted).toBe(false);
  // The needed rate includes the one call, but none of the dry runs.
  expect(await written(scene)).toEqual([{ ...row, reason: "RATE_LIMITED", calls: 1, rateNeeded: 6 }]);
});

test("one count of each kind is written a second, however many calls are refused", async () => {
  const scene = createScene({ plans: [radioPlan("free", 1000, 5)] });
  expect(await scene.admitted(20_000)).toBe(5);
  for (let index = 0; index < 1000; index++) {
    await scene.admit({ service: "farkle" });
    await scene.admit({ service: "radio" });
  }
  const rows = await written(scene);
  expect(rows.map(({ service, reason, calls }) => [service, reason, calls])).toEqual([
    ["radio", "RATE_LIMITED", 20_995],
    ["farkle", "SUBSCRIPTION_REQUIRED", 1000],
  ]);
  expect(scene.store.requested.filter((question) => question.startsWith("addRefusals"))).toEqual(["addRefusals 2"]);
});

test("each key's refusals are counted separately, in the hour when they occurred", async () => {
  const scene = createScene({ nowMs: Date.UTC(2026, 10, 21, 23, 59, 59, 900) });
  const other = generateKey(systemRandomness);
  scene.store.credentials.set(other.hash, credentialOf({ key: { id: "key-2" } }));
  await scene.admit({ service: "farkle" });
  await scene.admit({ service: "farkle", key: other.secret });
  scene.clock.advance(100);
  await scene.admit({ service: "farkle" });
  await scene.guard.close();
  const reason = "SUBSCRIPTION_REQUIRED";
  expect(scene.store.refusals).toEqual([
    { ...row, service: "farkle", hour: 23, reason, calls: 1, rateNeeded: 0 },
    { ...row, service: "farkle", hour: 23, keyId: "key-2", reason, calls: 1, rateNeeded: 0 },
    { ...row, service: "farkle", day: "2026-11-22", hour: 0, reason, calls: 1, rateNeeded: 0 },
  ]);
});

test("counts that cannot be written are kept, and written later in the same batch", async () => {
  const scene = createScene();
  await scene.admit({ service: "farkle" });
  scene.store.fault = "down";
  await written(scene);
  await scene.admit({ service: "farkle" });
  scene.store.fault = "none";
  expect((await written(scene)).map(({ calls }) => calls)).toEqual([1, 1]);
  expect(scene.log.lines).toEqual(["Counts of refusals cannot be written; they are kept and tried again"]);
});
