import { describe, expect, test } from "vitest";
import { tooManyWatchers } from "../../../src/account/refusals.ts";
import { CallFeed } from "../../../src/account/watch/call-feed.ts";
import type { CallRecord } from "../../../src/account/watch/call-record.ts";
import type { CallFilter } from "../../../src/account/watch/call-watcher.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const ALL: CallFilter = { service: undefined, keyId: undefined, onlyRefused: false };
const MINUTE_MS = 60_000;
const never = new AbortController().signal;

const call = (id: number, changes: Partial<CallRecord> = {}): CallRecord => ({
  id: `call-${id}`,
  startedAtMs: 0,
  service: "farkle",
  method: "quintet.farkle.v1.FarkleService/Score",
  protocol: "rest",
  httpStatus: 200,
  outcome: "OK",
  isRefused: false,
  isDryRun: false,
  durationMs: 1,
  requestBytes: 0,
  responseBytes: 100,
  requestId: "r",
  keyId: "k-1",
  keyLastFour: "abcd",
  ...changes,
});

const calls = (from: number, to: number): CallRecord[] => Array.from({ length: to - from + 1 }, (_, index) => call(from + index));

function open() {
  const clock = createManualClock({ nowMs: 0 });
  const feed = new CallFeed(clock);
  const add = (batch: readonly CallRecord[], leftOut = 0): void => feed.add([{ accountId: "a-1", calls: batch, leftOut }]);
  return { clock, feed, add };
}

