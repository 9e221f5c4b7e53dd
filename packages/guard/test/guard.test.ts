// The guard over SQLite: who may call, what it costs, and what is left.
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { KeyRecord } from "../src/access.ts";
import { Guard, KeyFormat, type Plan, SqliteStore } from "../src/index.ts";
import { createManualClock } from "./manual-clock.ts";

const keys = new KeyFormat("ek_");
const SERVICE = "eliza";
const FREE: Plan = { name: "free", requestsPerSecond: 2, callsPerMonth: 5 };
// Ten seconds before the end of November.
const NOW_MS = Date.UTC(2026, 10, 30, 23, 59, 50);

function scene(plan = FREE) {
  const clock = createManualClock({ nowMs: NOW_MS });
  const errors: unknown[] = [];
  const db = new DatabaseSync(":memory:");
  const store = new SqliteStore(db);
  const guard = new Guard({ store, keys, clock, onError: (error) => errors.push(error) });
  const { secret, hash } = keys.generate("ek_");
  const keyId = store.addKey("ada", { hash });
  store.subscribe("ada", SERVICE, plan);
  const admit = (key: string | undefined = secret, more = {}) => guard.admit({ key, service: SERVICE, ...more });
  const refusal = async (...args: Parameters<typeof admit>) => {
    const decision = await admit(...args);
    return decision.admitted ? "admitted" : decision.refusal;
  };
  return { clock, db, errors, store, guard, secret, keyId, admit, refusal };
}

test("a call with a key and a subscription is admitted, and says what is left", async () => {
  const { admit, keyId } = scene();
  const decision = await admit();
  expect(decision).toMatchObject({
    admitted: true,
    caller: { accountId: "ada", keyId, subscription: { service: SERVICE, plan: FREE } },
    limits: {
      plan: FREE,
      secondRemaining: 1,
      secondResetSeconds: 1,
      monthRemaining: 4,
      monthResetSeconds: 10,
      monthSeconds: 2_592_000,
    },
  });
});

test.each<[what: string, change: (all: ReturnType<typeof scene>) => void, refusal: object]>([
  [
    "no subscription",
    ({ db }) => db.exec("delete from guard_subscriptions"),
    { reason: "SUBSCRIPTION_REQUIRED", service: SERVICE },
  ],
  [
    "a subscription that was not paid",
    ({ store }) => store.subscribe("ada", SERVICE, FREE, "unpaid"),
    { reason: "PAYMENT_FAILED", service: SERVICE, plan: "free" },
  ],
  [
    "a subscription that is not active yet",
    ({ store }) => store.subscribe("ada", SERVICE, FREE, "requested"),
    { reason: "SUBSCRIPTION_PENDING", service: SERVICE, plan: "free" },
  ],
  ["a suspended account", ({ store }) => store.suspend("ada", true), { reason: "ACCOUNT_SUSPENDED", service: SERVICE }],
  [
    "a disabled key",
    ({ store, keyId }) => store.setKeyState(keyId, "disabled"),
    { reason: "KEY_DISABLED", keyId: expect.any(String) },
  ],
  [
    "a revoked key",
    ({ store, keyId }) => store.setKeyState(keyId, "revoked"),
    { reason: "KEY_REVOKED", keyId: expect.any(String) },
  ],
  ["a deleted key", ({ db }) => db.exec("delete from guard_keys"), { reason: "KEY_UNKNOWN" }],
  [
    "a key for another service",
    ({ db }) => db.exec(`update guard_keys set services = '["radio"]'`),
    { reason: "SERVICE_REFUSED", service: SERVICE, services: ["radio"] },
  ],
  [
    "an expired key",
    ({ db }) => db.exec(`update guard_keys set expires_at_ms = ${NOW_MS}`),
    { reason: "KEY_EXPIRED", keyId: expect.any(String), expiresAtMs: NOW_MS },
  ],
])("%s is refused from the next call on, and not charged", async (_, change, refusal) => {
  const all = scene();
  expect(await all.refusal()).toBe("admitted");
  change(all);
  expect(await all.refusal()).toEqual(refusal);
  expect(all.store.callsOf("ada", SERVICE, "2026-11")).toBeLessThanOrEqual(1);
});

test("a revoked key stays revoked", () => {
  const { store, keyId } = scene();
  expect([
    store.setKeyState(keyId, "revoked"),
    store.setKeyState(keyId, "enabled"),
    store.setKeyState("other", "disabled"),
  ]).toEqual([true, false, false]);
});

test("a second's worth may come at once, and then as many as the rate allows", async () => {
  const { refusal, clock } = scene();
  const limited = (waitMs: number) => ({ reason: "RATE_LIMITED", service: SERVICE, requestsPerSecond: 2, waitMs });
  expect([await refusal(), await refusal(), await refusal()]).toEqual(["admitted", "admitted", limited(500)]);
  clock.advance(400);
  expect(await refusal()).toEqual(limited(100));
  clock.advance(100);
  expect([await refusal(), await refusal()]).toEqual(["admitted", limited(500)]);
});

