import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/catalogue/plan.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import { internalProblem } from "../../src/problem/problem.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import type { Credential, Subscription } from "../../src/store/records.ts";
import { ADDRESS, admissionOf, createScene, credentialOf, METHOD, NOON_MS, problemOf, radioPlan, settled } from "./scene.ts";

const IDENTITY = { accountId: "acme", keyId: "key-1", keyLastFour: "0000" };
const monthEndMs = Date.UTC(2026, 11, 1);

describe("an admitted call", () => {
  test("identifies the caller and the state of its subscription", async () => {
    const plan = radioPlan("free", 20_000, 5);
    const scene = createScene({ plans: [plan] });
    const admission = admissionOf(await scene.admit());
    expect({ principal: admission.principal, limits: admission.limits }).toEqual({
      principal: { accountId: "acme", keyId: "key-1", identity: IDENTITY, subscriptionId: "sub-1", service: "radio", plan },
      limits: {
        plan,
        secondRemaining: 4,
        secondResetSeconds: 1,
        monthRemaining: 19_999,
        monthResetSeconds: (monthEndMs - NOON_MS) / 1000,
        monthSeconds: 30 * 86_400,
      },
    });
  });

  test("is decided synchronously if the key is cached and a lease is in memory", async () => {
    const scene = createScene();
    await scene.admit();
    await settled();
    const requested = scene.store.requested.length;
    expect(scene.guard.admit({ key: scene.key.secret, address: ADDRESS, service: "radio", method: METHOD })).toMatchObject({
      admitted: true,
    });
    expect(scene.store.requested).toHaveLength(requested);
  });
});

describe("a call that is refused for its key", () => {
  const other = generateKey(systemRandomness).secret;
  const another = "Use another one, or create a new one: POST /account/v1/keys.";
  test.each<[string, string | undefined, unknown]>([
    [
      "without a key",
      undefined,
      {
        reason: "KEY_MISSING",
        message:
          "Send your API key in the x-gateway-key header. To get one, sign up at /app; or POST /account/v1/sign-up, follow the link if you get an e-mail, then POST /account/v1/keys.",
      },
    ],
    [
      "with an empty key",
      "",
      {
        reason: "KEY_MISSING",
        message:
          "Send your API key in the x-gateway-key header. To get one, sign up at /app; or POST /account/v1/sign-up, follow the link if you get an e-mail, then POST /account/v1/keys.",
      },
    ],
    [
      "with something else",
      "letmein",
      {
        reason: "KEY_INVALID",
        message:
          "The x-gateway-key header does not contain a Quintet API key: a key is qk_live_ (qk_test_ in a sandbox) followed by 38 or 40 letters and digits.",
      },
    ],
    [
      "with a mistyped key",
      `${other.slice(0, -1)}${other.endsWith("0") ? "1" : "0"}`,
      { reason: "KEY_INVALID", message: "The API key is mistyped: its checksum does not match. Copy the whole key again." },
    ],
    [
      "with two keys",
      `${other}, ${other}`,
      { reason: "KEY_INVALID", message: "Send exactly one API key, in one x-gateway-key header." },
    ],
    [
      "with an unknown key",
      other,
      {
        reason: "KEY_INVALID",
        message: "The API key is unknown. Check that it was copied completely, or create a new one: POST /account/v1/keys.",
      },
    ],
  ])("%s", async (_, key, problem) => {
    const scene = createScene();
    expect(await scene.admit({ key })).toEqual({ admitted: false, problem });
    expect(await scene.admit({ key })).toEqual({ admitted: false, problem });
  });

  test("malformed, without querying the store", async () => {
    const scene = createScene();
    await scene.admit({ key: `${scene.key.secret}x` });
    expect(scene.store.requested).toEqual([]);
  });

  test.each<[string, Partial<Credential["key"]>, unknown]>([
    [
      "that was revoked",
      { revokedAtMs: NOON_MS - 1, expiresAtMs: NOON_MS - 1, disabled: true },
      { reason: "KEY_REVOKED", message: `This API key has been revoked. ${another}` },
    ],
    [
      "that is disabled",
      { disabled: true },
      {
        reason: "KEY_REVOKED",
        message: 'This API key is disabled. Use another one, or enable it: PATCH /account/v1/keys/key-1 {"disabled":false}.',
      },
    ],
    [
      "that expires right now",
      { expiresAtMs: NOON_MS },
      { reason: "KEY_EXPIRED", message: `This API key expired at 2026-11-21T12:00:00Z. ${another}` },
    ],
    [
      "that is for one other service",
      { services: ["farkle"] },
      {
        reason: "KEY_SERVICE_REFUSED",
        message: "This API key may call farkle, not radio. Use a key that may call radio.",
        metadata: { service: "radio" },
      },
    ],
    [
      "that is for two other services",
      { services: ["bitcoin", "farkle"] },
      {
        reason: "KEY_SERVICE_REFUSED",
        message: "This API key may call bitcoin and farkle, not radio. Use a key that may call radio.",
        metadata: { service: "radio" },
      },
    ],
    [
      "that is for other services",
      { services: ["bitcoin", "token-list", "farkle"] },
      {
        reason: "KEY_SERVICE_REFUSED",
        message: "This API key may call bitcoin, token-list, and farkle, not radio. Use a key that may call radio.",
        metadata: { service: "radio" },
      },
    ],
    [
      "that is for no service",
      { services: [] },
      {
        reason: "KEY_SERVICE_REFUSED",
        message: "This API key may not call any service. Use a key that may call radio.",
        metadata: { service: "radio" },
      },
    ],
  ])("%s", async (_, key, problem) => {
    const scene = createScene();
    scene.change(credentialOf({ key }));
    expect(await scene.admit()).toEqual({ admitted: false, problem, identity: IDENTITY });
  });
});

