// The calls of the last 24 hours by hour, and their sums for the tiles and the table of services. Pure.

import { SERVICE_NAMES, type ServiceName } from "../../../../src/catalogue/service-names.ts";
import { sumsAt, timesOf } from "../../usage/series.ts";
import { beginOf } from "../../usage/steps.ts";
import type { UsageRow } from "../../usage/usage-report.ts";

/** Numbers of calls, one for each hour. */
interface Hours {
  /** Calls that were admitted and succeeded. */
  readonly ok: readonly number[];
  /** Calls that were admitted and failed. */
  readonly failed: readonly number[];
  readonly refused: readonly number[];
}

/** Calls of a period, added up. */
export interface Sums {
  /** Calls that were admitted. */
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
}

interface ServiceDay extends Sums {
  readonly service: ServiceName;
  /** Calls that were admitted, one number for each hour. */
  readonly hours: readonly number[];
}

/** The last 24 hours. */
export interface LastDay extends Sums {
  /** When each hour started, in milliseconds since the epoch. */
  readonly timesMs: readonly number[];
  readonly hours: Hours;
  /** Services without a call or a refusal are left out. */
  readonly services: readonly ServiceDay[];
  /** How many of the failed calls failed on our side; the others failed because of what was asked. */
  readonly failedByUs: number;
}

type Usage = Pick<UsageRow, "hour" | "day" | "month" | "service" | "calls" | "failed" | "counted">;
type Refusals = Pick<UsageRow, "hour" | "day" | "month" | "service" | "calls">;

/** Adds up the last 24 hours. `usage` and `refusals` are by hour and service, and may go back further. */
export function lastDayOf(usage: readonly Usage[], refusals: readonly Refusals[], nowMs: number): LastDay {
  const timesMs = timesOf("24h", nowMs);
  const at = <Row extends Usage | Refusals>(rows: readonly Row[], callsOf: (row: Row) => number): readonly number[] =>
    sumsAt(
      timesMs,
      rows.map((row) => ({ atMs: beginOf(row), calls: callsOf(row) })),
    );
  const hoursOf = (calls: readonly Usage[], refused: readonly Refusals[]): Hours => ({
    ok: at(calls, (row) => row.calls - row.failed),
    failed: at(calls, (row) => row.failed),
    refused: at(refused, (row) => row.calls),
  });
  const hours = hoursOf(usage, refusals);
  const services = SERVICE_NAMES.map((service) => {
    const own = hoursOf(
      usage.filter((row) => row.service === service),
      refusals.filter((row) => row.service === service),
    );
    return { service, ...sumsOf(own), hours: own.ok.map((ok, index) => ok + (own.failed[index] ?? 0)) };
  }).filter(({ calls, refused }) => calls + refused > 0);
  // Only calls that failed on our side do not count against the quota.
  const failedByUs = sum(at(usage, (row) => Math.min(row.failed, row.calls - row.counted)));
  return { timesMs, hours, ...sumsOf(hours), services, failedByUs };
}

function sumsOf({ ok, failed, refused }: Hours): Sums {
  const failures = sum(failed);
  return { calls: sum(ok) + failures, failed: failures, refused: sum(refused) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Leaves out the current hour if it has fewer calls than the one before it: it is not over yet, and would look like a drop. */
export const withoutDrop = (hours: readonly number[]): readonly number[] =>
  (hours.at(-1) ?? 0) < (hours.at(-2) ?? 0) ? hours.slice(0, -1) : hours;

/** Calls of one day, UTC, or of all days that begin with `day`: `2026-11-21`, `2026-11`. */
export const callsOn = (rows: readonly Pick<UsageRow, "day" | "calls">[], day: string): number =>
  sum(rows.filter((row) => row.day?.startsWith(day)).map(({ calls }) => calls));
