// The methods of AccountService for usage and refusals.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type AccountService,
  UsageDimension as Dimension,
  type MonthStandingSchema,
  type RefusalRowSchema,
  RefusalDimension as RefusedBy,
  type UsageRowSchema,
} from "../../../gen/quintet/account/v1/account_pb.js";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { type RateLimit, Throttle, throwIfLimited } from "../../guard/pace/throttle.ts";
import { Failure } from "../../problem/failure.ts";
import { FairQueue } from "../../runtime/fair-queue.ts";
import type { RefusalDimension, RefusalRow, UsageDimension, UsageRow } from "../../store/records.ts";
import { type RefusalHistoryQuery, refusalHistory } from "../refusal-history.ts";
import { reportsBusy, tooManyCalls } from "../refusals.ts";
import { type QuotaStatus, type UsageDependencies, type UsageHistoryQuery, usageHistory } from "../usage-history.ts";
import type { Handlers, SignedIn } from "./handlers.ts";

const DEFAULT_LIMIT = 100;
const REPORTS_OF_AN_ACCOUNT: RateLimit = { burst: 10, everyMs: 1000 };
// A database takes some 100 ms to add up a year of a busy account. It has other work too, so it does this for one account at a time,
// and an account that asks for much waits behind the others.
const WAITING_MAX = 20;

// The contract does not let the first one through.
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

/** The handlers. */
export function createUsageHandlers(
  deps: UsageDependencies,
): Pick<Handlers<typeof AccountService, SignedIn>, "getUsage" | "listRefusals"> {
  const reports = new Throttle(deps.clock, REPORTS_OF_AN_ACCOUNT);
  const reportQueue = new FairQueue({
    waitingMax: WAITING_MAX,
    queueFull: () => new Failure(reportsBusy()),
  });
  return {
    async getUsage({ service, fromDay, toDay, groupBy, limit = DEFAULT_LIMIT, offset }, { accountId }) {
      throwIfLimited(reports.take(accountId), tooManyCalls);
      const query: UsageHistoryQuery = {
        service: serviceOf(service),
        fromDay,
        toDay,
        groupBy: groupBy.length === 0 ? ["day"] : groupBy.map((dimension) => DIMENSIONS[dimension]),
        limit,
        offset,
      };
      const { standings, rows, ...history } = await reportQueue.run(accountId, () => usageHistory(deps, accountId, query));
      const hasMore = offset + rows.length < history.total;
      const results = rows.map(usageRowMessage);
      return { ...history, standings: standings.map(standingMessage), count: rows.length, hasMore, results };
    },
    async listRefusals({ service, fromDay, toDay, groupBy, limit = DEFAULT_LIMIT, offset }, { accountId }) {
      throwIfLimited(reports.take(accountId), tooManyCalls);
      const query: RefusalHistoryQuery = {
        service: serviceOf(service),
        fromDay,
        toDay,
        groupBy: groupBy.length === 0 ? ["reason"] : groupBy.map((dimension) => REFUSAL_DIMENSIONS[dimension]),
        limit,
        offset,
      };
      const { rows, ...history } = await reportQueue.run(accountId, () => refusalHistory(deps, accountId, query));
      return {
        ...history,
        count: rows.length,
        hasMore: offset + rows.length < history.total,
        results: rows.map(refusalRowMessage),
      };
    },
  };
}

const serviceOf = (name: string): ServiceName | undefined => (name === "" ? undefined : (name as ServiceName));

/** A row of the history. */
export const usageRowMessage = ({ hour, ...row }: UsageRow): MessageInitShape<typeof UsageRowSchema> =>
  hour === undefined ? row : { ...row, hour: beginOf(hour) };

/** A row of the refusals. */
export const refusalRowMessage = ({ hour, ...row }: Omit<RefusalRow, "rateNeeded">): MessageInitShape<typeof RefusalRowSchema> =>
  hour === undefined ? row : { ...row, hour: beginOf(hour) };

// `2026-11-21T14`, UTC.
const beginOf = (hour: string): Timestamp => timestampFromMs(Date.parse(`${hour}:00Z`));

/** How a subscription stands in the current month. */
export function standingMessage(standing: QuotaStatus): MessageInitShape<typeof MonthStandingSchema> {
  const { subscriptionId, service, plan, month, callsPerMonth, counted, remaining, resetsAtMs, refused } = standing;
  return {
    subscriptionId,
    service,
    plan,
    month,
    counted,
    resetsAt: timestampFromMs(resetsAtMs),
    ...(callsPerMonth !== undefined && { callsPerMonth }),
    ...(remaining !== undefined && { remaining }),
    refusedForRate: refused.forRate,
    refusedForQuota: refused.forQuota,
    ...(refused.rateNeeded !== undefined && { sufficientRequestsPerSecond: refused.rateNeeded }),
  };
}
