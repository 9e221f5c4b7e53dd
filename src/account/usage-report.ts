// A usage report for people: how much of each service's quota is used this month, the calls on some days by method and outcome, and how
// long they took.
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import { dayAt, type Month } from "../runtime/calendar.ts";
import type { UsageRow } from "../store/usage-records.ts";
import { type Latency, latencyHistory } from "./latency-history.ts";
import { refusalHistory } from "./refusal-history.ts";
import { addUpCalls, type QuotaStatus, quotaStatusesOf, spanTooLong, type UsageReportOptions } from "./usage-history.ts";
import { type RequestedSpan, spanOf } from "./usage-span.ts";

export interface ServiceUsage {
  readonly service: ServiceName;
  /** Undefined without an active subscription. */
  readonly standing: QuotaStatus | undefined;
  /** All calls that were admitted, whatever their outcome. */
  readonly calls: number;
  /** Calls that count against the monthly quota. Calls that failed on our side do not. */
  readonly counted: number;
  readonly byMethod: readonly { readonly method: string; readonly outcome: string; readonly calls: number }[];
  /** Calls that were refused, by the name of the reason. */
  readonly refused: readonly { readonly reason: string; readonly calls: number }[];
  /** How long the calls took; undefined if none was measured. */
  readonly latency: Latency | undefined;
}

export interface UsageReport {
  readonly month: Month;
  readonly fromDay: string;
  readonly toDay: string;
  /** The services that have a subscription or were called in the span, even if the calls were refused. In the services' usual order. */
  readonly services: readonly ServiceUsage[];
}

/**
 * Builds the report. Rejects with a Failure if a day is not a date, the span is empty or longer than 366 days, or the span or this month
 * has more counts than may be added up at once.
 */
export async function usageReport(
  options: UsageReportOptions,
  accountId: string,
  { service, ...requested }: RequestedSpan & { readonly service?: ServiceName | undefined },
): Promise<UsageReport> {
  const today = dayAt(options.clock.nowMs());
  const span = spanOf(requested, today.day);
  const standings = await quotaStatusesOf(options, accountId, service, today);
  const all = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };
  const query = { accountId, service, ...span, groupBy: ["service", "method", "outcome"], ...all } as const;
  const { rows } = await addUpCalls(options.store, query, spanTooLong("day"));
  const refusals = await refusalHistory(options, accountId, { service, ...span, groupBy: ["service", "reason"], ...all });
  const latency = await latencyHistory(options, accountId, { service, ...span, groupBy: ["service"], ...all });
  const services = SERVICE_NAMES.flatMap((name): ServiceUsage[] => {
    const standing = standings.find((each) => each.service === name);
    const counts = rows.filter((row) => row.service === name);
    const refused = refusals.rows.filter((row) => row.service === name);
    if (standing === undefined && counts.length === 0 && refused.length === 0) {
      return [];
    }
    return [
      {
        service: name,
        standing,
        calls: sum(counts.map(({ calls }) => calls)),
        counted: sum(counts.map(({ counted }) => counted)),
        byMethod: byMethod(counts),
        refused: refused.map(({ reason = "", calls }) => ({ reason, calls })),
        latency: latency.rows.find((row) => row.service === name),
      },
    ];
  });
  return { month: today.month, ...span, services };
}

function byMethod(rows: readonly UsageRow[]): ServiceUsage["byMethod"] {
  return rows
    .map(({ method = "", outcome = "", calls }) => ({ method, outcome, calls }))
    .sort((a, b) => compare(a.method, b.method) || b.calls - a.calls || compare(a.outcome, b.outcome));
}

// Not localeCompare, which at its first use loads the tables of all languages: 4 MB, and about 40 ms during which no call is served.
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