describe("a call that is refused for its subscription", () => {
  const none: Credential = { ...credentialOf(), subscriptions: [] };
  const subscribed = (subscription: Partial<Subscription>) => credentialOf({ subscription });
  const notSubscribed = "This account has no active subscription to radio.";
  const needsOne = (message: string, plan?: string) => ({
    reason: "SUBSCRIPTION_REQUIRED",
    message,
    metadata: plan === undefined ? { service: "radio" } : { service: "radio", plan },
  });
  test.each<[string, Credential, unknown]>([
    ["there is none", none, needsOne(`${notSubscribed} PUT /account/v1/subscriptions/radio {"plan":"free"} starts a free plan.`)],
    [
      "it is to another service",
      subscribed({ service: "farkle" }),
      needsOne(`${notSubscribed} PUT /account/v1/subscriptions/radio {"plan":"free"} starts a free plan.`),
    ],
    [
      "it is cancelled",
      subscribed({ state: "cancelled" }),
      needsOne(`${notSubscribed} PUT /account/v1/subscriptions/radio {"plan":"free"} starts a free plan.`),
    ],
    [
      "it waits for the provider",
      subscribed({ state: "requested", plan: "pro" }),
      needsOne("This account's subscription to radio, plan pro, has not been activated by the operator yet.", "pro"),
    ],
    [
      "the account is suspended",
      credentialOf({ account: { suspended: true } }),
      needsOne("This account is suspended. Ask the operator to lift the suspension."),
    ],
  ])("%s", async (_, credential, problem) => {
    const scene = createScene();
    scene.change(credential);
    expect(await scene.admit()).toEqual({ admitted: false, problem, identity: IDENTITY });
  });

  test("there is none, nor a free plan", async () => {
    const scene = createScene({ plans: [{ ...radioPlan("pro", 10), priceMinor: 1 }] });
    scene.change(none);
    expect(problemOf(await scene.admit()).message).toBe(`${notSubscribed} GET /account/v1/plans?service=radio lists the plans.`);
  });

  test("a requested plan changes nothing until it is activated", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1000), radioPlan("pro", 5000)] });
    scene.change(subscribed({ requestedPlan: "pro" }));
    expect(admissionOf(await scene.admit()).principal.plan.name).toBe("free");
  });
});

