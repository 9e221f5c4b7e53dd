import { describe, expect, test } from "vitest";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { PublicKey, publicKeyCells } from "../../../src/guard/keys/public-key.ts";
import { publicKeyFaults } from "../../../src/guard/keys/public-key-check.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { createGuard } from "../../fixtures/one-thread-guard.ts";
import { MemoryStore } from "../memory-store.ts";
import { ADDRESS, createMemoryLog, credentialOf, METHOD, NOON_MS, plansOf, problemOf, radioPlan } from "../scene.ts";

const HINT = "This key is public, for trying the API. For a key of your own, sign up: POST /account/v1/sign-up.";
const PLAYS = "quintet.radio.v1.RadioService/ReportPlay";

function createScene({ callsPerMonth = 1000, requestsPerSecond = 1000, callsPerMinute = 3, callsPerDay = 100 } = {}) {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = new MemoryStore();
  const [open, own] = [generateKey(systemRandomness), generateKey(systemRandomness)];
  store.credentials.set(open.hash, credentialOf());
  store.credentials.set(
    own.hash,
    credentialOf({
      key: { id: "key-2", accountId: "globex" },
      account: { id: "globex" },
      subscription: { id: "sub-2" },
    }),
  );
  const publicKey = new PublicKey({
    key: open.secret,
    callsPerMinute,
    callsPerDay,
    methods: new Set([METHOD]),
    cells: publicKeyCells(Uint8Array.of(1, 2, 3, 4)),
    clock,
  });
  const plans = plansOf([radioPlan("free", callsPerMonth, requestsPerSecond)]);
  const guard = createGuard({ store, plans, clock, log: createMemoryLog(), publicKey });
  const admit = async (change = {}) =>
    guard.admit({ key: open.secret, address: ADDRESS, service: "radio", method: METHOD, ...change });
  return { clock, store, guard, open, own, admit };
}

describe("the public key", () => {
  test("is admitted until the address has made its calls, and then refused with what to do", async () => {
    const { admit, clock } = createScene();
    for (let call = 0; call < 3; call++) {
      expect(await admit()).toMatchObject({ admitted: true });
    }
    expect(await admit()).toEqual({
      admitted: false,
      identity: { accountId: "acme", keyId: "key-1", keyLastFour: "0000" },
      problem: {
        reason: "RATE_LIMITED",
        message: `Calls with the public key are limited to 3 per minute from one network; retry in 20 s. ${HINT}`,
        retryAfterMs: 20_000,
        metadata: { service: "radio" },
      },
    });
    expect(await admit({ address: "198.51.100.1" })).toMatchObject({ admitted: true });
    clock.advance(20_000);
    expect(await admit()).toMatchObject({ admitted: true });
  });

  test("spends its month only for admitted calls, so that a flood from one address leaves the rest to others", async () => {
    const { admit, guard } = createScene({ callsPerMonth: 10 });
    const decisions = await Promise.all(Array.from({ length: 500 }, () => admit()));
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(3);
    const others = await Promise.all(Array.from({ length: 8 }, (_, index) => admit({ address: `198.51.${index}.1` })));
    expect(others.filter(({ admitted }) => admitted)).toHaveLength(7);
    expect(problemOf(others[7] as (typeof others)[number])).toMatchObject({
      reason: "QUOTA_EXCEEDED",
      message: expect.stringMatching(
        new RegExp(`^The free plan's 10 calls for 2026-11 are used up; .* ${HINT.replaceAll(".", "\\.")}$`),
      ),
    });
    await guard.close();
  });

  test("has its refusals counted in its account", async () => {
    const { admit, guard, store } = createScene();
    for (let call = 0; call < 5; call++) {
      await admit();
    }
    await guard.close();
    expect(store.refusals).toMatchObject([
      { accountId: "acme", keyId: "key-1", service: "radio", reason: "RATE_LIMITED", calls: 2 },
    ]);
  });

  test.each([
    ["a method that changes something", { method: PLAYS }],
    ["a dry run of one", { method: PLAYS, isDryRun: true }],
  ])("may not call %s", async (_, change) => {
    const { admit } = createScene();
    expect(problemOf(await admit(change))).toEqual({
      reason: "KEY_SERVICE_REFUSED",
      message: `The public key may only call read-only methods of the data services. ${HINT}`,
      metadata: { service: "radio" },
    });
  });

  test("counts dry runs and renewed streams against the address", async () => {
    const { admit } = createScene();
    const first = await admit();
    expect(await admit({ isDryRun: true })).toMatchObject({ admitted: true });
    expect(first.admitted && (await first.renew())).toMatchObject({ admitted: true });
    expect(first.admitted && (await first.renew())).toMatchObject({ admitted: false, problem: { reason: "RATE_LIMITED" } });
    expect(await admit({ isDryRun: true })).toMatchObject({ admitted: false, problem: { reason: "RATE_LIMITED" } });
  });

  test("identifies nobody outside the data services", async () => {
    const { guard, open, own } = createScene();
    expect(await guard.identify({ key: open.secret, address: ADDRESS })).toEqual({
      admitted: false,
      problem: {
        reason: "KEY_SERVICE_REFUSED",
        message: `The public key may only call read-only methods of the data services. ${HINT}`,
      },
    });
    expect(await guard.identify({ key: own.secret, address: ADDRESS })).toMatchObject({ identity: { accountId: "globex" } });
  });

  test("does not affect other keys", async () => {
    const { admit, own } = createScene({ callsPerMinute: 1 });
    for (const method of [METHOD, PLAYS, METHOD]) {
      expect(await admit({ key: own.secret, method })).toMatchObject({ admitted: true });
    }
  });

  test("is refused like any other once it is revoked, and uses none of the address's allowance", async () => {
    const { admit, store, open } = createScene({ callsPerMinute: 1 });
    store.credentials.set(open.hash, credentialOf({ key: { revokedAtMs: 1 } }));
    store.announce();
    expect(problemOf(await admit())).toMatchObject({ reason: "KEY_REVOKED" });
    store.credentials.set(open.hash, credentialOf());
    store.announce();
    expect(await admit()).toMatchObject({ admitted: true });
  });
});

describe("the check of the public key", () => {
  const plans = plansOf([radioPlan("free", 3100)]);
  const faults = (credential: Parameters<typeof publicKeyFaults>[0], callsPerDay = 100) =>
    publicKeyFaults(credential, { plans, callsPerDay, nowMs: NOON_MS });

  test("reports a key that does not exist, and one that was revoked", () => {
    expect(faults(undefined)).toEqual(["Nobody has this key. Create it with `quintet key create`, in a separate account."]);
    expect(faults(credentialOf({ key: { revokedAtMs: 1 } }))).toEqual([
      "This API key has been revoked. Use another one, or create a new one: POST /account/v1/keys.",
    ]);
  });

  test("names each service that the key may not call, and each plan that one address could use up", () => {
    const missing = ["token-price", "token-list", "bitcoin", "farkle"].map(
      (service) =>
        `${service}: This account has no active subscription to ${service}. GET /account/v1/plans?service=${service} lists the plans.`,
    );
    expect(faults(credentialOf())).toEqual(missing);
    expect(faults(credentialOf(), 101)).toEqual([
      "radio: a single address could use up the free plan's 3100 calls per month. Choose a larger plan.",
      ...missing,
    ]);
  });
});
