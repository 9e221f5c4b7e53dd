import { describe, expect, test } from "vitest";
import { leaseMax, leaseSize, leaseWant } from "../../../src/guard/quota/lease-size.ts";
import { radioPlan } from "../scene.ts";

describe("the size of a lease", () => {
  test.each([
    // [calls a month, requests a second, most, at first, with much left, with 100 left, with 9 left, with none left]
    [20_000, 5, 200, 20, 200, 10, 1, 1],
    [10_000_000, 120, 7200, 720, 7200, 10, 1, 1],
    [650, 2, 6, 1, 6, 6, 1, 1],
    [199, 1000, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 1, 1],
  ])("of %d calls a month at %d a second", (calls, rate, most, first, ...sizes) => {
    const plan = radioPlan("free", calls, rate);
    expect([leaseMax(plan), leaseSize(plan, undefined, 1)]).toEqual([most, first]);
    expect([1_000_000, 100, 9, 0].map((unleased) => leaseSize(plan, unleased, 1))).toEqual(sizes);
  });

  test.each([
    // [nodes, at first, with the whole month left, with 10,000 left, with 100 left, with none left]
    [1, 60, 600, 600, 10, 1],
    [10, 60, 600, 100, 1, 1],
    [100, 10, 100, 10, 1, 1],
    [1000, 1, 10, 1, 1, 1],
    [100_000, 1, 1, 1, 1, 1],
  ])("on each of %d nodes lets all of them together hold about a tenth of the rest", (nodes, first, ...sizes) => {
    const plan = radioPlan("free", 100_000, 10);
    expect([undefined, 100_000, 10_000, 100, 0].map((unleased) => leaseSize(plan, unleased, nodes))).toEqual([first, ...sizes]);
  });

  test("on one of many nodes is at least the number of waiting calls", () => {
    expect(leaseWant(radioPlan("free", 100_000, 10), 10_000, 1000, 0, 25)).toBe(25);
  });

  test.each([
    // [unleased, left, waiting, want]
    [undefined, 0, 1, 20],
    [undefined, 0, 50, 50],
    [19_980, 0, 1, 200],
    [19_980, 90, 0, 110],
    [19_980, 199, 500, 1],
    [19_980, 150, 500, 50],
    [50, 1, 0, 4],
    [3, 0, 7, 7],
  ])("with %s unleased, %d left and %d waiting requests %d", (unleased, left, waiting, want) => {
    expect(leaseWant(radioPlan("free", 20_000, 5), unleased, 1, left, waiting)).toBe(want);
  });
});
