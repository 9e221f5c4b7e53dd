import { describe, expect, test } from "vitest";
import { csvOf } from "../../../portal/app/usage/csv.ts";
import { filtersOf, pathOf } from "../../../portal/app/usage/filters.ts";
import { firstDayOf, pointsOf } from "../../../portal/app/usage/series.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12, 34);

describe("the points of a span", () => {
  test.for([
    { span: "24h", firstDay: "2026-11-20", first: "2026-11-20T13:00", last: "2026-11-21T12:00", count: 24 },
    { span: "30d", firstDay: "2026-10-23", first: "2026-10-23T00:00", last: "2026-11-21T00:00", count: 30 },
    { span: "12m", firstDay: "2025-12-01", first: "2025-12-01T00:00", last: "2026-11-01T00:00", count: 12 },
  ] as const)("of $span", ({ span, firstDay, first, last, count }) => {
    const points = pointsOf(span, [], NOW_MS);
    const textOf = (at: number): string => new Date(points.at(at)?.atMs ?? 0).toISOString().slice(0, 16);
    expect([firstDayOf(span, NOW_MS), textOf(0), textOf(-1), points.length]).toEqual([firstDay, first, last, count]);
  });

  test("add up what came at the same time, and leave out what is older", () => {
    const atMs = Date.UTC(2026, 10, 20);
    const rows = [
      { atMs, outcome: "OK", calls: 5 },
      { atMs, outcome: "OK", calls: 2 },
      { atMs, outcome: "NOT_FOUND", calls: 3 },
      { atMs, outcome: "INTERNAL", calls: 1 },
      { atMs: Date.UTC(2026, 9, 1), outcome: "OK", calls: 100 },
    ];
    expect(pointsOf("30d", rows, NOW_MS).filter(({ ok, failed }) => ok + failed > 0)).toEqual([{ atMs, ok: 7, failed: 4 }]);
  });
});

describe("the filters in the address", () => {
  const key = "373a1d1f-3960-4df8-a727-c1028ec3765b";
  test.for([
    { query: {}, filters: { span: "24h", service: "", key: "" }, path: "/app/usage" },
    {
      query: { span: "12m", service: "token-price", key },
      filters: { span: "12m", service: "token-price", key },
      path: `/app/usage?span=12m&service=token-price&key=${key}`,
    },
    {
      query: { span: "a year", service: "weather", key: "<script>" },
      filters: { span: "24h", service: "", key: "" },
      path: "/app/usage",
    },
  ] as const)("$query", ({ query, filters, path }) => {
    expect(filtersOf(query)).toEqual(filters);
    expect(pathOf(filters)).toBe(path);
  });
});

test("a table as CSV quotes what needs it, and holds no formula", () => {
  const rows = [
    ["a server …91fc", 3],
    ['"big", they say', -1],
    ["=SUM(A1:A9)", 0],
    ["two\nlines", 12.5],
  ];
  expect(csvOf(["key", "calls"], rows)).toBe(
    'key,calls\r\na server …91fc,3\r\n"""big"", they say",-1\r\n\'=SUM(A1:A9),0\r\n"two\nlines",12.5\r\n',
  );
});