describe("a watcher", () => {
  test("gets its own account's calls, in messages of at most 100", async () => {
    const { feed, add } = open();
    const { watcher, backlog } = feed.watch("a-1", ALL, 100);
    feed.add([{ accountId: "a-2", calls: [call(0)], leftOut: 0 }]);
    add(calls(1, 60));
    add(calls(61, 130));
    expect(backlog).toEqual([]);
    expect(await watcher.take(10, never)).toEqual({ calls: calls(1, 100), leftOut: 0 });
    expect(await watcher.take(10, never)).toEqual({ calls: calls(101, 130), leftOut: 0 });
  });

  test.each([
    ["a service", { ...ALL, service: "radio" }, [call(2, { service: "radio" })]],
    ["a key", { ...ALL, keyId: "k-2" }, [call(3, { keyId: "k-2" })]],
    ["what is refused", { ...ALL, onlyRefused: true }, [call(4, { isRefused: true })]],
  ] as const)("gets only the calls of %s if it asks for that, in the backlog too", async (_, filter, wanted) => {
    const { feed, add } = open();
    const { watcher } = feed.watch("a-1", filter, 0);
    add([call(1), call(2, { service: "radio" }), call(3, { keyId: "k-2" }), call(4, { isRefused: true })]);
    expect(await watcher.take(10, never)).toEqual({ calls: wanted, leftOut: 0 });
    expect(feed.watch("a-1", filter, 100).backlog).toEqual(wanted);
  });

  test("waits for the given time, or until its stream is over, when there are no calls", async () => {
    const { clock, feed } = open();
    const { watcher } = feed.watch("a-1", ALL, 0);
    const controller = new AbortController();
    const [timed, aborted] = [watcher.take(10, never), feed.watch("a-1", ALL, 0).watcher.take(10, controller.signal)];
    controller.abort();
    expect(await aborted).toBeUndefined();
    clock.advance(10);
    expect(await timed).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  test("that does not read keeps the newest 500 calls, and gets the number of calls that were left out", async () => {
    const { feed, add } = open();
    const { watcher } = feed.watch("a-1", ALL, 0);
    add(calls(1, 300), 7);
    add(calls(301, 610));
    expect(await watcher.take(10, never)).toEqual({ calls: calls(111, 210), leftOut: 117 });
    expect(await watcher.take(10, never)).toEqual({ calls: calls(211, 310), leftOut: 0 });
  });
});

describe("the feed", () => {
  test("remembers the last 100 calls of a watched account, and for a minute after its last watcher has gone", () => {
    const { clock, feed, add } = open();
    add(calls(1, 10));
    const { end } = feed.watch("a-1", ALL, 100);
    add(calls(11, 130));
    end();
    clock.advance(MINUTE_MS - 1);
    add([call(131)]);
    expect(feed.accounts.hasAny).toBe(true);
    const again = feed.watch("a-1", ALL, 3);
    expect(again.backlog).toEqual(calls(129, 131));
    again.end();
    clock.advance(MINUTE_MS - 1);
    expect(feed.accounts.hasAny).toBe(true);
    clock.advance(1);
    expect(feed.accounts.hasAny).toBe(false);
    expect(feed.watch("a-1", ALL, 100).backlog).toEqual([]);
  });

  test("tells workers which accounts are watched", () => {
    const { feed } = open();
    expect([feed.accounts.hasAny, feed.accounts.mayHave("a-1")]).toEqual([false, false]);
    feed.watch("a-1", ALL, 0);
    expect([feed.accounts.hasAny, feed.accounts.mayHave("a-1"), feed.accounts.mayHave("a-2")]).toEqual([true, true, false]);
  });

  test("admits 8 watchers per account and 256 in all", () => {
    const { feed } = open();
    const ends = Array.from({ length: 8 }, () => feed.watch("a-1", ALL, 0).end);
    expect(() => feed.watch("a-1", ALL, 0)).toThrow(new Failure(tooManyWatchers(8)));
    for (const end of ends.slice(1)) {
      end();
    }
    for (let other = 0; other < 255; other++) {
      feed.watch(`b-${other}`, ALL, 0);
    }
    expect(() => feed.watch("c", ALL, 0)).toThrow(new Failure(tooManyWatchers(undefined)));
  });

  test("ends a watcher of the account with the most, once, to make room for an account with fewer", async () => {
    const { feed, clock } = open();
    const held = Array.from({ length: 256 }, (_, index) => feed.watch(`a-${index % 32}`, ALL, 0));
    const [first] = held;
    const waiting = first?.watcher.take(1000, never);
    const started = Array.from({ length: 4 }, () => feed.watch("b", ALL, 0));
    expect(await waiting).toBeUndefined();
    expect(held.slice(0, 5).map(({ watcher }) => watcher.wasEvicted)).toEqual([true, true, true, true, false]);
    expect(started.map(({ watcher }) => watcher.wasEvicted)).toEqual([false, false, false, false]);
    first?.end();
    // That freed no place: the next watcher takes somebody else's.
    feed.watch("c", ALL, 0);
    expect(held[4]?.watcher.wasEvicted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("tells an account's own watchers that it has changed, and all watchers if it is unknown which account has", () => {
    const { feed } = open();
    const [own, other] = ["a-1", "a-2"].map((accountId) => feed.watch(accountId, ALL, 0).watcher);
    const changes = () => [own, other].map((watcher) => watcher?.takeAccountChange());
    feed.accountChanged("a-1");
    expect(changes()).toEqual([true, false]);
    feed.accountChanged();
    expect(changes()).toEqual([true, true]);
    expect(changes()).toEqual([false, false]);
  });

  test("remembers 512 accounts, and first forgets the one that has been unwatched for longest", () => {
    const { feed } = open();
    for (let other = 0; other < 512; other++) {
      feed.watch(`b-${other}`, ALL, 0).end();
      feed.add([{ accountId: `b-${other}`, calls: [call(other)], leftOut: 0 }]);
    }
    feed.watch("a-1", ALL, 0);
    expect(feed.watch("b-0", ALL, 100).backlog).toEqual([]);
    expect(feed.watch("b-511", ALL, 100).backlog).toEqual([call(511)]);
  });

  test("still remembers, a minute later, an account that it once dropped to make room and that is watched again", async () => {
    const { feed, clock } = open();
    feed.watch("a-1", ALL, 0).end();
    for (let other = 0; other < 512; other++) {
      feed.watch(`b-${other}`, ALL, 0).end();
    }
    const { watcher } = feed.watch("a-1", ALL, 0);
    clock.advance(MINUTE_MS);
    feed.add([{ accountId: "a-1", calls: [call(1)], leftOut: 0 }]);
    expect(await watcher.take(0, AbortSignal.abort())).toEqual({ calls: [call(1)], leftOut: 0 });
  });
});