describe("a call over a limit", () => {
  const plan = radioPlan("free", 500, 5);

  test("of the rate says when to retry", async () => {
    const scene = createScene({ plans: [plan] });
    expect(await scene.admitted(5)).toBe(5);
    expect(await scene.admit()).toEqual({
      admitted: false,
      problem: {
        reason: "RATE_LIMITED",
        message: "The free plan allows 5 requests per second; retry in 1 s.",
        retryAfterMs: 200,
        metadata: { service: "radio", plan: "free" },
      },
      rateNeeded: 6,
      identity: IDENTITY,
      limits: {
        plan,
        secondRemaining: 0,
        secondResetSeconds: 1,
        monthRemaining: 495,
        monthResetSeconds: (monthEndMs - NOON_MS) / 1000,
        monthSeconds: 2_592_000,
      },
    });
    scene.clock.advance(199);
    expect(problemOf(await scene.admit()).retryAfterMs).toBe(1);
    scene.clock.advance(1);
    expect(await scene.admitted(2)).toBe(1);
  });

  test("of the rate, among the very first calls, also reports what is left of the quota", async () => {
    const scene = createScene({ plans: [plan] });
    const decisions = await Promise.all(Array.from({ length: 7 }, () => scene.admit()));
    expect(decisions.map(({ admitted }) => admitted)).toEqual([true, true, true, true, true, false, false]);
    expect(decisions[6]?.limits).toMatchObject({ secondRemaining: 0, monthRemaining: 495 });
  });

  test("of the rate follows requests to upstreams that a call has caused, after its first", async () => {
    const scene = createScene({ plans: [radioPlan("free", 1000, 5)] });
    const decision = await scene.admit();
    for (let request = 0; decision.admitted && request < 9; request++) {
      decision.chargeRequest?.();
    }
    expect(problemOf(await scene.admit())).toMatchObject({ reason: "RATE_LIMITED", retryAfterMs: 1000 });
    scene.clock.advance(1000);
    const next = await scene.admit();
    expect(next).toMatchObject({ admitted: true });
    if (next.admitted) {
      // Nobody is locked out for long, whatever a call has caused.
      for (let request = 0; request < 1000; request++) {
        next.chargeRequest?.();
      }
      next.settle("OK");
      next.chargeRequest?.();
    }
    expect(problemOf(await scene.admit())).toMatchObject({ reason: "RATE_LIMITED", retryAfterMs: 10_200 });
  });

  test("of the quota says when the next month begins, and takes no token of the rate", async () => {
    const small = radioPlan("free", 3, 5);
    const scene = createScene({ plans: [small] });
    expect(await scene.admitted(3)).toBe(3);
    const untilDecemberMs = monthEndMs - NOON_MS;
    const refusal = {
      admitted: false,
      problem: {
        reason: "QUOTA_EXCEEDED",
        message: "The free plan's 3 calls for 2026-11 are used up; the quota resets at 2026-12-01T00:00:00Z.",
        retryAfterMs: untilDecemberMs,
        quotaSubject: "subscription:radio",
        metadata: { service: "radio", plan: "free" },
      },
      identity: IDENTITY,
      limits: {
        plan: small,
        secondRemaining: 2,
        secondResetSeconds: 1,
        monthRemaining: 0,
        monthResetSeconds: untilDecemberMs / 1000,
        monthSeconds: 2_592_000,
      },
    };
    for (let index = 0; index < 20; index++) {
      // None takes a token of the rate, so the needed rate grows with each.
      expect(await scene.admit()).toEqual({ ...refusal, rateNeeded: small.requestsPerSecond + index + 1 });
    }
  });

  test("a rate refusal is not charged to the month", async () => {
    const scene = createScene({ plans: [radioPlan("free", 10, 5)] });
    expect(await scene.admitted(100)).toBe(5);
    scene.clock.advance(1000);
    expect(await scene.admitted(100)).toBe(5);
    scene.clock.advance(1000);
    expect(problemOf(await scene.admit()).reason).toBe("QUOTA_EXCEEDED");
  });

  test("limits belong to the account and service, and all of the account's keys share them", async () => {
    const scene = createScene({ plans: [plan] });
    const second = generateKey(systemRandomness);
    scene.store.credentials.set(second.hash, credentialOf({ key: { id: "key-2" } }));
    expect(await scene.admitted(3)).toBe(3);
    const decisions = [];
    for (let index = 0; index < 3; index++) {
      decisions.push((await scene.admit({ key: second.secret })).admitted);
    }
    expect(decisions).toEqual([true, true, false]);
  });
});

