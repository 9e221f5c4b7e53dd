import { describe, expect, test } from "vitest";
import { dayAfter, dayAt, monthLeftMs } from "../../src/runtime/calendar.ts";

const at = (text: string): number => Date.parse(text);

describe("a time is in a day and a month, UTC", () => {
  test.each([
    ["2026-11-21T12:00:00.000Z", "2026-11-21", "2026-11", 30],
    ["2026-11-30T23:59:59.999Z", "2026-11-30", "2026-11", 30],
    ["2026-12-01T00:00:00.000Z", "2026-12-01", "2026-12", 31],
    ["2026-12-31T23:59:59.999Z", "2026-12-31", "2026-12", 31],
    ["2027-01-01T00:00:00.000Z", "2027-01-01", "2027-01", 31],
    ["2027-02-28T12:00:00.000Z", "2027-02-28", "2027-02", 28],
    ["2028-02-29T12:00:00.000Z", "2028-02-29", "2028-02", 29],
  ])("%s", (text, day, month, days) => {
    const found = dayAt(at(text));
    expect([found.day, found.month, found.monthSeconds]).toEqual([day, month, days * 86_400]);
    expect([found.startMs <= at(text), at(text) < found.endMs, found.endMs - found.startMs]).toEqual([true, true, 86_400_000]);
  });
});

test("a month's number is one more than that of the month before", () => {
  expect(dayAt(at("2027-01-01T00:00:00Z")).monthNumber - dayAt(at("2026-12-31T00:00:00Z")).monthNumber).toBe(1);
});

test("the time left in a month counts down to zero, and stays there", () => {
  const day = dayAt(at("2026-11-30T00:00:00Z"));
  expect(
    ["2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z"].map((text) => monthLeftMs(day, at(text))),
  ).toEqual([1000, 0, 0]);
});

describe("the day for which calls are counted", () => {
  test.each([
    ["the same day", "2026-11-21T01:00:00Z", "2026-11-21T23:00:00Z", "2026-11-21"],
    ["the next day", "2026-11-21T01:00:00Z", "2026-11-22T00:00:00Z", "2026-11-22"],
    ["a clock that is set back within the month", "2026-11-21T01:00:00Z", "2026-11-20T23:00:00Z", "2026-11-20"],
    ["the next month", "2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z", "2026-12-01"],
    [
      "a clock that is set back a little across the beginning of the month",
      "2026-12-01T00:00:01Z",
      "2026-11-30T23:59:59Z",
      "2026-12-01",
    ],
    [
      "a clock that is set back to the month before from later in the month",
      "2026-12-05T00:00:00Z",
      "2026-11-30T12:00:00Z",
      "2026-12-05",
    ],
    ["a clock that was wrong by more", "2026-12-01T00:00:01Z", "2026-11-29T23:00:00Z", "2026-11-29"],
    ["a clock that was years ahead", "2031-05-05T00:00:00Z", "2026-11-21T00:00:00Z", "2026-11-21"],
  ])("%s", (_, previous, now, day) => {
    expect(dayAfter(dayAt(at(previous)), at(now)).day).toBe(day);
  });
});
