import { describe, expect, onTestFinished, test } from "vitest";
import { createKey, graceMsMax, keyState, rotateKey } from "../../src/account/keys.ts";
import { hashKey } from "../../src/guard/key.ts";
import { openStore } from "../../src/store/open.ts";
import type { Key } from "../../src/store/store.ts";
import { createCountingRandomness } from "../counting-randomness.ts";
import { createManualClock } from "../manual-clock.ts";
import { temporaryDirectory } from "../store/temporary-directory.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 21, 12);

async function open() {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: temporaryDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createAccount({ id: "a-1", name: "acme", email: null });
  return { store, clock, randomness: createCountingRandomness() };
}

describe("a key's state", () => {
  const key: Key = {
    id: "k-1",
    accountId: "a-1",
    name: "first",
    prefix: "qk_live_",
    lastFour: "wxyz",
    services: null,
    createdAtMs: 0,
    expiresAtMs: null,
    disabled: false,
    revokedAtMs: null,
  };
  test.for([
    { change: {}, state: "active" },
    { change: { expiresAtMs: 101 }, state: "active" },
    { change: { expiresAtMs: 100 }, state: "expired" },
    { change: { disabled: true }, state: "disabled" },
    { change: { disabled: true, expiresAtMs: 100 }, state: "expired" },
    { change: { disabled: true, expiresAtMs: 100, revokedAtMs: 1 }, state: "revoked" },
  ])("$change is $state", ({ change, state }) => {
    expect(keyState({ ...key, ...change }, 100)).toBe(state);
  });
});

test("a key is found by its hash, and its secret is not stored", async () => {
  const deps = await open();
  const { key, secret } = await createKey(deps, { accountId: "a-1", name: "first", services: null, expiresAtMs: null });
  expect((await deps.store.findCredential(hashKey(secret)))?.key).toEqual(key);
  expect(key.lastFour).toBe(secret.slice(-4));
});

test("a successor lasts as long as the old key was given", async () => {
  const deps = await open();
  const { key } = await createKey(deps, { accountId: "a-1", name: "first", services: ["radio"], expiresAtMs: nowMs + 30 * dayMs });
  deps.clock.advance(20 * dayMs);
  const { old, next } = await rotateKey(deps, key, graceMsMax);
  expect(old.expiresAtMs).toBe(nowMs + 27 * dayMs);
  expect(next.expiresAtMs).toBe(nowMs + 50 * dayMs);
  expect([next.name, next.services]).toEqual(["first", ["radio"]]);
});
