// When the background job adds up counts: not all buckets in one burst, and a backlog without delay.
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../src/runtime/log.ts";
import { startCountAggregation } from "../../src/store/store-jobs.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const settled = () => new Promise(setImmediate);

/** Runs the job with this many due buckets for some seconds. Returns the seconds in which buckets were added up, one for each bucket. */
async function secondsOf(buckets: number, forS: number, unit: number): Promise<readonly number[]> {
  const clock = createManualClock({ nowMs: 0 });
  const seconds: number[] = [];
  const startMs = clock.monotonicMs();
  const store = {
    nodeStatus: { aliveNodes: 1 },
    async addUpCounts() {
      if (seconds.length === buckets) {
        return false;
      }
      seconds.push(Math.floor((clock.monotonicMs() - startMs) / 1000));
      return true;
    },
  };
  onTestFinished(startCountAggregation({ store, clock, randomness: { unit: () => unit }, log: createLog("silent") }));
  for (let passedMs = 0; passedMs < forS * 1000; passedMs += 5) {
    clock.advance(5);
    await settled();
  }
  return seconds;
}

test("the buckets are added up over half a minute, two or three in a second", async () => {
  const seconds = await secondsOf(64, 40, 0.5);
  expect(seconds).toHaveLength(64);
  expect(seconds.at(-1)).toBeGreaterThan(30);
  const ofSeconds = [...Map.groupBy(seconds, (second) => second).values()].map(({ length }) => length);
  expect(Math.max(...ofSeconds)).toBeLessThanOrEqual(3);
});

test("a backlog of more than a minute is added up without long pauses", async () => {
  const seconds = await secondsOf(Number.POSITIVE_INFINITY, 70, 0.99);
  expect(seconds.filter((second) => second < 60).length).toBeLessThan(70);
  expect(seconds.filter((second) => second === 68).length).toBeGreaterThanOrEqual(30);
});
