// The history of the sandbox's customer: calls that were never made, in the tables that real calls are counted, logged and measured in, so
// that no page is empty. Each start fills the hours and days without any call, so a sandbox that was off for a week has a history again.
// Real calls stay as they are.
import { refundedOutcomes } from "../account/usage-history.ts";
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import { REASONS } from "../problem/reason.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { loadContracts } from "../services/registry.ts";
import type { Store } from "../store/store.ts";
import {
  CALLS_KEPT_DAYS,
  HEALTH_KEPT_DAYS,
  type HealthCount,
  type LatencyCount,
  type LoggedCall,
  type RefusalCount,
  type UsageCount,
} from "../store/usage-records.ts";
import { type InventedCalls, type InventedRefusals, inventCalls } from "./invented-calls.ts";
import { inventHealth, mergeHealth } from "./invented-health.ts";
import { inventDurationMs, inventLatency } from "./invented-latency.ts";

/** A call without its customer. */
type InventedCall = Omit<LoggedCall, "accountId" | "keyId" | "keyLastFour">;

// A busy hour gets about 35 entries, and a week about 3000: few enough to be written quickly when the sandbox starts.
const CALLS_PER_ENTRY = 100;
const PROTOCOLS = ["rest", "grpc", "grpc-web", "connect"] as const;
// No failures are invented for Connect, because it has its own HTTP statuses for them.
const PROTOCOLS_OF_FAILURES = PROTOCOLS.slice(0, -1);
const RESPONSE_BYTES: Readonly<Partial<Record<ServiceName, number>>> = {
  radio: 9200,
  "token-price": 640,
  "token-list": 5100,
  bitcoin: 1900,
  farkle: 410,
};
// For services that are not listed above.
const RESPONSE_BYTES_DEFAULT = 900;
const FAILURE_BYTES = 480;
const REFUSED_MS_MAX = 0.3;

