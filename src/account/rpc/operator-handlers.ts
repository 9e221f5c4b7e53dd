// OperatorService: the usage of all accounts, the server and the audit trail. Accounts, plans, incidents and the search for keys are in
// files next to it.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type RateLimit, Throttle } from "@quintet/guard";
import {
  type FindKeysRequest,
  type GetUsageRequest,
  type GetUsageResponseSchema,
  type OperatorService,
  TrafficKind,
  UsageBreakdown,
} from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { Plans } from "../../catalogue/plans.ts";
import { SERVICE_NAMES, type ServiceName } from "../../catalogue/service-names.ts";
import { KEY_PREFIXES, KEY_REST, parseKey } from "../../guard/keys/key.ts";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { dayAt } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import { FairQueue } from "../../runtime/fair-queue.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { Store } from "../../store/store.ts";
import { type HealthRow, LATENCY_BOUNDS_MS } from "../../store/usage-records.ts";
import { type FoundKey, keysWithEnding, keysWithSecret } from "../key-search.ts";
import { latencyQuantileMs } from "../latency-quantile.ts";
import type { MailSending } from "../mailed-links.ts";
import { refusalHistory } from "../refusal-history.ts";
import { reportQueueFull, tooManyCalls } from "../refusals.ts";
import type { ServerState } from "../server-state.ts";
import { topAccountsReport } from "../top-accounts.ts";
import { type UsageReportOptions, usageHistory } from "../usage-history.ts";
import { DAYS_MAX, type RequestedSpan } from "../usage-span.ts";
import { auditQueryOf } from "./audit-query.ts";
import type { Handlers, SignedIn } from "./handlers.ts";
import { createIncidentHandlers } from "./incident-handlers.ts";
import { accountMessage, keyMessage } from "./messages.ts";
import { createOperatorAccess } from "./operator-access.ts";
import { createOperatorAccountHandlers } from "./operator-account-handlers.ts";
import { auditEntryMessage, serverStateMessage } from "./operator-messages.ts";
import { createOperatorPlanHandlers } from "./operator-plan-handlers.ts";
import { quotaStatusMessage, refusalRowMessage, usageRowMessage } from "./usage-handlers.ts";

const DAY_MS = 86_400_000;
const MEDIAN = 0.5;

const KINDS: Readonly<Record<HealthRow["part"], TrafficKind>> = {
  calls: TrafficKind.CALLS,
  source: TrafficKind.SOURCE,
};

// OperatorService.FindKeys. No error repeats a key, or a part of one.
const FOUND_MAX = 20;
const SHAPE = `${KEY_PREFIXES.live} or ${KEY_PREFIXES.sandbox} followed by ${KEY_REST}, the last 6 of which are a checksum`;

function createKeySearchHandlers({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
}): Pick<Handlers<typeof OperatorService, SignedIn>, "findKeys"> {
  return {
    async findKeys(request) {
      const found = await find(store, request);
      const nowMs = clock.nowMs();
      const results = found.map(({ key, account, lastUsedAtMs }) => ({
        key: keyMessage(key, nowMs, { lastUsedAtMs }),
        account: accountMessage(account),
      }));
      return { results };
    },
  };
}

function find(store: Store, { by }: FindKeysRequest): Promise<readonly FoundKey[]> {
  if (by.case === "lastFour") {
    return keysWithEnding(store, by.value, FOUND_MAX);
  }
  const parsed = parseKey(by.value ?? "");
  if (parsed.kind !== "ok") {
    throw new Failure(invalidArgument([{ field: "key", description: `must be ${SHAPE}; this one is mistyped or incomplete` }]));
  }
  return keysWithSecret(store, parsed.key);
}

const TOP_LIMIT = 20;
const USAGE_ROWS_MAX = DAYS_MAX * SERVICE_NAMES.length;
// Enough for 366 days, and for more refusal reasons than exist.
const REFUSAL_ROWS_MAX = 7320;

const REPORTS_PER_OPERATOR: RateLimit = { burst: 10, everyMs: 1000 };
const REPORTS_WAITING_MAX = 10;

interface OperatorHandlerOptions extends UsageReportOptions {
  readonly store: Store;
  readonly plans: Plans;
  readonly randomness: Pick<Randomness, "uuid">;
  readonly serverState: () => ServerState;
  /** Undefined on a server that does not send mail. */
  readonly mail?: MailSending | undefined;
}