test("no refusal or log line contains a key", async () => {
  const broken = new Error("The record is broken.");
  const scene = createScene();
  scene.change(credentialOf({ key: { disabled: true } }));
  const decisions = [await scene.admit(), await scene.admit({ key: `${scene.key.secret}x` })];
  scene.store.findCredential = () => Promise.reject(broken);
  const another = generateKey(systemRandomness).secret;
  decisions.push(await scene.admit({ key: another }));
  expect(decisions.map((decision) => problemOf(decision).reason)).toEqual(["KEY_REVOKED", "KEY_INVALID", "LIMITS_UNAVAILABLE"]);
  expect(scene.log.lines).toEqual(["A key could not be looked up"]);
  const told = [JSON.stringify(decisions), ...scene.log.written].join();
  expect(told).toContain(broken.message);
  expect([scene.key.secret, another].filter((key) => told.includes(key.slice(8, 20)))).toEqual([]);
});

test("a closed guard refuses every call", async () => {
  const scene = createScene();
  await scene.admit();
  await scene.guard.close();
  expect(await scene.admit()).toEqual({
    admitted: false,
    problem: { reason: "SHUTTING_DOWN", message: "The server is shutting down; retry in 1 s.", retryAfterMs: 1000 },
  });
});

test("a key whose record cannot be read is refused as uncheckable, and logged", async () => {
  const scene = createScene();
  scene.change({ ...credentialOf(), subscriptions: [null as unknown as Subscription] });
  expect(problemOf(await scene.admit()).reason).toBe("LIMITS_UNAVAILABLE");
  expect(scene.log.lines).toEqual(["A key could not be looked up"]);
});

test("a bug in the guard is reported as an internal error and logged with its cause, whether or not the key is cached", async () => {
  const defect = new Error("This plan is broken.");
  const brokenPlan: Plan = {
    ...radioPlan("free", 1000),
    get requestsPerSecond(): number {
      throw defect;
    },
  };
  const scene = createScene({ plans: [brokenPlan] });
  const refusal = { admitted: false, problem: internalProblem(defect) };
  expect(await scene.admit()).toEqual(refusal);
  expect(scene.guard.admit({ key: scene.key.secret, address: ADDRESS, service: "radio", method: METHOD })).toEqual(refusal);
  expect(scene.log.lines).toEqual(["The guard has failed", "The guard has failed"]);
  expect(scene.log.written.map((line) => line.includes(defect.message))).toEqual([true, true]);
});

describe("without contact to the store for too long", () => {
  const stale = {
    reason: "LIMITS_UNAVAILABLE",
    message: "This API key cannot be validated at the moment; retry in 1 s.",
    retryAfterMs: 1000,
    metadata: { service: "radio" },
  };

  test("a cached key is refused until there is contact again", async () => {
    const { store, clock, admit } = createScene();
    store.nodeStatus.setFreshUntil(10_000);
    admissionOf(await admit());
    clock.advance(9999);
    await settled();
    admissionOf(await admit());
    const requested = store.requested.length;
    clock.advance(1);
    expect(await admit()).toEqual({ admitted: false, problem: stale });
    expect(store.requested).toHaveLength(requested);
    store.nodeStatus.setFreshUntil(clock.monotonicMs() + 10_000);
    admissionOf(await admit());
  });

  test.each([
    ["one that is cached as unknown", generateKey(systemRandomness).secret, stale],
    [
      "none",
      undefined,
      {
        reason: "KEY_MISSING",
        message:
          "Send your API key in the x-gateway-key header. To get one, sign up at /app; or POST /account/v1/sign-up, follow the link if you get an e-mail, then POST /account/v1/keys.",
      },
    ],
    [
      "one that is malformed",
      "letmein",
      {
        reason: "KEY_INVALID",
        message:
          "The x-gateway-key header does not contain a Quintet API key: a key is qk_live_ (qk_test_ in a sandbox) followed by 38 or 40 letters and digits.",
      },
    ],
  ])("a call with %s gets the specific error", async (_, key, problem) => {
    const { store, clock, admit } = createScene();
    store.nodeStatus.setFreshUntil(10_000);
    await admit({ key });
    clock.advance(10_000);
    expect(await admit({ key })).toEqual({ admitted: false, problem });
  });

  test("a connected caller is notified, even without a change", async () => {
    const { store, clock, admit } = createScene();
    store.nodeStatus.setFreshUntil(10_000);
    const reasons: string[] = [];
    admissionOf(await admit()).watch((refusal) => reasons.push(refusal.problem.reason));
    clock.advance(10_000);
    await settled();
    expect(reasons).toEqual(["LIMITS_UNAVAILABLE"]);
  });
});
