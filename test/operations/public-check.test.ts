import type { Exchange } from "@quintet/http";
import { describe, expect, test } from "vitest";
import type { Admitted, Refused } from "../../src/guard/guard.ts";
import { createPublicCheck, peerKey } from "../../src/operations/public-check.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const METHOD = "grpc.health.v1.Health/Check";
const from = (peer: string): Exchange => ({ client: { address: peer } }) as unknown as Exchange;

function scene() {
  const clock = createManualClock({ nowMs: 0 });
  const check = createPublicCheck(clock, { burst: 2, everyMs: 1000 });
  return { clock, check, admit: (peer: string) => check.admit(from(peer), METHOD) as Admitted | Refused };
}

// The admission. Throws if the call was refused.
function admittedOf(decision: Admitted | Refused): Admitted {
  if (!decision.admitted) {
    throw new Error(decision.problem.message);
  }
  return decision;
}

describe("a caller without a key", () => {
  test("is admitted under their address, without headers about limits", () => {
    const { caller, limits } = admittedOf(scene().admit("203.0.113.9"));
    expect([caller, limits]).toEqual([{ key: peerKey, value: "203.0.113.9" }, undefined]);
  });

  test("is refused if they call too often, until they may call again; others are not", () => {
    const { clock, admit } = scene();
    const admitted = (peer: string): boolean => admit(peer).admitted;
    expect(["192.0.2.1", "192.0.2.1", "192.0.2.1", "198.51.100.1"].map(admitted)).toEqual([true, true, false, true]);
    expect(admit("192.0.2.1")).toEqual({
      admitted: false,
      problem: {
        reason: "RATE_LIMITED",
        message: "Too many calls from this network; retry in 1 s.",
        retryAfterMs: 1000,
      },
    });
    clock.advance(1000);
    expect([admitted("192.0.2.1"), admitted("192.0.2.1")]).toEqual([true, false]);
  });

  test("may keep a stream open for as long as they like: a renewal does not count as a call", async () => {
    const { admit } = scene();
    const admission = admittedOf(admit("192.0.2.1"));
    for (let minute = 0; minute < 10; minute += 1) {
      const renewed = await admission.renew();
      expect(renewed.admitted).toBe(true);
    }
    expect(admit("192.0.2.1").admitted).toBe(true);
  });

  test("may send only small messages, which share the memory for all unknown callers", () => {
    expect(scene().check.messageLimits).toEqual({
      bodyBytesMax: 4096,
      messageBytesMax: 4096,
      allowsGzip: true,
      isCallerKnown: false,
    });
  });
});