test("a month's calls are admitted exactly, whatever they cost, and the next month begins anew", async () => {
  const { admit, refusal, clock, store } = scene({ ...FREE, requestsPerSecond: 1000 });
  const used = { reason: "QUOTA_EXCEEDED", service: SERVICE, callsPerMonth: 5, month: "2026-11", waitMs: 10_000 };
  expect((await admit(undefined, { cost: 3 })).limits).toMatchObject({ monthRemaining: 2 });
  expect([await refusal(undefined, { cost: 3 }), await refusal(), await refusal(), await refusal()]).toEqual([
    used,
    "admitted",
    "admitted",
    used,
  ]);
  clock.advance(10_000);
  expect((await admit()).limits).toMatchObject({ monthRemaining: 4, monthResetSeconds: 31 * 86_400 });
  expect([store.callsOf("ada", SERVICE, "2026-11"), store.callsOf("ada", SERVICE, "2026-12")]).toEqual([5, 1]);
});

test("a call that is settled as not charged is refunded once, to the month in which it was charged", async () => {
  const { admit, clock, store } = scene();
  const [first, second] = [await admit(), await admit()];
  clock.advance(10_000);
  for (const isCharged of [false, false, true]) {
    await (first.admitted && first.settle(isCharged));
  }
  await (second.admitted && second.settle(true));
  await (second.admitted && second.settle(false));
  expect([store.callsOf("ada", SERVICE, "2026-11"), store.callsOf("ada", SERVICE, "2026-12")]).toEqual([1, 0]);
});

test("another plan goes on with the month's count", async () => {
  const { admit, store } = scene();
  await admit();
  store.subscribe("ada", SERVICE, { name: "large", requestsPerSecond: 10, callsPerMonth: 100 });
  expect((await admit()).limits).toMatchObject({ plan: { name: "large" }, monthRemaining: 98 });
});

test("a clock that is set back stops nobody for longer than a second", async () => {
  const { admit, refusal, store, secret } = scene();
  await admit();
  const clock = createManualClock({ nowMs: NOW_MS - 3_600_000 });
  const guard = new Guard({ store, keys, clock, onError: () => {} });
  const call = { key: secret, service: SERVICE };
  expect((await guard.admit(call)).admitted).toBe(false);
  clock.advance(500);
  expect((await guard.admit(call)).admitted).toBe(true);
  expect(await refusal()).toBe("admitted");
});

test.each([
  ["no key", undefined, { reason: "KEY_MISSING" }],
  ["a mistyped key", "ek_0123456789ABCDEFGHIJKLMNOPQRSTUV000000", { reason: "KEY_MALFORMED", problem: "checksum" }],
  ["an unknown key", keys.generate("ek_").secret, { reason: "KEY_UNKNOWN" }],
])("%s is refused", async (_, key, refusal) => {
  const { guard } = scene();
  expect(await guard.admit({ key, service: SERVICE })).toEqual({ admitted: false, refusal });
});

test("a network that guesses keys has to wait, but its customers do not", async () => {
  const { refusal, clock, store } = scene();
  let lookups = 0;
  const findKey = store.findKey.bind(store);
  store.findKey = (hash: string): KeyRecord | undefined => {
    lookups++;
    return findKey(hash);
  };
  const from = { address: "203.0.113.9" };
  expect(await refusal(undefined, from)).toBe("admitted");
  const guesses = await Promise.all(Array.from({ length: 100 }, () => refusal(keys.generate("ek_").secret, from)));
  expect(guesses.filter((guess) => typeof guess === "object" && guess.reason === "KEY_UNKNOWN")).toHaveLength(8);
  expect([guesses.at(-1), lookups]).toEqual([{ reason: "TOO_MANY_KEYS", waitMs: 10_000 }, 9]);
  expect(await refusal(undefined, from)).toBe("admitted");
  clock.advance(10_000);
  expect(await refusal(keys.generate("ek_").secret, from)).toEqual({ reason: "KEY_UNKNOWN" });
});

test("if the store fails, calls are refused, and somebody hears of it", async () => {
  const { refusal, errors, db, admit } = scene();
  const admitted = await admit();
  db.close();
  expect(await refusal()).toEqual({ reason: "LIMITS_UNAVAILABLE", waitMs: 1000 });
  await (admitted.admitted && admitted.settle(false));
  expect(errors).toHaveLength(2);
});

test("a second store on the same file sees the same keys and counts", async () => {
  const { guard, db, secret, admit } = scene();
  await admit();
  const other = new Guard({ store: new SqliteStore(db), keys, clock: createManualClock({ nowMs: NOW_MS }), onError: () => {} });
  expect((await other.admit({ key: secret, service: SERVICE })).limits).toMatchObject({ monthRemaining: 3, secondRemaining: 0 });
  expect(guard.caller).toBeUndefined();
});

test("limits that make no sense are errors that name the field", async () => {
  const { store, admit, errors } = scene();
  const subscribe = (more: Partial<Plan>) => () => store.subscribe("ada", SERVICE, { ...FREE, ...more });
  expect(subscribe({ requestsPerSecond: 0 })).toThrow(
    new RangeError("requestsPerSecond must be above 0 and at most 1000000, not 0"),
  );
  expect(subscribe({ callsPerMonth: 1.5 })).toThrow(new RangeError("callsPerMonth must be a whole number of at least 0, not 1.5"));
  expect((await admit(undefined, { cost: 0 })).admitted).toBe(false);
  expect(errors).toEqual([new RangeError("cost must be a whole number of at least 1, not 0")]);
});