/** The handlers. `who` is an operator. */
export function createOperatorHandlers(options: OperatorHandlerOptions): Handlers<typeof OperatorService, SignedIn> {
  const { store, clock } = options;
  const reports = new Throttle(clock, REPORTS_PER_OPERATOR);
  const reportQueue = new FairQueue({
    concurrencyMax: 1,
    ownerConcurrencyMax: () => 1,
    waitingMax: REPORTS_WAITING_MAX,
    queueFull: () => new Failure(reportQueueFull()),
  });
  const report = <Result>({ accountId }: SignedIn, work: () => Promise<Result>): Promise<Result> => {
    throwIfLimited(reports.take(accountId), tooManyCalls);
    return reportQueue.run(accountId, work);
  };
  const access = createOperatorAccess(options);
  const { requireAccount } = access;
  return {
    ...createKeySearchHandlers(options),
    ...createOperatorAccountHandlers({ ...options, access }),
    ...createOperatorPlanHandlers({ ...options, access }),
    ...createIncidentHandlers({ ...options, access }),
    async getUsage(request, who) {
      refuseUnused(request);
      const { accountId, breakdown, fromDay, toDay, limit = TOP_LIMIT } = request;
      const service = request.service === "" ? undefined : (request.service as ServiceName);
      if (accountId !== "") {
        await requireAccount(accountId);
        return report(who, () => accountUsage(options, accountId, { service, fromDay, toDay }));
      }
      return breakdown === UsageBreakdown.HOUR
        ? report(who, () => hourlyUsage(options, service))
        : report(who, () => totalUsage(options, { service, fromDay, toDay, limit }));
    },
    async getServerState() {
      return serverStateMessage(options.serverState(), await store.nodes());
    },
    async listAuditEntries(request) {
      const { entries, hasMore } = await store.auditPage(auditQueryOf(request));
      const last = entries.at(-1);
      return {
        results: entries.map(auditEntryMessage),
        ...(hasMore && last !== undefined && { nextPageToken: String(last.number) }),
      };
    },
  };
}

type Usage = MessageInitShape<typeof GetUsageResponseSchema>;

// A parameter that the report does not read would be ignored silently.
function refuseUnused({ accountId, breakdown, fromDay, toDay, limit }: GetUsageRequest): void {
  const isHourly = breakdown === UsageBreakdown.HOUR;
  const violations = [
    { field: "breakdown", isUnused: accountId !== "" && breakdown !== UsageBreakdown.UNSPECIFIED, of: "one account" },
    { field: "from_day", isUnused: isHourly && fromDay !== undefined, of: "the last 24 hours" },
    { field: "to_day", isUnused: isHourly && toDay !== undefined, of: "the last 24 hours" },
    { field: "limit", isUnused: isHourly && limit !== undefined, of: "the last 24 hours" },
    { field: "limit", isUnused: accountId !== "" && limit !== undefined, of: "one account" },
  ].filter(({ isUnused }) => isUnused);
  if (violations.length > 0) {
    throw new Failure(
      invalidArgument(violations.map(({ field, of }) => ({ field, description: `is not for the usage of ${of}` }))),
    );
  }
}

type Span = RequestedSpan & { readonly service: ServiceName | undefined };

async function accountUsage(options: UsageReportOptions, accountId: string, span: Span): Promise<Usage> {
  const page = { groupBy: ["day", "service"], limit: USAGE_ROWS_MAX, offset: 0 } as const;
  const refusalPage = { groupBy: ["day", "reason"], limit: REFUSAL_ROWS_MAX, offset: 0 } as const;
  const { standings, rows, fromDay, toDay } = await usageHistory(options, accountId, { ...span, ...page });
  const refused = await refusalHistory(options, accountId, { ...span, ...refusalPage });
  return {
    fromDay,
    toDay,
    standings: standings.map(quotaStatusMessage),
    results: rows.map(usageRowMessage),
    refusals: refused.rows.map(refusalRowMessage),
  };
}

async function totalUsage(options: UsageReportOptions, query: Span & { readonly limit: number }): Promise<Usage> {
  const { services, accounts, ...days } = await topAccountsReport(options, query);
  return {
    ...days,
    services: services.map(({ service, calls, counted, accounts }) => ({
      ...{ service, calls: BigInt(calls), counted: BigInt(counted), accounts },
    })),
    accounts: accounts.map(({ accountId, accountName, calls, counted }) => ({
      accountId,
      ...(accountName !== null && { accountName }),
      calls: BigInt(calls),
      counted: BigInt(counted),
    })),
  };
}

// What all servers counted in the last day.
async function hourlyUsage(
  { store, clock }: Pick<OperatorHandlerOptions, "store" | "clock">,
  only: ServiceName | undefined,
): Promise<Usage> {
  const nowMs = clock.nowMs();
  const rows = await store.healthRows({ fromHour: new Date(nowMs - DAY_MS).toISOString().slice(0, 13), by: "hour" });
  return {
    fromDay: dayAt(nowMs - DAY_MS).day,
    toDay: dayAt(nowMs).day,
    hours: rows
      .filter(({ service }) => only === undefined || service === only)
      .map(({ time, service, part, calls, failed, refused, latency }) => {
        const medianMs = latencyQuantileMs(latency, LATENCY_BOUNDS_MS, MEDIAN);
        return {
          ...{ hour: timestampFromMs(Date.parse(`${time}:00Z`)), service, kind: KINDS[part] },
          ...{ calls: BigInt(calls), failed: BigInt(failed), refused: BigInt(refused) },
          ...(medianMs !== undefined && { medianMs }),
        };
      }),
  };
}
