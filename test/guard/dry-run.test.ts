// A dry run in the guard: it checks whether a call would be admitted, and does not charge the monthly quota.
import { expect, test } from "vitest";
import { admissionOf, createScene, credentialOf, problemOf, radioPlan } from "./scene.ts";

const dry = { isDryRun: true };

test("takes a token of the rate but no call of the month, and is not in the usage", async () => {
  const scene = createScene({ plans: [radioPlan("free", 10, 2)] });
  const first = admissionOf(await scene.admit(dry));
  first.settle("OK");
  const second = admissionOf(await scene.admit(dry));
  second.settle("INTERNAL");
  expect([first.limits, second.limits].map((limits) => [limits?.secondRemaining, limits?.monthRemaining])).toEqual([
    [1, 10],
    [0, 10],
  ]);
  expect(problemOf(await scene.admit(dry)).reason).toBe("RATE_LIMITED");
  scene.clock.advance(60_000);
  // One row without calls records the key's last use.
  expect(scene.store.usage.map(({ keyId, calls }) => [keyId, calls])).toEqual([["key-1", 0]]);
  expect(admissionOf(await scene.admit()).limits?.monthRemaining).toBe(9);
});

test("reports a used-up month, and gets its token of the rate refunded", async () => {
  const scene = createScene({ plans: [radioPlan("free", 1, 2)] });
  await scene.admit();
  scene.clock.advance(1000);
  const refusals = [await scene.admit(dry), await scene.admit(dry), await scene.admit(dry)];
  expect(refusals.map((refusal) => problemOf(refusal).reason)).toEqual(new Array(3).fill("QUOTA_EXCEEDED"));
});

test("is refused if the month cannot be read, or the key may not call", async () => {
  const scene = createScene();
  // This caches the key, but not the month.
  await scene.admit({ service: "farkle" });
  scene.store.fault = "down";
  expect(problemOf(await scene.admit(dry)).reason).toBe("LIMITS_UNAVAILABLE");
  const other = createScene();
  other.change(credentialOf({ key: { revokedAtMs: 1 } }));
  expect(problemOf(await other.admit(dry)).reason).toBe("KEY_REVOKED");
});
