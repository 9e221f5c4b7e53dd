import { describe, expect, test } from "vitest";
import { createRetryAfterTracker } from "../../src/upstream/attempts.ts";
import { createResponseCache } from "../../src/upstream/response-cache.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const fetched = (value: unknown, bodyBytes: number) => ({ value, receivedAtMs: 0, validators: {}, bodyBytes });
const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `key ${index}`);

describe("the short cache", () => {
  const held = (sizes: readonly number[]): number[] => {
    const cache = createResponseCache({ maxAgeMs: 1000, clock: createManualClock({ nowMs: 0 }) });
    for (const [index, size] of sizes.entries()) {
      cache.set(String(index), fetched(index, size));
    }
    return sizes.map((_, index) => index).filter((index) => cache.get(String(index)) !== undefined);
  };
  const mebibyte = 1024 * 1024;

  test("keeps the newest 500 responses", () => {
    expect(held(new Array(502).fill(10))).toEqual(Array.from({ length: 500 }, (_, index) => index + 2));
  });

  test("keeps 16 MiB of bodies, and no body larger than that", () => {
    expect(held([10 * mebibyte, 5 * mebibyte, 2 * mebibyte])).toEqual([1, 2]);
    expect(held([1, 16 * mebibyte + 1])).toEqual([0]);
  });

  test("counts a response that is replaced once", () => {
    const cache = createResponseCache({ maxAgeMs: 1000, clock: createManualClock({ nowMs: 0 }) });
    cache.set("other", fetched("kept", 1));
    for (const round of [1, 2, 3]) {
      cache.set("same", fetched(round, 10 * mebibyte));
    }
    expect([cache.get("other")?.value, cache.get("same")?.value]).toEqual(["kept", 3]);
  });

  test("keeps nothing if responses may not be cached", () => {
    const cache = createResponseCache({ maxAgeMs: 0, clock: createManualClock({ nowMs: 0 }) });
    cache.set("key", fetched(1, 1));
    expect(cache.get("key")).toBeUndefined();
  });
});

test("the number of origins to avoid is limited: the oldest is forgotten", () => {
  const retryAfter = createRetryAfterTracker(createManualClock({ nowMs: 0 }));
  for (const origin of keys(65)) {
    retryAfter.note(origin, 429, 1000);
  }
  expect(() => retryAfter.check("key 0")).not.toThrow();
  expect(() => retryAfter.check("key 1")).toThrow("the upstream had asked us to wait");
});

test("the longest wait of several concurrent responses applies", () => {
  const clock = createManualClock({ nowMs: 0 });
  const retryAfter = createRetryAfterTracker(clock);
  retryAfter.note("origin", 429, 60_000);
  retryAfter.note("origin", 429, 1000);
  clock.advance(59_999);
  expect(() => retryAfter.check("origin")).toThrow("the upstream had asked us to wait");
  clock.advance(1);
  expect(() => retryAfter.check("origin")).not.toThrow();
});
