import { expect, test } from "vitest";
import { createRecentResponses } from "../../../src/services/radio/recent-responses.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const startMs = Date.UTC(2026, 10, 21);
const rows = (length: number): number[] => Array.from({ length }, () => 0);

test("a response is kept for one hour, with its age", () => {
  const clock = createManualClock({ nowMs: startMs });
  const responses = createRecentResponses(clock);
  responses.set("q", ["row"], 5);
  clock.advance(3_600_000);
  expect(responses.get("q")).toEqual({ rows: ["row"], receivedAtMs: startMs, ageMs: 3_600_000 });
  clock.advance(1);
  expect(responses.get("q")).toBeUndefined();
});

test("a newer response replaces an older one", () => {
  const clock = createManualClock({ nowMs: startMs });
  const responses = createRecentResponses(clock);
  responses.set("q", ["old"], 5);
  clock.advance(5000);
  responses.set("q", ["new"], 5);
  expect(responses.get("q")).toEqual({ rows: ["new"], receivedAtMs: startMs + 5000, ageMs: 0 });
});

const mebibyte = 1024 * 1024;

test("the oldest responses are dropped when there are too many bytes", () => {
  const responses = createRecentResponses(createManualClock({ nowMs: startMs }));
  responses.set("first", rows(1), 7 * mebibyte);
  responses.set("second", rows(1), 8 * mebibyte);
  responses.set("first", rows(1), 7.99 * mebibyte);
  const held = (): boolean[] => ["first", "second", "third"].map((question) => responses.get(question) !== undefined);
  expect(held()).toEqual([true, true, false]);
  responses.set("third", rows(1), 0.1 * mebibyte);
  expect(held()).toEqual([true, false, true]);
});

test("rows take memory besides their strings", () => {
  const responses = createRecentResponses(createManualClock({ nowMs: startMs }));
  const station = { uuid: "", tags: new Array(96).fill("") };
  const stations = (length: number): unknown[] => new Array(length).fill(station);
  responses.set("first", stations(4000), 100);
  responses.set("second", stations(4000), 100);
  expect([responses.get("first"), responses.get("second")?.rows.length]).toEqual([undefined, 4000]);
});

test("responses that are too old are dropped even if there is room", () => {
  const clock = createManualClock({ nowMs: startMs });
  const responses = createRecentResponses(clock);
  responses.set("old", rows(1), 15 * mebibyte);
  clock.advance(3_600_001);
  responses.set("new", rows(1), 8 * mebibyte);
  responses.set("newer", rows(1), 6 * mebibyte);
  expect([responses.get("old"), responses.get("new")?.rows.length]).toEqual([undefined, 1]);
});

test("a response larger than the whole limit is not kept", () => {
  const responses = createRecentResponses(createManualClock({ nowMs: startMs }));
  responses.set("q", rows(1), 16 * mebibyte);
  expect(responses.get("q")).toBeUndefined();
});
