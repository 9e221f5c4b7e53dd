import { expect, test } from "vitest";
import { createRecentAnswers } from "../../../src/services/radio/recent-answers.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const startMs = Date.UTC(2026, 10, 21);
const rows = (length: number): number[] => Array.from({ length }, () => 0);

test("an answer is kept for one hour, with its age", () => {
  const clock = createManualClock({ nowMs: startMs });
  const answers = createRecentAnswers(clock);
  answers.set("q", ["row"]);
  clock.advance(3_600_000);
  expect(answers.get("q")).toEqual({ rows: ["row"], receivedAtMs: startMs, ageMs: 3_600_000 });
  clock.advance(1);
  expect(answers.get("q")).toBeUndefined();
});

test("a newer answer replaces an older one", () => {
  const clock = createManualClock({ nowMs: startMs });
  const answers = createRecentAnswers(clock);
  answers.set("q", ["old"]);
  clock.advance(5000);
  answers.set("q", ["new"]);
  expect(answers.get("q")).toEqual({ rows: ["new"], receivedAtMs: startMs + 5000, ageMs: 0 });
});

test("the oldest answers make way when there are too many rows", () => {
  const answers = createRecentAnswers(createManualClock({ nowMs: startMs }));
  answers.set("first", rows(9_998));
  answers.set("second", rows(9_998));
  answers.set("first", rows(9_999));
  const held = (): boolean[] => ["first", "second", "third"].map((question) => answers.get(question) !== undefined);
  expect(held()).toEqual([true, true, false]);
  answers.set("third", rows(1));
  expect(held()).toEqual([true, false, true]);
});

test("answers that are too old make way even where there is room", () => {
  const clock = createManualClock({ nowMs: startMs });
  const answers = createRecentAnswers(clock);
  answers.set("old", rows(19_000));
  clock.advance(3_600_001);
  answers.set("new", rows(900));
  answers.set("newer", rows(900));
  expect(answers.get("new")).toBeDefined();
});

test("an answer that is larger than all that may be kept is not kept", () => {
  const answers = createRecentAnswers(createManualClock({ nowMs: startMs }));
  answers.set("q", rows(20_000));
  expect(answers.get("q")).toBeUndefined();
});
