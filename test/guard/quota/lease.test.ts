import { describe, expect, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { addGrant, callsLeft, refundCalls, shrinkLease, spendCall } from "../../../src/guard/quota/lease.ts";
import { leaseMax, leaseSize, leaseWant } from "../../../src/guard/quota/lease-size.ts";
import { radioPlan } from "../scene.ts";

const november = 24_322;
const december = 24_323;

function leaseOf(calls: number) {
  const { words } = new SlotTable(1);
  addGrant(words, 0, november, calls);
  return words;
}

describe("a lease in memory", () => {
  test("is spent exactly to the last call", () => {
    const words = leaseOf(2);
    expect([1, 2, 3, 4].map(() => spendCall(words, 0, november))).toEqual([1, 0, -1, -1]);
    expect(callsLeft(words, 0, november)).toBe(0);
  });

  test("can be used in its own month only", () => {
    const words = leaseOf(2);
    expect([spendCall(words, 0, december), callsLeft(words, 0, december), shrinkLease(words, 0, december, 0)]).toEqual([-1, 0, 0]);
    expect(refundCalls(words, 0, december, 1)).toBe(0);
    expect(callsLeft(words, 0, november)).toBe(2);
  });

  test("accepts refunds of spent calls, even when empty", () => {
    const words = leaseOf(1);
    spendCall(words, 0, november);
    expect(refundCalls(words, 0, november, 1)).toBe(1);
    expect(spendCall(words, 0, november)).toBe(0);
  });

  test("grows by a grant for its month, and is replaced by a grant for another month", () => {
    const words = leaseOf(2);
    addGrant(words, 0, november, 3);
    expect(callsLeft(words, 0, november)).toBe(5);
    addGrant(words, 0, december, 4);
    expect([callsLeft(words, 0, november), callsLeft(words, 0, december)]).toEqual([0, 4]);
  });

  test("releases what exceeds a limit", () => {
    const words = leaseOf(10);
    expect([shrinkLease(words, 0, november, 7), shrinkLease(words, 0, november, 7), callsLeft(words, 0, november)]).toEqual([
      3, 0, 7,
    ]);
  });
});

test("a freed slot is reused, empty", () => {
  const table = new SlotTable(2);
  const slots = [table.take(), table.take(), table.take()];
  addGrant(table.words, 0, november, 5);
  table.free(0);
  expect([slots, table.take(), callsLeft(table.words, 0, november)]).toEqual([[0, 1, undefined], 0, 0]);
});

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
