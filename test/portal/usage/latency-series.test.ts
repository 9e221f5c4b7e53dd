// The plot of response times and errors.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { errorSeries, latencySeries } from "../../../portal/app/usage/latency-series.ts";

const FIRST = Date.UTC(2026, 10, 21, 9);
const timesMs = [FIRST, FIRST + 3_600_000, FIRST + 7_200_000];
const at = (index: number) => ({ hour: timestampFromMs(timesMs[index] ?? 0) });

test("each service that was called has a response time for each hour, and a gap for an hour without calls", () => {
  const rows = [
    { ...at(0), service: "farkle", medianMs: 1, p95Ms: 4 },
    { ...at(2), service: "farkle", medianMs: 2, p95Ms: 8 },
    { ...at(1), service: "radio", medianMs: 40, p95Ms: 90 },
    { hour: timestampFromMs(FIRST - 3_600_000), service: "bitcoin", medianMs: 9, p95Ms: 9 },
  ];
  expect(latencySeries(rows, timesMs, "median").map(({ label, values }) => [label, values])).toEqual([
    ["Radio stations", [null, 40, null]],
    ["Farkle", [1, null, 2]],
  ]);
  expect(latencySeries(rows, timesMs, "p95").map(({ values }) => values)).toEqual([
    [null, 90, null],
    [4, null, 8],
  ]);
});

test("an hour's error rate is the share of its calls that failed", () => {
  const rows = [
    { ...at(0), service: "farkle", calls: 3, failed: 0 },
    { ...at(1), service: "farkle", calls: 8, failed: 2 },
  ];
  expect(errorSeries(rows, timesMs)).toEqual([{ label: "Farkle", colour: "var(--farkle)", values: [0, 0.25, null] }]);
});
