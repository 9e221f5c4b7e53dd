import { expect, test } from "vitest";
import { CallsInFlight } from "../../../src/guard/memory/slots.ts";

test("each thread's calls in progress are counted by slot and lease", () => {
  const calls = new CallsInFlight(2, 4);
  calls.begin(0, 1, 7);
  calls.begin(0, 1, 7);
  calls.begin(0, 3, 9);
  calls.begin(1, 1, 7);
  calls.end(0, 1, 7);
  expect([0, 1, 2, 3].map((slot) => calls.hasAny(slot))).toEqual([false, true, false, true]);
  expect(calls.takeAll(0)).toEqual([
    { slot: 1, leaseId: 7, calls: 1 },
    { slot: 3, leaseId: 9, calls: 1 },
  ]);
  expect(calls.takeAll(0)).toEqual([]);
  expect([0, 1, 2, 3].map((slot) => calls.hasAny(slot))).toEqual([false, true, false, false]);
});

test("calls of a newer lease replace those of an older one, whose ends then change nothing", () => {
  const calls = new CallsInFlight(1, 1);
  calls.begin(0, 0, 7);
  calls.begin(0, 0, 8);
  calls.end(0, 0, 7);
  expect(calls.takeAll(0)).toEqual([{ slot: 0, leaseId: 8, calls: 1 }]);
});

test("another thread sees the same counts in the same memory", () => {
  const calls = new CallsInFlight(2, 2);
  new CallsInFlight(2, 2, calls.words).begin(1, 0, 5);
  expect(calls.takeAll(1)).toEqual([{ slot: 0, leaseId: 5, calls: 1 }]);
});
