import { describe, expect, test } from "vitest";
import { type MonthSoFar, paceOf, type RunOut, runOut } from "../../../portal/app/usage/run-out.ts";

const DAY_MS = 86_400_000;
const NOON_MS = Date.UTC(2026, 10, 21, 12);
const RESETS_AT_MS = Date.UTC(2026, 11, 1);

const month = (changes: Partial<MonthSoFar>): MonthSoFar => ({
  fullDays: [],
  today: 0,
  remaining: 1000,
  nowMs: NOON_MS,
  resetsAtMs: RESETS_AT_MS,
  ...changes,
});

// In days from now, rounded to a tenth.
const daysAhead = (found: RunOut): object =>
  Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      typeof value === "number" ? Math.round(((value - NOON_MS) / DAY_MS) * 10) / 10 : value,
    ]),
  );

describe("a month's calls", () => {
  test.for<{ case: string; given: Partial<MonthSoFar>; found: object }>([
    { case: "that are used up", given: { remaining: 0, fullDays: [5, 5, 5] }, found: { kind: "usedUp" } },
    { case: "that nobody makes", given: {}, found: { kind: "unused" } },
    { case: "that stopped days ago", given: { fullDays: [0, 0, 0] }, found: { kind: "unused" } },
    {
      case: "at an even pace have hardly any range",
      given: { fullDays: [200, 200, 200] },
      found: { kind: "runsOut", atMs: 5, earliestMs: 5, latestMs: 5 },
    },
    { case: "at an even pace that is slow enough", given: { fullDays: [100, 100, 100] }, found: { kind: "lasts" } },
    {
      // Mean 200, deviation 65.6: 4 × 200 + 1.28 × 65.6 × √(4 + 16/7) is 1010, 6.5 × 200 − 1.28 × 65.6 × √(6.5 + 42.25/7) is 1002.
      case: "at an uneven pace",
      given: { fullDays: [100, 300, 150, 250, 200, 220, 180] },
      found: { kind: "runsOut", atMs: 5, earliestMs: 4, latestMs: 6.5 },
    },
    {
      case: "at such an uneven pace that they last at the late end",
      given: { fullDays: [0, 400, 0, 20, 300, 0], remaining: 900 },
      found: { kind: "runsOut", atMs: 7.5, earliestMs: 3.2 },
    },
    {
      case: "that last at the mean pace, and not on busy days",
      given: { fullDays: [0, 300, 0, 20, 250, 0], remaining: 950 },
      found: { kind: "mayRunOut", earliestMs: 4.6 },
    },
    { case: "of a first morning", given: { today: 100 }, found: { kind: "tooEarly" } },
    { case: "of two full days", given: { fullDays: [150, 150], today: 200 }, found: { kind: "tooEarly" } },
    { case: "of two quiet days", given: { fullDays: [10, 10], today: 10 }, found: { kind: "tooEarly" } },
    {
      case: "of 29 days, the first of them ignored",
      given: { fullDays: [9000, ...Array.from({ length: 28 }, () => 200)] },
      found: { kind: "runsOut", atMs: 5, earliestMs: 5, latestMs: 5 },
    },
  ])("$case", ({ given, found }) => {
    expect(daysAhead(runOut(month(given)))).toEqual(found);
  });

  test("run out before the end of the month, or not at all", () => {
    const nowMs = RESETS_AT_MS - 3_600_000;
    expect(runOut(month({ nowMs, fullDays: [240, 240, 240], remaining: 9 }))).toEqual({ kind: "lasts" });
    expect(runOut(month({ nowMs: nowMs - 1, fullDays: [240, 240, 240], remaining: 9 })).kind).toBe("runsOut");
  });
});

describe("the pace", () => {
  const day = (number: number, counted: number) => ({ day: `2026-11-${String(number).padStart(2, "0")}`, counted });

  test("begins after the day of the first call, because calls may have started late on that day", () => {
    expect(paceOf([day(20, 500)], NOON_MS)).toEqual({ fullDays: [], today: 0 });
    expect(paceOf([day(17, 500), day(19, 7), day(21, 3)], NOON_MS)).toEqual({ fullDays: [0, 7, 0], today: 3 });
  });

  test("is computed from the last 28 days, even if there were calls before them", () => {
    const rows = Array.from({ length: 29 }, (_, index) => ({
      day: new Date(NOON_MS - (29 - index) * DAY_MS).toISOString().slice(0, 10),
      counted: index,
    }));
    expect(paceOf([{ ...rows[0], day: rows[0]?.day ?? "", counted: 9 }, ...rows.slice(1)], NOON_MS).fullDays).toEqual(
      rows.slice(1).map(({ counted }) => counted),
    );
    expect(paceOf([], NOON_MS)).toEqual({ fullDays: [], today: 0 });
  });
});
