import { describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../../../../src/runtime/log.ts";
import { type Day, dayOfMs } from "../../../../src/services/bitcoin/day.ts";
import { createFeed, type Feed } from "../../../../src/services/bitcoin/feeds/feed.ts";
import type { Deadline } from "../../../../src/upstream/deadline.ts";
import { UpstreamFault } from "../../../../src/upstream/fault.ts";
import { createCountingRandomness } from "../../../fixtures/counting-randomness.ts";
import { createManualClock, type ManualClock } from "../../../fixtures/manual-clock.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const start = Date.UTC(2026, 10, 21, 12);
const today = dayOfMs(start);

interface Reading {
  readonly held: Day | undefined;
  readonly yesterday: Day;
  /** Ends the reading with the day of the newest data, or with a fault. */
  end(outcome: Day | Error): Promise<void>;
}

interface Scene {
  readonly feed: Feed<Day>;
  readonly clock: ManualClock;
  readonly readings: Reading[];
  readonly read: (more?: Partial<Deadline>) => Promise<unknown>;
}

/** Waits until promises that were just resolved have been handled. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A feed whose data is only the newest day; the test ends each reading. */
function startFeed(): Scene {
  const clock = createManualClock({ nowMs: start });
  const readings: Reading[] = [];
  const feed = createFeed<Day>({
    name: "test",
    read: (held, yesterday, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        readings.push({
          held,
          yesterday,
          end: (outcome) => {
            if (outcome instanceof Error) {
              reject(outcome);
            } else {
              resolve(outcome);
            }
            return settled();
          },
        });
      }),
    newestDay: (day) => day,
    completeDay: (day) => day,
    clock,
    randomness: createCountingRandomness(),
    log: createLog("silent"),
  });
  onTestFinished(() => feed.close());
  const never = new AbortController().signal;
  const read = (more: Partial<Deadline> = {}): Promise<unknown> =>
    feed.get({ signal: never, timeLeftMs: () => 20_000, ...more }).catch((fault: unknown) => fault);
  return { feed, clock, readings, read };
}

const endAt = (readings: readonly Reading[], index: number, outcome: Day | Error): Promise<void> | undefined =>
  readings[index]?.end(outcome);

describe("a feed", () => {
  test("reads nothing before the first call", () => {
    const { clock, readings } = startFeed();
    clock.advance(24 * hourMs);
    expect(readings).toEqual([]);
  });

  test("reads once for all callers, up to yesterday", async () => {
    const { readings, read } = startFeed();
    const responses = [read(), read(), read()];
    await endAt(readings, 0, today - 1);
    expect([await Promise.all(responses), readings.map(({ held, yesterday }) => [held, yesterday])]).toEqual([
      [today - 1, today - 1, today - 1],
      [[undefined, today - 1]],
    ]);
  });

  test("responds from what it holds, and reads nothing while no day is missing", async () => {
    const { clock, readings, read } = startFeed();
    const first = read();
    await endAt(readings, 0, today - 1);
    clock.advance(11 * hourMs);
    expect([await first, await read(), readings.length]).toEqual([today - 1, today - 1, 1]);
  });

  test("looks for a new day every quarter of an hour until it is there, while callers get the day before", async () => {
    const { clock, readings, read } = startFeed();
    const first = read();
    await endAt(readings, 0, today - 1);
    await first;
    clock.advance(12 * hourMs + 15 * minuteMs);
    expect(readings.slice(1).map(({ held, yesterday }) => [held, yesterday])).toEqual([[today - 1, today]]);
    await endAt(readings, 1, today - 1);
    expect(await read()).toBe(today - 1);
    clock.advance(15 * minuteMs);
    await endAt(readings, 2, today);
    expect(await read()).toBe(today);
    clock.advance(hourMs);
    expect(readings).toHaveLength(3);
  });

  test("serves what it holds while readings fail, and when it is more than four days old, tries first", async () => {
    const { clock, readings, read } = startFeed();
    const first = read();
    await endAt(readings, 0, today - 1);
    await first;
    const fault = new UpstreamFault("status", "responded with status 503");
    const failUntil = async (hours: number): Promise<void> => {
      for (let hour = 0; hour < hours; hour += 1) {
        clock.advance(hourMs);
        await endAt(readings, readings.length - 1, fault);
      }
    };
    await failUntil(3 * 24 + 11);
    expect(await read()).toBe(today - 1);
    await failUntil(2);
    clock.advance(minuteMs);
    const late = read();
    await endAt(readings, readings.length - 1, fault);
    expect(await late).toBe(today - 1);
    const count = readings.length;
    expect([await read(), readings.length]).toEqual([today - 1, count]);
    clock.advance(15_000);
    const hasty = read({ timeLeftMs: () => 100 });
    clock.advance(100);
    expect([await hasty, readings.length]).toEqual([today - 1, count + 1]);
    const later = read();
    await endAt(readings, count, today + 2);
    expect(await later).toBe(today + 2);
  });

  test("reports a failed reading at once for 15 seconds, and then tries again", async () => {
    const { clock, readings, read } = startFeed();
    const fault = new UpstreamFault("connect", "no response");
    const first = read();
    await endAt(readings, 0, fault);
    expect([await first, await read(), readings.length]).toEqual([fault, fault, 1]);
    clock.advance(15_000);
    const second = read();
    expect(readings).toHaveLength(2);
    await endAt(readings, 1, today - 1);
    expect(await second).toBe(today - 1);
  });

  test.each([
    [4, 1],
    [5, 2],
  ])("gives data whose newest day is %i days old, and 15 seconds later has made %i readings", async (daysOld, count) => {
    const { clock, readings, read } = startFeed();
    const first = read();
    await endAt(readings, 0, today - daysOld);
    expect([await first, await read(), readings.length]).toEqual([today - daysOld, today - daysOld, 1]);
    clock.advance(15_000);
    const second = read();
    await endAt(readings, 1, today - daysOld);
    expect([await second, readings.length]).toEqual([today - daysOld, count]);
  });

  test("releases a caller whose time is up, and continues for the others", async () => {
    const { clock, readings, read } = startFeed();
    const hasty = read({ timeLeftMs: () => 100 });
    const leaving = new AbortController();
    const gone = read({ signal: leaving.signal });
    const patient = read();
    clock.advance(100);
    leaving.abort();
    const timeUp = new UpstreamFault("timeout", "the caller's time is up");
    expect([await hasty, await gone]).toEqual([timeUp, timeUp]);
    await endAt(readings, 0, today - 1);
    expect([await patient, readings.length]).toEqual([today - 1, 1]);
  });

  test("releases a caller that has already gone at once", async () => {
    const { read } = startFeed();
    expect(await read({ signal: AbortSignal.abort() })).toEqual(new UpstreamFault("timeout", "the caller's time is up"));
  });

  test("aborts the reading in progress when it is closed, leaves nothing scheduled, and refuses later calls", async () => {
    const { feed, clock, readings, read } = startFeed();
    const waiting = read();
    await feed.close();
    const closed = new UpstreamFault("connect", "closed");
    expect([await waiting, await read(), readings.length, clock.pending]).toEqual([closed, closed, 1, 0]);
  });
});