/** Calls between `fromMs` and `untilMs` that fit the counts, in no particular order. */
function inventLog(
  { unit, uuid }: Pick<Randomness, "unit" | "uuid">,
  { calls, refusals }: { readonly calls: readonly InventedCalls[]; readonly refusals: readonly InventedRefusals[] },
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): readonly InventedCall[] {
  const callOf = ({ service, method, outcome }: InventedCalls, isRefused: boolean): InventedCall => {
    const isOk = outcome === "OK";
    const protocols = isOk ? PROTOCOLS : PROTOCOLS_OF_FAILURES;
    const protocol = protocols[Math.floor(unit() * protocols.length)] ?? "rest";
    const bytes = isOk ? (RESPONSE_BYTES[service] ?? RESPONSE_BYTES_DEFAULT) : FAILURE_BYTES;
    return {
      id: uuid(),
      startedAtMs: Math.floor(fromMs + unit() * (untilMs - fromMs)),
      service,
      method,
      protocol,
      httpStatus: isOk || protocol !== "rest" ? 200 : REASONS[outcome].httpStatus,
      outcome,
      isRefused,
      isDryRun: false,
      durationMs: isRefused ? unit() * REFUSED_MS_MAX : inventDurationMs({ unit }, service),
      requestBytes: protocol === "rest" ? 0 : Math.round(12 + 50 * unit()),
      responseBytes: Math.round(bytes * (0.7 + 0.6 * unit())),
      requestId: uuid(),
      leftOut: 0,
      parameters: undefined,
    };
  };
  const entries = (count: number, call: () => InventedCall): readonly InventedCall[] =>
    Array.from({ length: Math.ceil(count / CALLS_PER_ENTRY) }, call);
  const refused = refusals.flatMap(({ service, reason, calls: count }) => {
    const method = calls.find((one) => one.service === service)?.method;
    return method === undefined ? [] : entries(count, () => callOf({ service, method, outcome: reason, calls: count }, true));
  });
  return [...calls.flatMap((counts) => entries(counts.calls, () => callOf(counts, false))), ...refused];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How many days the customer's history goes back. The status page's goes back for as long as it shows. */
export const DEMO_HISTORY_DAYS = 45;
// Hourly counts are kept for this long; before that, there are only days.
const HOURLY_DAYS = 7;
const BATCH_MAX = 500;
const COUNTS_MAX = 250_000;

interface DemoHistoryOptions {
  readonly store: Pick<
    Store,
    | "usageRows"
    | "addUsage"
    | "addRefusals"
    | "addLatency"
    | "addHealth"
    | "healthRows"
    | "logCalls"
    | "listCurrentSubscriptions"
    | "leasedCalls"
    | "lease"
  >;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Pick<Randomness, "unit" | "uuid">;
}

/** Fills the hours and days in which the account made no call, and charges this month's invented calls to its monthly quotas. */
export async function fillDemoHistory(
  options: DemoHistoryOptions,
  customer: Pick<LoggedCall, "accountId" | "keyId" | "keyLastFour">,
) {
  const { store, clock, randomness } = options;
  const { accountId, keyId } = customer;
  const contracts = await loadContracts();
  const nowMs = clock.nowMs();
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const beginMs = todayMs - DEMO_HISTORY_DAYS * DAY_MS;
  const hourlyMs = todayMs - HOURLY_DAYS * DAY_MS;
  const measuredFromMs = todayMs - (HEALTH_KEPT_DAYS - 1) * DAY_MS;
  const rowsBy = async (dimension: "day" | "hour", fromMs: number, toMs: number) => {
    const page = { groupBy: [dimension], refunded: [], limit: Number.MAX_SAFE_INTEGER, offset: 0, countsMax: COUNTS_MAX } as const;
    const { rows } = await store.usageRows({ accountId, fromDay: dayOf(fromMs), toDay: dayOf(toMs), ...page });
    return rows;
  };
  const days = new Set((await rowsBy("day", beginMs, hourlyMs - 1)).map(({ day }) => day));
  const hours = new Set((await rowsBy("hour", hourlyMs, nowMs)).map(({ hour }) => hour));
  const measured = (await store.healthRows({ fromHour: dayOf(measuredFromMs), by: "hour" })).map(({ time }) => time);
  const measuredTimes = new Set([...measured, ...measured.map((hour) => hour.slice(0, 10))]);
  const usage: UsageCount[] = [];
  const refusals: RefusalCount[] = [];
  const latencies: LatencyCount[] = [];
  const health: HealthCount[] = [];
  const logged: LoggedCall[] = [];
  for (let hourMs = Math.min(beginMs, measuredFromMs); hourMs <= nowMs; hourMs += HOUR_MS) {
    const at = new Date(hourMs).toISOString();
    const day = at.slice(0, 10);
    const hasCalls = hourMs < beginMs || (hourMs < hourlyMs ? days.has(day) : hours.has(at.slice(0, 13)));
    const isMeasured = hourMs < measuredFromMs || measuredTimes.has(hourMs < hourlyMs ? day : at.slice(0, 13));
    if (hasCalls && isMeasured) {
      continue;
    }
    const invented = inventCalls(randomness, contracts, { hourMs, nowMs, part: Math.min(1, (nowMs - hourMs) / HOUR_MS) });
    // For days whose hours are no longer kept, all calls count in the first hour.
    const hour = hourMs < hourlyMs ? 0 : Number(at.slice(11, 13));
    const started = `${day}T${String(hour).padStart(2, "0")}`;
    if (!isMeasured) {
      health.push(...inventHealth(randomness, invented).map((one) => ({ ...one, hour: started })));
    }
    if (hasCalls) {
      continue;
    }
    usage.push(...invented.calls.map((one) => ({ accountId, keyId, ...one, day, hour })));
    refusals.push(...invented.refusals.map((one) => ({ accountId, keyId, ...one, day, hour, rateNeeded: 0 })));
    if (hourMs >= nowMs - CALLS_KEPT_DAYS * DAY_MS) {
      const span = { fromMs: hourMs, untilMs: Math.min(hourMs + HOUR_MS, nowMs) };
      logged.push(...inventLog(randomness, invented, span).map((one) => ({ ...customer, ...one })));
    }
    latencies.push(...inventLatency(randomness, invented.calls).map((one) => ({ accountId, ...one, hour: started })));
  }
  for (const counts of batchesOf(mergeHealth(health))) {
    await store.addHealth(counts);
  }
  for (const counts of batchesOf(latencies)) {
    await store.addLatency(counts);
  }
  for (const calls of batchesOf(logged)) {
    await store.logCalls(calls);
  }
  const [usageWriter, refusalsWriter] = [randomness.uuid(), randomness.uuid()];
  for (const [index, counts] of batchesOf(mergeCounts(usage)).entries()) {
    await store.addUsage(counts, { writer: usageWriter, number: index + 1 });
  }
  for (const [index, counts] of batchesOf(refusals).entries()) {
    await store.addRefusals(counts, { writer: refusalsWriter, number: index + 1 });
  }
  if (usage.length > 0) {
    await chargeMonths(options, accountId, nowMs);
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const batchesOf = <Count>(counts: readonly Count[]): readonly (readonly Count[])[] =>
  Array.from({ length: Math.ceil(counts.length / BATCH_MAX) }, (_, index) =>
    counts.slice(index * BATCH_MAX, (index + 1) * BATCH_MAX),
  );

// Adds up the counts that fall into the same hour.
const mergeCounts = (counts: readonly UsageCount[]): readonly UsageCount[] =>
  [...Map.groupBy(counts, ({ service, method, day, hour, outcome }) => `${service} ${method} ${day} ${hour} ${outcome}`)].map(
    ([, [first, ...others]]) => ({
      ...(first as UsageCount),
      calls: others.reduce((sum, { calls }) => sum + calls, (first as UsageCount).calls),
    }),
  );

// Calls reduce a monthly quota once they are leased. So the invented calls are leased, as a server would lease them.
async function chargeMonths({ store }: DemoHistoryOptions, accountId: string, nowMs: number): Promise<void> {
  const { month } = dayAt(nowMs);
  const span = { accountId, fromDay: `${month}-01`, toDay: `${month}-31` };
  const page = { groupBy: ["service"], refunded: refundedOutcomes, limit: SERVICE_NAMES.length, offset: 0 } as const;
  const { rows } = await store.usageRows({ ...span, ...page, countsMax: COUNTS_MAX });
  const subscriptions = (await store.listCurrentSubscriptions(accountId)).filter(({ state }) => state === "active");
  const leased = await store.leasedCalls(
    subscriptions.map(({ id }) => id),
    month,
  );
  for (const { id, service, terms } of subscriptions) {
    const counted = rows.find((row) => row.service === service)?.counted ?? 0;
    const unleased = counted - (leased.find(({ subscriptionId }) => subscriptionId === id)?.leased ?? 0);
    if (unleased > 0) {
      await store.lease(id, month, terms.callsPerMonth, unleased);
    }
  }
}
