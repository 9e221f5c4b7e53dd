import { describe, expect, test } from "vitest";
import { runOutText } from "../../../portal/app/usage/quota-text.ts";
import type { RunOut } from "../../../portal/app/usage/run-out.ts";

const on = (day: number): number => Date.UTC(2026, 10, day, 12);

describe("the forecast of a quota", () => {
  test.each<[string, RunOut, string]>([
    [
      "gives the range",
      { kind: "runsOut", atMs: on(24), earliestMs: on(22), latestMs: on(27) },
      "At this pace they will run out on November 24. There is an 80% chance that this happens between November 22 and November 27.",
    ],
    [
      "leaves out a range of one day",
      { kind: "runsOut", atMs: on(24), earliestMs: on(24), latestMs: on(24) },
      "At this pace they will run out on November 24.",
    ],
    [
      "says that the calls may last all month",
      { kind: "runsOut", atMs: on(24), earliestMs: on(22) },
      "At this pace they will run out on November 24, but could run out as early as November 22 or last all month.",
    ],
    [
      "gives the same day only once",
      { kind: "runsOut", atMs: on(24), earliestMs: on(24) },
      "At this pace they will run out on November 24, but could last all month.",
    ],
    [
      "says that the calls may run out",
      { kind: "mayRunOut", earliestMs: on(28) },
      "At this pace they will last all month, but could run out as early as November 28.",
    ],
  ])("%s", (_, found, text) => {
    expect(runOutText(found)).toBe(text);
  });
});
