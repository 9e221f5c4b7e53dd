import { expect, test } from "vitest";
import { outcomeSeries, serviceSeries } from "../../../portal/app/usage/call-series.ts";

const row = (day: string, service: string, calls: number, failed: number) => ({ day, service, calls, failed });
const ROWS = [row("2026-11-20", "farkle", 50, 1), row("2026-11-21", "farkle", 50, 0), row("2026-11-21", "radio", 8, 0)];
const TIMES_MS = [Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 21)];

test("calls by outcome are those that succeeded and those that failed", () => {
  const series = outcomeSeries(ROWS, TIMES_MS).map(({ label, values }) => ({ label, values }));
  expect(series).toEqual([
    { label: "OK", values: [49, 58] },
    { label: "Failed", values: [1, 0] },
  ]);
});

test("calls by service have only services with calls, and failures show the error rate", () => {
  expect(serviceSeries(ROWS, TIMES_MS)).toEqual({
    calls: [
      { label: "Radio stations", colour: "var(--radio)", values: [0, 8] },
      { label: "Farkle", colour: "var(--farkle)", values: [50, 50] },
    ],
    failed: [{ label: "Farkle (1%)", colour: "var(--farkle)", values: [1, 0] }],
  });
  expect(serviceSeries([], TIMES_MS)).toEqual({ calls: [], failed: [] });
});
