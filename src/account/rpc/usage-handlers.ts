// The methods for usage, refusals and response times.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type LatencyRowSchema, LatencyDimension as TimedBy } from "../../../gen/quintet/account/v1/latency_pb.js";
import {
  UsageDimension as Dimension,
  type GetUsageRequest,
  type MonthStandingSchema,
  type RefusalRowSchema,
  RefusalDimension as RefusedBy,
  type UsageRowSchema,
} from "../../../gen/quintet/account/v1/usage_pb.js";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { Failure } from "../../problem/failure.ts";
import { FairQueue } from "../../runtime/fair-queue.ts";
import type { LatencyDimension, RefusalDimension, RefusalRow, UsageDimension, UsageRow } from "../../store/usage-records.ts";
import { type RateLimit, Throttle, throwIfLimited } from "../../throttle/throttle.ts";
import { type Latency, latencyHistory } from "../latency-history.ts";
import { refusalHistory } from "../refusal-history.ts";
import { reportQueueFull, tooManyCalls } from "../refusals.ts";
import type { HistoryQuery } from "../summed-counts.ts";
import { type QuotaStatus, type UsageReportOptions, usageHistory } from "../usage-history.ts";
import { type AccountHandlers, pageOf } from "./handlers.ts";

const DEFAULT_LIMIT = 100;
// The usage page makes seven requests each time it is opened, and four each time another span is chosen.
const REPORTS_PER_ACCOUNT: RateLimit = { burst: 40, everyMs: 500 };
// A database takes about 100 ms to add up a year of a busy account. It has other work too, so it does this for one account at a time, and
// an account with many requests waits behind other accounts.
const WAITING_MAX = 20;

// The proto's rules do not allow the first value.
const DIMENSIONS: Readonly<Record<Dimension, UsageDimension>> = {
  [Dimension.UNSPECIFIED]: "day",
  [Dimension.DAY]: "day",
  [Dimension.SERVICE]: "service",
  [Dimension.METHOD]: "method",
  [Dimension.OUTCOME]: "outcome",
  [Dimension.KEY]: "key",
  [Dimension.HOUR]: "hour",
  [Dimension.MONTH]: "month",
};

const REFUSAL_DIMENSIONS: Readonly<Record<RefusedBy, RefusalDimension>> = {
  [RefusedBy.UNSPECIFIED]: "reason",
  [RefusedBy.DAY]: "day",
  [RefusedBy.SERVICE]: "service",
  [RefusedBy.REASON]: "reason",
  [RefusedBy.KEY]: "key",
  [RefusedBy.MONTH]: "month",
  [RefusedBy.HOUR]: "hour",
};

const LATENCY_DIMENSIONS: Readonly<Record<TimedBy, LatencyDimension>> = {
  [TimedBy.UNSPECIFIED]: "service",
  [TimedBy.DAY]: "day",
  [TimedBy.SERVICE]: "service",
  [TimedBy.HOUR]: "hour",
  [TimedBy.MONTH]: "month",
};

export function createUsageHandlers(
  options: UsageReportOptions,
): Pick<AccountHandlers, "getUsage" | "listRefusals" | "getLatency"> {
  const reports = new Throttle(options.clock, REPORTS_PER_ACCOUNT);
  const reportQueue = new FairQueue({
    concurrencyMax: 1,
    ownerConcurrencyMax: () => 1,
    waitingMax: WAITING_MAX,
    queueFull: () => new Failure(reportQueueFull()),
  });
  // Reads a history when it is the account's turn.
  const read = <Result>(accountId: string, history: () => Promise<Result>): Promise<Result> => {
    throwIfLimited(reports.take(accountId), tooManyCalls);
    return reportQueue.run(accountId, history);
  };
  return {
    async getUsage({ groupBy, ...rest }, { accountId }) {
      const query = queryOf(rest, groupBy.length === 0 ? ["day"] : groupBy.map((dimension) => DIMENSIONS[dimension]));
      const { standings, rows, total, ...days } = await read(accountId, () => usageHistory(options, accountId, query));
      const page = pageOf(rows.length, total, query.offset);
      return { ...days, standings: standings.map(quotaStatusMessage), ...page, results: rows.map(usageRowMessage) };
    },
    async listRefusals({ groupBy, ...rest }, { accountId }) {
      const query = queryOf(rest, groupBy.length === 0 ? ["reason"] : groupBy.map((dimension) => REFUSAL_DIMENSIONS[dimension]));
      const { rows, total, ...days } = await read(accountId, () => refusalHistory(options, accountId, query));
      return { ...days, ...pageOf(rows.length, total, query.offset), results: rows.map(refusalRowMessage) };
    },
    async getLatency({ groupBy, ...rest }, { accountId }) {
      const query = queryOf(rest, groupBy.length === 0 ? ["service"] : groupBy.map((dimension) => LATENCY_DIMENSIONS[dimension]));
      const { rows, total, ...days } = await read(accountId, () => latencyHistory(options, accountId, query));
      return { ...days, ...pageOf(rows.length, total, query.offset), results: rows.map(latencyRowMessage) };
    },
  };
}

type SpanRequest = Pick<GetUsageRequest, "service" | "fromDay" | "toDay" | "limit" | "offset">;

const queryOf = <Dimension extends string>(
  { service, fromDay, toDay, limit = DEFAULT_LIMIT, offset }: SpanRequest,
  groupBy: readonly Dimension[],
): HistoryQuery<Dimension> => ({
  service: service === "" ? undefined : (service as ServiceName),
  fromDay,
  toDay,
  groupBy,
  limit,
  offset,
});

export const usageRowMessage = ({ hour, ...row }: UsageRow): MessageInitShape<typeof UsageRowSchema> =>
  hour === undefined ? row : { ...row, hour: beginOf(hour) };

export const refusalRowMessage = ({ hour, ...row }: Omit<RefusalRow, "rateNeeded">): MessageInitShape<typeof RefusalRowSchema> =>
  hour === undefined ? row : { ...row, hour: beginOf(hour) };

const latencyRowMessage = ({ hour, ...row }: Latency): MessageInitShape<typeof LatencyRowSchema> =>
  hour === undefined ? row : { ...row, hour: beginOf(hour) };

// `2026-11-21T14`, UTC.
const beginOf = (hour: string): Timestamp => timestampFromMs(Date.parse(`${hour}:00Z`));

/** What is left of a subscription's quota in the current month. */
export function quotaStatusMessage(standing: QuotaStatus): MessageInitShape<typeof MonthStandingSchema> {
  const { subscriptionId, service, plan, month, callsPerMonth, counted, credited, remaining, resetsAtMs, refused } = standing;
  return {
    subscriptionId,
    service,
    plan,
    month,
    counted,
    credited,
    resetsAt: timestampFromMs(resetsAtMs),
    ...(callsPerMonth !== undefined && { callsPerMonth }),
    ...(remaining !== undefined && { remaining }),
    refusedForRate: refused.forRate,
    refusedForQuota: refused.forQuota,
    ...(refused.rateNeeded !== undefined && { sufficientRequestsPerSecond: refused.rateNeeded }),
  };
}
