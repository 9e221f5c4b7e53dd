// How the operators' first page sums up the traffic and the server's state.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { TrafficKind } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { loadOf } from "../../../portal/app/operator/load.ts";
import { trafficOf, trafficSums } from "../../../portal/app/operator/traffic.ts";

const nowMs = Date.parse("2026-11-21T12:30:00Z");
const { CALLS, SOURCE } = TrafficKind;
const hourAt = (hour: string) => timestampFromMs(Date.parse(`${hour}:00Z`));

test("traffic is grouped by the hours of the last day, for all services or one", () => {
  const row = { hour: hourAt("2026-11-21T11"), service: "radio", kind: CALLS, calls: 10n, failed: 2n, refused: 3n };
  const rows = [row, { ...row, service: "farkle" }, { ...row, kind: SOURCE, calls: 7n }, { ...row, hour: hourAt("2026-11-20T11") }];
  const all = trafficOf(rows, CALLS, nowMs);
  expect(all.timesMs).toHaveLength(24);
  expect(all.timesMs.at(-1)).toBe(Date.parse("2026-11-21T12:00:00Z"));
  expect([all.ok.at(-2), all.failed.at(-2), all.refused.at(-2)]).toEqual([16, 4, 6]);
  expect(trafficSums(all)).toEqual({ calls: 20, failed: 4, refused: 6 });
  expect(trafficSums(trafficOf(rows, SOURCE, nowMs, "radio"))).toEqual({ calls: 7, failed: 2, refused: 3 });
  expect(trafficSums(trafficOf(rows, SOURCE, nowMs, "farkle"))).toEqual({ calls: 0, failed: 0, refused: 0 });
});

const state = (cpuSeconds: number, calls: number, startedMs = nowMs - 100_000) => ({
  cpuSeconds,
  calls: BigInt(calls),
  startedAt: timestampFromMs(startedMs),
});

test.each([
  { of: "its start", before: undefined, load: { callsPerSecond: 5, cores: 0.5 } },
  {
    of: "the state before",
    before: { state: state(49, 400), atMs: nowMs - 10_000 },
    load: { callsPerSecond: 10, cores: 0.1 },
  },
  {
    of: "its start, if it was started again",
    before: { state: state(900, 4000, nowMs - 900_000), atMs: nowMs - 10_000 },
    load: { callsPerSecond: 5, cores: 0.5 },
  },
])("the load is counted since $of", ({ before, load }) => {
  expect(loadOf({ state: state(50, 500), atMs: nowMs }, before)).toEqual(load);
});
