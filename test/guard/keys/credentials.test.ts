import { describe, expect, test } from "vitest";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { createScene, credentialOf, NOON_MS, problemOf, type Scene, settled } from "../scene.ts";

const lookups = ({ store }: Scene): number => store.requested.filter((question) => question === "findCredential").length;
const unusedKeys = (count: number): string[] => Array.from({ length: count }, () => generateKey(systemRandomness).secret);

describe("a change applies from the next call", () => {
  test.each([
    ["a revoked key", credentialOf({ key: { revokedAtMs: NOON_MS } }), "KEY_REVOKED"],
    ["a disabled key", credentialOf({ key: { disabled: true } }), "KEY_REVOKED"],
    ["a key limited to other services", credentialOf({ key: { services: ["farkle"] } }), "KEY_SERVICE_REFUSED"],
    ["a deleted key", undefined, "KEY_INVALID"],
    ["a suspended account", credentialOf({ account: { suspended: true } }), "SUBSCRIPTION_REQUIRED"],
    ["a cancelled subscription", credentialOf({ subscription: { state: "cancelled" } }), "SUBSCRIPTION_REQUIRED"],
  ])("%s", async (_, credential, reason) => {
    const scene = createScene();
    expect((await scene.admit()).admitted).toBe(true);
    scene.change(credential);
    expect(problemOf(await scene.admit()).reason).toBe(reason);
    scene.change(credentialOf());
    expect((await scene.admit()).admitted).toBe(true);
  });

  test("to a new key, even if it was tried before it was created", async () => {
    const scene = createScene();
    scene.change(undefined);
    expect(problemOf(await scene.admit()).reason).toBe("KEY_INVALID");
    scene.change(credentialOf());
    expect((await scene.admit()).admitted).toBe(true);
  });

  test("even during a lookup: what was read before the change is not used", async () => {
    const scene = createScene();
    scene.store.fault = "silent";
    const before = scene.admit();
    await settled();
    scene.store.fault = "none";
    scene.change(credentialOf({ key: { revokedAtMs: NOON_MS } }));
    await settled();
    scene.store.release();
    expect(problemOf(await before).reason).toBe("KEY_REVOKED");
    expect(problemOf(await scene.admit()).reason).toBe("KEY_REVOKED");
  });
});

test("to a rotated key, which works next to the new one until its grace period ends", async () => {
  const scene = createScene();
  const next = generateKey(systemRandomness);
  scene.store.credentials.set(next.hash, credentialOf({ key: { id: "key-2" } }));
  scene.change(credentialOf({ key: { expiresAtMs: NOON_MS + 3_600_000 } }));
  expect((await scene.admit()).admitted).toBe(true);
  await settled();
  scene.clock.advance(3_599_999);
  expect((await scene.admit()).admitted).toBe(true);
  scene.clock.advance(1);
  expect(problemOf(await scene.admit()).reason).toBe("KEY_EXPIRED");
  expect((await scene.admit({ key: next.secret })).admitted).toBe(true);
});

describe("a key that does not exist", () => {
  test("is refused after one lookup, even if other accounts change faster than the store responds", async () => {
    const scene = createScene();
    const [key] = unusedKeys(1);
    scene.store.fault = "silent";
    const requested = scene.admit({ key });
    await settled();
    scene.store.announce("another");
    scene.store.release();
    expect(problemOf(await requested).reason).toBe("KEY_INVALID");
    expect(lookups(scene)).toBe(1);
  });

  test("is looked up again for a caller after its creation, even if another lookup is in progress", async () => {
    const scene = createScene();
    const next = generateKey(systemRandomness);
    scene.store.fault = "silent";
    const before = scene.admit({ key: next.secret });
    await settled();
    scene.store.fault = "none";
    scene.store.credentials.set(next.hash, credentialOf({ key: { id: "key-2" } }));
    scene.store.announce("acme");
    expect((await scene.admit({ key: next.secret })).admitted).toBe(true);
    scene.store.release();
    expect(problemOf(await before).reason).toBe("KEY_INVALID");
    expect((await scene.admit({ key: next.secret })).admitted).toBe(true);
  });
});

describe("lookups", () => {
  test("are made once per key, known or unknown", async () => {
    const scene = createScene();
    const [unknownKey] = unusedKeys(1);
    await Promise.all([scene.admit(), scene.admit(), scene.admit({ key: unknownKey }), scene.admit({ key: unknownKey })]);
    await scene.admit();
    await scene.admit({ key: unknownKey });
    expect(lookups(scene)).toBe(2);
  });

  test("of made-up keys never evict a good one, however many there are", async () => {
    const scene = createScene({ limits: { unknownKeysMax: 10 } });
    await scene.admit();
    for (const key of unusedKeys(100)) {
      await scene.admit({ key });
    }
    const before = lookups(scene);
    await scene.admit();
    expect(lookups(scene)).toBe(before);
  });

  test("are cached for a bounded number of keys", async () => {
    const scene = createScene({ limits: { unknownKeysMax: 10 } });
    const keys = unusedKeys(30);
    for (const key of [...keys, ...keys]) {
      await scene.admit({ key });
    }
    expect(lookups(scene)).toBe(60);
  });

  test("run in bounded number, with a bounded queue, and the others are refused", async () => {
    const scene = createScene({ limits: { unknownLookupsMax: 3, unknownWaitersMax: 2 } });
    scene.store.fault = "silent";
    const decisions = unusedKeys(10).map((key, index) => scene.admit({ key, address: `192.0.${index}.1` }));
    await settled();
    expect(lookups(scene)).toBe(3);
    scene.store.release();
    const reasons = (await Promise.all(decisions)).map((decision) => problemOf(decision).reason);
    expect(reasons).toEqual([...Array(5).fill("KEY_INVALID"), ...Array(5).fill("LIMITS_UNAVAILABLE")]);
    expect(lookups(scene)).toBe(5);
    await scene.admit();
    expect(lookups(scene)).toBe(6);
  });
});
