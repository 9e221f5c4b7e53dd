// The traffic of the last 24 hours as the operators' charts show it. Pure.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { TrafficKind, TrafficRow } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { timesOf } from "../usage/series.ts";

/** What happened in each hour. */
export interface Traffic {
  /** When each hour started, in milliseconds since the epoch. */
  readonly timesMs: readonly number[];
  readonly ok: readonly number[];
  readonly failed: readonly number[];
  readonly refused: readonly number[];
}

/** A part of the traffic, added up. */
export interface TrafficSums {
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
}

type Row = Pick<TrafficRow, "hour" | "service" | "kind" | "calls" | "failed" | "refused">;

/** The traffic of one kind in each hour; of all services together if none is named. */
export function trafficOf(rows: readonly Row[], kind: TrafficKind, nowMs: number, service?: string): Traffic {
  const timesMs = timesOf("24h", nowMs);
  const own = rows.filter((row) => row.kind === kind && (service === undefined || row.service === service));
  const at = (value: (row: Row) => number): readonly number[] =>
    timesMs.map((ms) =>
      own.filter((row) => row.hour !== undefined && timestampMs(row.hour) === ms).reduce((sum, row) => sum + value(row), 0),
    );
  return {
    timesMs,
    ok: at((row) => Number(row.calls - row.failed)),
    failed: at((row) => Number(row.failed)),
    refused: at((row) => Number(row.refused)),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** All hours together. */
export const trafficSums = ({ ok, failed, refused }: Traffic): TrafficSums => ({
  calls: sum(ok) + sum(failed),
  failed: sum(failed),
  refused: sum(refused),
});
