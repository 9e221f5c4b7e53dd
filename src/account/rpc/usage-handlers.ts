// UsageService.GetUsage: an account's calls, refusals or response times.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type RateLimit, Throttle } from "@quintet/guard";
import {
  UsageDimension as Dimension,
  type GetUsageRequest,
  type GetUsageResponseSchema,
  UsageMeasure as Measure,
  type MonthStandingSchema,
  type UsageRowSchema,
} from "../../../gen/quintet/account/v1/usage_pb.js";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { FairQueue } from "../../runtime/fair-queue.ts";
import type { LatencyDimension, RefusalDimension, RefusalRow, UsageDimension, UsageRow } from "../../store/usage-records.ts";
import { type Latency, latencyHistory } from "../latency-history.ts";
import { refusalHistory } from "../refusal-history.ts";
import { reportQueueFull, tooManyCalls } from "../refusals.ts";
import type { History, HistoryQuery } from "../summed-counts.ts";
import { type QuotaStatus, type UsageReportOptions, usageHistory } from "../usage-history.ts";
import { type AccountHandlers, pageOf } from "./handlers.ts";

const DEFAULT_LIMIT = 100;
// The usage page makes seven requests each time it is opened, and four each time another span is chosen.
const REPORTS_PER_ACCOUNT: RateLimit = { burst: 40, everyMs: 500 };
// A database takes about 100 ms to add up a year of a busy account. It has other work too, so it does this for one account at a time, and
// an account with many requests waits behind other accounts.
const WAITING_MAX = 20;

type GroupBy<Name> = Readonly<Partial<Record<Dimension, Name>>>;

const TIMES = { [Dimension.MONTH]: "month", [Dimension.DAY]: "day", [Dimension.HOUR]: "hour" } as const;
const LATENCY_BY: GroupBy<LatencyDimension> = { ...TIMES, [Dimension.SERVICE]: "service" };
const REFUSALS_BY: GroupBy<RefusalDimension> = {
  ...TIMES,
  [Dimension.SERVICE]: "service",
  [Dimension.OUTCOME]: "reason",
  [Dimension.KEY]: "key",
};
const CALLS_BY: GroupBy<UsageDimension> = {
  ...TIMES,
  [Dimension.SERVICE]: "service",
  [Dimension.METHOD]: "method",
  [Dimension.OUTCOME]: "outcome",
  [Dimension.KEY]: "key",
};

export function createUsageHandlers(options: UsageReportOptions): Pick<AccountHandlers, "getUsage"> {
  const reports = new Throttle(options.clock, REPORTS_PER_ACCOUNT);
  const reportQueue = new FairQueue({
    concurrencyMax: 1,
    ownerConcurrencyMax: () => 1,
    waitingMax: WAITING_MAX,
    queueFull: () => new Failure(reportQueueFull()),
  });
  return {
    getUsage(request, { accountId }) {
      throwIfLimited(reports.take(accountId), tooManyCalls);
      return reportQueue.run(accountId, () => usageReport(options, accountId, request));
    },
  };
}

/** One page of what the request asks for about this account; nothing else is read. */
async function usageReport(
  options: UsageReportOptions,
  accountId: string,
  request: GetUsageRequest,
): Promise<MessageInitShape<typeof GetUsageResponseSchema>> {
  switch (request.measure) {
    case Measure.REFUSALS: {
      const history = await refusalHistory(options, accountId, queryOf(request, REFUSALS_BY, "reason"));
      return pageMessage(history, request.offset, refusalRowMessage);
    }
    case Measure.LATENCY: {
      const history = await latencyHistory(options, accountId, queryOf(request, LATENCY_BY, "service"));
      return pageMessage(history, request.offset, latencyRowMessage);
    }
    default: {
      const history = await usageHistory(options, accountId, queryOf(request, CALLS_BY, "day"));
      const page = pageMessage(history, request.offset, usageRowMessage);
      const payments = await options.store.livePayments(accountId);
      const failed = payments.filter(({ isGranted, unpaidSinceMs }) => isGranted && unpaidSinceMs !== null);
      const standings = history.standings.map((standing) => {
        const payment = failed.find(({ subscriptionId }) => subscriptionId === standing.subscriptionId);
        return {
          ...quotaStatusMessage(standing),
          ...(payment !== undefined && { paymentGraceEndsAt: timestampFromMs(payment.entitledUntilMs) }),
        };
      });
      return { ...page, standings };
    }
  }
}

const pageMessage = <Row>(
  { fromDay, toDay, total, rows }: History<Row>,
  offset: number,
  messageOf: (row: Row) => MessageInitShape<typeof UsageRowSchema>,
) => ({ fromDay, toDay, ...pageOf(rows.length, total, offset), results: rows.map(messageOf) });

function queryOf<Name extends string>(
  { service, fromDay, toDay, groupBy, limit = DEFAULT_LIMIT, offset }: GetUsageRequest,
  names: GroupBy<Name>,
  byDefault: Name,
): HistoryQuery<Name> {
  const grouped = groupBy.map((dimension, index) => {
    const name = names[dimension];
    if (name === undefined) {
      const allowed = Object.keys(names).map((key) => Dimension[Number(key)]?.toLowerCase());
      const description = `cannot be ${Dimension[dimension]?.toLowerCase()} for this measure, only ${allowed.join(", ")}`;
      throw new Failure(invalidArgument([{ field: `group_by[${index}]`, description }]));
    }
    return name;
  });
  return {
    service: service === "" ? undefined : (service as ServiceName),
    fromDay,
    toDay,
    groupBy: grouped.length === 0 ? [byDefault] : grouped,
    limit,
    offset,
  };
}

export const usageRowMessage = ({ hour, calls, counted, failed, ...row }: UsageRow): MessageInitShape<typeof UsageRowSchema> => ({
  ...row,
  ...beginOf(hour),
  calls: BigInt(calls),
  counted: BigInt(counted),
  failed: BigInt(failed),
});

export const refusalRowMessage = ({
  hour,
  reason,
  calls,
  rateNeeded: _,
  ...row
}: RefusalRow): MessageInitShape<typeof UsageRowSchema> => ({
  ...row,
  ...beginOf(hour),
  ...(reason !== undefined && { outcome: reason }),
  calls: BigInt(calls),
});

const latencyRowMessage = ({ hour, calls, ...row }: Latency): MessageInitShape<typeof UsageRowSchema> => ({
  ...row,
  ...beginOf(hour),
  calls: BigInt(calls),
});

// `2026-11-21T14`, UTC.
const beginOf = (hour: string | undefined): { readonly hour?: Timestamp } =>
  hour === undefined ? {} : { hour: timestampFromMs(Date.parse(`${hour}:00Z`)) };

/** What is left of a subscription's quota in the current month. */
export function quotaStatusMessage(standing: QuotaStatus): MessageInitShape<typeof MonthStandingSchema> {
  const { subscriptionId, service, plan, month, callsPerMonth, counted, credited, remaining, resetsAtMs, refused } = standing;
  return {
    subscriptionId,
    service,
    plan,
    month,
    counted: BigInt(counted),
    credited,
    resetsAt: timestampFromMs(resetsAtMs),
    ...(callsPerMonth !== undefined && { callsPerMonth }),
    ...(remaining !== undefined && { remaining: BigInt(remaining) }),
    refusedForRate: BigInt(refused.forRate),
    refusedForQuota: BigInt(refused.forQuota),
    ...(refused.rateNeeded !== undefined && { sufficientRequestsPerSecond: refused.rateNeeded }),
  };
}
