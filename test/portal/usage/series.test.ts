import { describe, expect, test } from "vitest";
import { csvOf } from "../../../portal/app/usage/csv.ts";
import { filtersOf, pathOf } from "../../../portal/app/usage/filters.ts";
import { firstDayOf, sumsAt, timesOf } from "../../../portal/app/usage/series.ts";
import { callsText, partsText } from "../../../portal/app/usage/time-text.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12, 34);

describe("the times of a span", () => {
  test.for([
    { span: "24h", firstDay: "2026-11-20", first: "2026-11-20T13:00", last: "2026-11-21T12:00", count: 24 },
    { span: "30d", firstDay: "2026-10-23", first: "2026-10-23T00:00", last: "2026-11-21T00:00", count: 30 },
    { span: "12m", firstDay: "2025-12-01", first: "2025-12-01T00:00", last: "2026-11-01T00:00", count: 12 },
  ] as const)("of $span", ({ span, firstDay, first, last, count }) => {
    const times = timesOf(span, NOW_MS);
    const textOf = (at: number): string => new Date(times.at(at) ?? 0).toISOString().slice(0, 16);
    expect([firstDayOf(span, NOW_MS), textOf(0), textOf(-1), times.length]).toEqual([firstDay, first, last, count]);
  });

  test("have the number of calls at each time, without older calls", () => {
    const atMs = Date.UTC(2026, 10, 20);
    const rows = [
      { atMs, calls: 5 },
      { atMs, calls: 2 },
      { atMs: atMs + 86_400_000, calls: 3 },
      { atMs: Date.UTC(2026, 9, 1), calls: 100 },
    ];
    expect(sumsAt(timesOf("30d", NOW_MS), rows)).toEqual([...Array(28).fill(0), 7, 3]);
  });
});

describe("the summary of a plot in words", () => {
  const format = new Intl.DateTimeFormat("en", { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
  const step = { name: "hour", format };
  const timesMs = [Date.UTC(2026, 10, 21, 10), Date.UTC(2026, 10, 21, 11)];

  test.for([
    { ok: [0, 0], failed: [0, 0], text: "No calls in this period." },
    { ok: [1, 0], failed: [0, 0], text: "1 call, none failed. The busiest hour was 10:00 AM, with 1." },
    { ok: [1, 1200], failed: [1, 30], text: "1,232 calls, 31 failed. The busiest hour was 11:00 AM, with 1,230." },
  ])("$text", ({ ok, failed, text }) => {
    const series = [
      { label: "OK", values: ok },
      { label: "Failed", values: failed },
    ];
    expect(callsText(timesMs, series, step)).toBe(text);
  });

  test("names each part of a plot with several parts", () => {
    const series = [
      { label: "RATE_LIMITED", values: [200, 14] },
      { label: "KEY_REVOKED", values: [0, 3] },
    ];
    const parts = "214 RATE_LIMITED, 3 KEY_REVOKED. The busiest hour was 10:00 AM, with 200.";
    expect(partsText(timesMs, series, step, "refused")).toBe(`217 calls refused: ${parts}`);
    expect(partsText(timesMs, series, step)).toBe(`217 calls: ${parts}`);
  });
});

describe("the filters in the URL", () => {
  const key = "373a1d1f-3960-4df8-a727-c1028ec3765b";
  test.for([
    { query: {}, filters: { span: "24h", service: "", key: "", by: "outcome", measure: "median" }, path: "/app/usage" },
    {
      query: { span: "12m", service: "token-price", key, by: "service", measure: "errors" },
      filters: { span: "12m", service: "token-price", key, by: "service", measure: "errors" },
      path: `/app/usage?span=12m&service=token-price&key=${key}&by=service&measure=errors`,
    },
    {
      query: { span: "a year", service: "weather", key: "<script>", by: "outcome", measure: "median" },
      filters: { span: "24h", service: "", key: "", by: "outcome", measure: "median" },
      path: "/app/usage",
    },
  ] as const)("$query", ({ query, filters, path }) => {
    expect(filtersOf(query)).toEqual(filters);
    expect(pathOf(filters)).toBe(path);
  });
});

test("a table as CSV quotes the values that need quotes, and contains no formula", () => {
  const rows = [
    ["a server …91fc", 3],
    ['"big", they say', -1],
    ["=SUM(A1:A9)", 0],
    ["two\nlines", 12.5],
    [" +1", 0],
    ["＝SUM(A1)", 0],
    ["＠x", 0],
    ["a=b", 0],
  ];
  expect(csvOf(["key", "calls"], rows)).toBe(
    '\ufeffkey,calls\r\na server …91fc,3\r\n"""big"", they say",-1\r\n\'=SUM(A1:A9),0\r\n"two\nlines",12.5\r\n\' +1,0\r\n\'＝SUM(A1),0\r\n\'＠x,0\r\na=b,0\r\n',
  );
});
