// OperatorService: the usage of all accounts, the server and the audit trail. Accounts, plans, incidents and the search for keys are in
// files next to it.

import { type RateLimit, Throttle } from "@quintet/guard";
import { type FindKeysRequest, type OperatorService, TrafficKind } from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { Plans } from "../../catalogue/plans.ts";
import { SERVICE_NAMES, type ServiceName } from "../../catalogue/service-names.ts";
import { KEY_PREFIXES, KEY_REST, parseKey } from "../../guard/keys/key.ts";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
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
import { DAYS_MAX } from "../usage-span.ts";
import { auditQueryOf } from "./audit-query.ts";
import type { Handlers, SignedIn } from "./handlers.ts";
import { createIncidentHandlers } from "./incident-handlers.ts";
import { accountMessage, keyMessage } from "./messages.ts";
import { createOperatorAccess } from "./operator-access.ts";
import { createOperatorAccountHandlers } from "./operator-account-handlers.ts";
import { auditEntryMessage, serverStateMessage } from "./operator-messages.ts";
import { createOperatorPlanHandlers } from "./operator-plan-handlers.ts";
import { quotaStatusMessage, refusalRowMessage, usageRowMessage } from "./usage-handlers.ts";

// OperatorService.GetTraffic: what all servers counted in the last day, by hour.
const DAY_MS = 86_400_000;
const MEDIAN = 0.5;

const KINDS: Readonly<Record<HealthRow["part"], TrafficKind>> = {
  calls: TrafficKind.CALLS,
  source: TrafficKind.SOURCE,
};

function createTrafficHandlers({
  store,
  clock,
}: {
  readonly store: Pick<Store, "healthRows">;
  readonly clock: Pick<Clock, "nowMs">;
}): Pick<Handlers<typeof OperatorService, SignedIn>, "getTraffic"> {
  return {
    async getTraffic() {
      const fromHour = new Date(clock.nowMs() - DAY_MS).toISOString().slice(0, 13);
      const rows = await store.healthRows({ fromHour, by: "hour" });
      return {
        results: rows.map(({ time, service, part, calls, failed, refused, latency }) => {
          const medianMs = latencyQuantileMs(latency, LATENCY_BOUNDS_MS, MEDIAN);
          return {
            ...{ hour: time, service, kind: KINDS[part], calls, failed, refused },
            ...(medianMs !== undefined && { medianMs }),
          };
        }),
      };
    },
  };
}

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
      return { count: results.length, results };
    },
  };
}

function find(store: Store, { key, lastFour }: FindKeysRequest): Promise<readonly FoundKey[]> {
  if ((key === "") === (lastFour === "")) {
    const description = key === "" ? "is required, unless last_four is given" : "cannot be given together with last_four";
    throw new Failure(invalidArgument([{ field: "key", description }]));
  }
  if (key === "") {
    return keysWithEnding(store, lastFour, FOUND_MAX);
  }
  const parsed = parseKey(key);
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
    ...createTrafficHandlers(options),
    ...createOperatorAccountHandlers({ ...options, access }),
    ...createOperatorPlanHandlers({ ...options, access }),
    ...createIncidentHandlers({ ...options, access }),
    async getAccountUsage({ accountId, fromDay, toDay }, who) {
      await requireAccount(accountId);
      const page = { groupBy: ["day", "service"], limit: USAGE_ROWS_MAX, offset: 0 } as const;
      const refusalPage = { groupBy: ["day", "reason"], limit: REFUSAL_ROWS_MAX, offset: 0 } as const;
      const [history, refused] = await report(who, async () => [
        await usageHistory(options, accountId, { fromDay, toDay, ...page }),
        await refusalHistory(options, accountId, { fromDay, toDay, ...refusalPage }),
      ]);
      const { standings, rows, ...span } = history;
      return {
        fromDay: span.fromDay,
        toDay: span.toDay,
        standings: standings.map(quotaStatusMessage),
        results: rows.map(usageRowMessage),
        refusals: refused.rows.map(refusalRowMessage),
      };
    },
    async getUsage({ service, fromDay, toDay, limit = TOP_LIMIT }, who) {
      const query = { service: service === "" ? undefined : (service as ServiceName), fromDay, toDay, limit };
      const { services, accounts, ...span } = await report(who, () => topAccountsReport({ store, clock }, query));
      return {
        ...span,
        services: services.map(({ service, calls, counted, accounts }) => ({ service, calls, counted, accounts })),
        accounts: accounts.map(({ accountId, accountName, calls, counted }) => ({
          accountId,
          ...(accountName !== null && { accountName }),
          calls,
          counted,
        })),
      };
    },
    async getServerState() {
      return serverStateMessage(options.serverState(), await store.nodes());
    },
    async listAuditEntries(request) {
      const { entries, hasMore } = await store.auditPage(auditQueryOf(request));
      return { count: entries.length, hasMore, results: entries.map(auditEntryMessage) };
    },
  };
}
