import { describe, expect, test } from "vitest";
import { NetworkAllowance, networkAllowanceCells } from "../../../src/guard/memory/network-allowance.ts";

const SEED = Uint8Array.of(1, 2, 3, 4);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LIMITS = [
  { calls: 3, everyMs: MINUTE_MS },
  { calls: 5, everyMs: DAY_MS },
];

const create = (limits = LIMITS) => {
  const cells = networkAllowanceCells(limits.length, SEED);
  return { cells, allowance: new NetworkAllowance(cells, limits) };
};

// How many of `calls` are allowed, all at `nowMs`, from addresses that `address` makes of their numbers.
const allowed = (allowance: NetworkAllowance, address: (index: number) => string, calls: number, nowMs = 0): number =>
  Array.from({ length: calls }, (_, index) => allowance.take(address(index), nowMs)).filter((short) => short === undefined).length;

describe("a network's allowance", () => {
  test("lets through as many calls as the first limit allows, and says when there is one more", () => {
    const { allowance } = create();
    expect(Array.from({ length: 4 }, () => allowance.take("192.0.2.1", 1000))).toEqual([
      undefined,
      undefined,
      undefined,
      { limit: 0, waitMs: 20_000 },
    ]);
    expect(allowance.take("192.0.2.1", 21_000)).toBeUndefined();
  });

  test("is bounded by the second limit, whose refusals cost nothing of the first", () => {
    const { allowance } = create();
    let nowMs = 0;
    let count = 0;
    for (; count < 100 && allowance.take("192.0.2.1", nowMs) === undefined; count++) {
      nowMs += MINUTE_MS;
    }
    // Five at once, and one more for each 4.8 hours.
    expect(count).toBe(5);
    expect(allowance.take("192.0.2.1", nowMs)).toEqual({ limit: 1, waitMs: DAY_MS / 5 - nowMs });
    expect(allowed(allowance, () => "192.0.2.1", 1, nowMs + DAY_MS)).toBe(1);
  });

  test.each([
    ["addresses of an IPv6 /64", (index: number) => `2001:db8:0:1::${index.toString(16)}`, 3],
    ["an address, and the same mapped into IPv6", (index: number) => (index % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1"), 3],
    ["addresses of an IPv4 /24", (index: number) => `192.0.2.${index % 256}`, 12],
    ["/64s of an IPv6 /56", (index: number) => `2001:db8:0:${(index % 256).toString(16)}::1`, 12],
    ["/56s of an IPv6 /48", (index: number) => `2001:db8:0:${((index % 256) * 256).toString(16)}::1`, 48],
    ["addresses of different networks", (index: number) => `10.${index >> 8}.${index & 255}.1`, 600],
  ])("is shared by %s", (_, address, most) => {
    const { allowance } = create([{ calls: 3, everyMs: MINUTE_MS }]);
    const count = allowed(allowance, address, 600);
    // Networks may share a cell by chance, which this seed makes the same in each run.
    expect(count).toBeLessThanOrEqual(most);
    expect(count).toBeGreaterThanOrEqual(most * 0.98);
  });

  test("is counted by all threads in the same memory", () => {
    const { cells, allowance } = create();
    const other = new NetworkAllowance(cells, LIMITS);
    expect(allowed(allowance, () => "192.0.2.1", 2)).toBe(2);
    expect(allowed(other, () => "192.0.2.1", 2)).toBe(1);
  });
});
