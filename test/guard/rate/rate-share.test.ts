// A node's share of a rate, by the clock.
import { describe, expect, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { DividedBuckets } from "../../../src/guard/rate/divided-buckets.ts";
import { RateShare } from "../../../src/guard/rate/rate-share.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const START_MS = 10_000;

function shareOf(nodes: number): RateShare {
  const share = new RateShare({ own: new SharedBuckets(new SlotTable(1).words), nodes: () => nodes });
  share.begin(START_MS);
  return share;
}

/** How many of a large number of requests are admitted at one time. */
function admittedAt(share: RateShare, requestsPerSecond: number, atMs: number): number {
  let admitted = 0;
  while (admitted < 10_000 && share.take(0, requestsPerSecond, atMs).taken) {
    admitted++;
  }
  return admitted;
}

describe("the share of a node that begins to count alone admits", () => {
  test.each([
    // A single node has the whole rate, from a bucket that starts empty.
    { nodes: 1, rate: 100, after: [0, 100, 500, 1500, 9000], admitted: [0, 10, 40, 100, 100] },
    // A fifth, split among the nodes that count alone, until the others have noticed; then its share, from an empty bucket again.
    { nodes: 2, rate: 100, after: [0, 100, 900, 1000, 1100, 2000, 9000], admitted: [0, 2, 16, 0, 5, 45, 50] },
    { nodes: 3, rate: 300, after: [0, 105, 905, 1000, 1100, 2000, 9000], admitted: [0, 3, 24, 0, 10, 90, 100] },
    { nodes: 10, rate: 100, after: [450, 1000, 2000, 9000], admitted: [1, 0, 10, 10] },
    // Less than one a second.
    { nodes: 4, rate: 1, after: [0, 1000, 4999, 5000, 8999, 9000], admitted: [0, 0, 0, 1, 0, 1] },
  ])("$rate/s and $nodes nodes: $admitted", ({ nodes, rate, after, admitted }) => {
    const share = shareOf(nodes);
    expect(after.map((ms) => admittedAt(share, rate, START_MS + ms))).toEqual(admitted);
  });
});

test("a refunded token can be taken again", () => {
  const share = shareOf(2);
  const nowMs = START_MS + 1500;
  expect(admittedAt(share, 4, nowMs)).toBe(1);
  share.refund(0, 4, nowMs);
  expect(admittedAt(share, 4, nowMs)).toBe(1);
});

test("nodes without Redis adapt to their number", () => {
  const clock = createManualClock({ nowMs: 0 });
  let nodes = 1;
  const buckets = new DividedBuckets({ own: new SharedBuckets(new SlotTable(1).words), nodesAlive: () => nodes, clock });
  const admitted = (): number => {
    let count = 0;
    while (count < 1000 && buckets.take(0, 60, clock.monotonicMs()).taken) {
      count++;
    }
    return count;
  };
  const counts = [1, 2, 3, 1].map((number) => {
    nodes = number;
    clock.advance(5000);
    return admitted();
  });
  expect(counts).toEqual([60, 30, 20, 60]);
});
