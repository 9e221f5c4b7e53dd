// Keys that may only be used from some addresses, or by pages of some origins.
import { describe, expect, test } from "vitest";
import type { AllowedCallers } from "../../src/store/records.ts";
import { ADDRESS, admissionOf, createScene, credentialOf, problemOf, radioPlan, settled } from "./scene.ts";

const ORIGIN = "https://app.example.com";
const limited = (allowed: Partial<AllowedCallers>) => credentialOf({ key: allowed });

describe("a key that is limited to addresses", () => {
  test.for<{ allowedAddresses: readonly string[]; address: string; isAllowed: boolean }>([
    { allowedAddresses: [ADDRESS], address: ADDRESS, isAllowed: true },
    { allowedAddresses: [ADDRESS], address: `::ffff:${ADDRESS}`, isAllowed: true },
    { allowedAddresses: [ADDRESS], address: "203.0.113.8", isAllowed: false },
    { allowedAddresses: ["10.0.0.0/8", "203.0.113.0/24"], address: "203.0.113.255", isAllowed: true },
    { allowedAddresses: ["10.0.0.0/8", "203.0.113.0/24"], address: "203.0.114.0", isAllowed: false },
    { allowedAddresses: ["2001:db8::/32"], address: "2001:db8:ffff::1", isAllowed: true },
    { allowedAddresses: ["2001:db8::/32"], address: "2001:db9::1", isAllowed: false },
    { allowedAddresses: ["2001:db8::/32"], address: ADDRESS, isAllowed: false },
    { allowedAddresses: ["10.0.0.0/8"], address: "", isAllowed: false },
  ])("$allowedAddresses, used from $address, is admitted: $isAllowed", async ({ allowedAddresses, address, isAllowed }) => {
    const scene = createScene();
    scene.change(limited({ allowedAddresses }));
    const decision = await scene.admit({ address });
    expect(decision.admitted).toBe(isAllowed);
    if (!decision.admitted) {
      expect(decision.problem).toEqual({
        reason: "KEY_ADDRESS_REFUSED",
        message: `This API key may not be used from ${address}. Call from one of its allowed addresses, or add this one: PATCH /account/v1/keys/key-1.`,
      });
    }
  });
});

describe("a key that is limited to origins", () => {
  const notOf = (origin: string): string =>
    `This API key may not be used by pages from ${origin}. Call from a page on one of its allowed origins, or add this one: PATCH /account/v1/keys/key-1.`;

  test.for<{ origin: string | undefined; message: string | undefined }>([
    { origin: ORIGIN, message: undefined },
    { origin: "https://evil.example", message: notOf("https://evil.example") },
    { origin: `${ORIGIN}.evil.example`, message: notOf(`${ORIGIN}.evil.example`) },
    { origin: "http://app.example.com", message: notOf("http://app.example.com") },
    { origin: `${ORIGIN}:8443`, message: notOf(`${ORIGIN}:8443`) },
    { origin: `${ORIGIN}, ${ORIGIN}`, message: notOf("this origin") },
    { origin: "null", message: notOf("this origin") },
    { origin: "", message: notOf("this origin") },
    {
      origin: undefined,
      message:
        "This API key may only be used by pages from its allowed origins, and the call has no Origin header. Use another key for calls from outside a browser.",
    },
  ])("called from $origin", async ({ origin, message }) => {
    const scene = createScene();
    scene.change(limited({ allowedOrigins: ["https://other.example", ORIGIN] }));
    const decision = await scene.admit({ origin });
    expect(decision.admitted ? undefined : decision.problem).toEqual(
      message === undefined ? undefined : { reason: "KEY_ORIGIN_REFUSED", message },
    );
  });

  test("that is limited to addresses too, needs both", async () => {
    const scene = createScene();
    scene.change(limited({ allowedAddresses: [ADDRESS], allowedOrigins: [ORIGIN] }));
    const reasonFor = async (request: { address?: string; origin?: string }) => {
      const decision = await scene.admit(request);
      return decision.admitted ? "OK" : decision.problem.reason;
    };
    expect(await reasonFor({ origin: ORIGIN })).toBe("OK");
    expect(await reasonFor({})).toBe("KEY_ORIGIN_REFUSED");
    expect(await reasonFor({ origin: ORIGIN, address: "203.0.113.8" })).toBe("KEY_ADDRESS_REFUSED");
  });
});

test("such a refusal uses nothing of the rate and the month, and is counted as the key's", async () => {
  const scene = createScene({ plans: [radioPlan("free", 2, 2)] });
  scene.change(limited({ allowedAddresses: [ADDRESS] }));
  for (let call = 0; call < 10; call++) {
    expect(problemOf(await scene.admit({ address: "203.0.113.8" })).reason).toBe("KEY_ADDRESS_REFUSED");
  }
  expect(scene.store.requested.filter((query) => query.startsWith("lease"))).toEqual([]);
  expect(await scene.admitted(2)).toBe(2);
  scene.clock.advance(1000);
  await settled();
  const row = { accountId: "acme", keyId: "key-1", service: "radio", day: "2026-11-21", hour: 12, rateNeeded: 0 };
  expect(scene.store.refusals).toEqual([{ ...row, reason: "KEY_ADDRESS_REFUSED", calls: 10 }]);
});

test("a revoked key says so, wherever it is used", async () => {
  const scene = createScene();
  scene.change(credentialOf({ key: { allowedAddresses: ["10.0.0.1"], revokedAtMs: 1 } }));
  expect(problemOf(await scene.admit()).reason).toBe("KEY_REVOKED");
});

test("whoever identifies themselves needs an allowed address and origin too", async () => {
  const scene = createScene();
  scene.change(limited({ allowedAddresses: [ADDRESS], allowedOrigins: [ORIGIN] }));
  const identify = async (address: string, origin?: string) => {
    const found = await scene.guard.identify({ key: scene.key.secret, address, origin });
    return "problem" in found ? found.problem.reason : "OK";
  };
  expect(await identify(ADDRESS, ORIGIN)).toBe("OK");
  expect(await identify("203.0.113.8", ORIGIN)).toBe("KEY_ADDRESS_REFUSED");
  expect(await identify(ADDRESS)).toBe("KEY_ORIGIN_REFUSED");
});

test("a caller who stays connected must stop when their address is no longer allowed", async () => {
  const scene = createScene();
  scene.change(limited({ allowedAddresses: ["203.0.113.0/24"] }));
  const stays = admissionOf(await scene.admit());
  const moves = admissionOf(await scene.admit({ address: "203.0.113.8" }));
  const ended: string[] = [];
  stays.watch(({ problem }) => ended.push(`stays ${problem.reason}`));
  moves.watch(({ problem }) => ended.push(`moves ${problem.reason}`));
  scene.change(limited({ allowedAddresses: [ADDRESS] }));
  await settled();
  expect(ended).toEqual(["moves KEY_ADDRESS_REFUSED"]);
});
