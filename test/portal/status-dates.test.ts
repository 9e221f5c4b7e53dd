// The dates of the status page.
import { expect, test } from "vitest";
import { dayText, timeText } from "../../src/portal/status-dates.ts";

test.each([
  ["2026-11-21", "Nov 21, 2026"],
  ["2027-01-01", "Jan 1, 2027"],
  [Date.UTC(2026, 4, 9, 23, 59, 59, 999), "May 9, 2026"],
])("the day %s is %s", (day, text) => {
  expect(dayText(day)).toBe(text);
});

test.each([
  [Date.UTC(2026, 10, 21, 12, 10, 30), "Nov 21, 2026, 12:10 UTC"],
  [Date.UTC(2026, 8, 1), "Sep 1, 2026, 00:00 UTC"],
])("the time %d is %s", (ms, text) => {
  expect(timeText(ms)).toBe(text);
});
