// The history of the sandbox's customer: calls that were never made, in the tables that real calls are counted, logged and measured in, so
// that no page is empty. Only a sandbox that has just been made gets it. The calls vary with the time of day and the weekday and grow
// slowly, and some hours have a failing upstream or a burst above the rate.
import type { DescService } from "@bufbuild/protobuf";
import { refundedOutcomes } from "../account/usage-history.ts";
import { hasUpstreams, SERVICE_NAMES, SERVICES, type ServiceName } from "../catalogue/service-names.ts";
import { REASONS, type Reason } from "../problem/reason.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { loadContracts } from "../services/registry.ts";
import type { Store } from "../store/store.ts";
import {
  CALL_LATENCY_BOUNDS_MS,
  CALLS_KEPT_DAYS,
  HEALTH_KEPT_DAYS,
  type HealthCount,
  LATENCY_BOUNDS_MS,
  type LatencyCount,
  type LoggedCall,
  type RefusalCount,
  type UsageCount,
} from "../store/usage-records.ts";

/** A service as a customer would use it. */
interface UsagePattern {
  readonly callsPerBusyHour: number;
  /** Method → its share of the calls. */
  readonly methods: Readonly<Record<string, number>>;
  /** The mistake that callers make most often, and its share of the calls. */
  readonly mistake: readonly [Reason, share: number];
  /** Half of the calls take at most this long. */
  readonly usualMs: number;
  readonly responseBytes: number;
}

const USAGE_PATTERNS: Partial<Record<ServiceName, UsagePattern>> = {
  radio: {
    callsPerBusyHour: 640,
    methods: { "quintet.radio.v1.RadioService/SearchStations": 0.7, "quintet.radio.v1.RadioService/GetStation": 0.3 },
    mistake: ["NOT_FOUND", 0.004],
    usualMs: 38,
    responseBytes: 9200,
  },
  "token-price": {
    callsPerBusyHour: 1450,
    methods: {
      "quintet.tokenprice.v1.TokenPriceService/GetPrices": 0.85,
      "quintet.tokenprice.v1.TokenPriceService/GetPriceCharts": 0.15,
    },
    mistake: ["NOT_FOUND", 0.006],
    usualMs: 95,
    responseBytes: 640,
  },
  "token-list": {
    callsPerBusyHour: 180,
    methods: { "quintet.tokenlist.v1.TokenListService/SearchTokens": 1 },
    mistake: ["INVALID_ARGUMENT", 0.012],
    usualMs: 12,
    responseBytes: 5100,
  },
  bitcoin: {
    callsPerBusyHour: 260,
    methods: { "quintet.bitcoin.v1.BitcoinService/GetSummary": 1 },
    mistake: ["INVALID_ARGUMENT", 0.001],
    usualMs: 6,
    responseBytes: 1900,
  },
  farkle: {
    callsPerBusyHour: 910,
    methods: { "quintet.farkle.v1.FarkleService/Score": 1 },
    mistake: ["INVALID_ARGUMENT", 0.02],
    usualMs: 0.4,
    responseBytes: 410,
  },
};

// A service without a pattern gets calls to its first method.
const usagePatternOf = (service: ServiceName, contracts: readonly DescService[]): UsagePattern =>
  USAGE_PATTERNS[service] ?? {
    callsPerBusyHour: 200,
    methods: Object.fromEntries(
      contracts
        .filter(({ typeName }) => typeName === SERVICES[service].service)
        .flatMap(({ typeName, methods }) => methods.slice(0, 1).map(({ name }) => [`${typeName}/${name}`, 1])),
    ),
    mistake: ["INVALID_ARGUMENT", 0.01],
    usualMs: 50,
    responseBytes: 900,
  };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How many days the customer's history goes back. The status page's goes back for as long as it shows. */
export const DEMO_HISTORY_DAYS = 45;
// Hourly counts are kept for this long; before that, there are only days.
const HOURLY_DAYS = 7;
const BATCH_MAX = 500;
const COUNTS_MAX = 250_000;
const SATURDAY = 6;
const WEEKEND_LEVEL = 0.55;
const GROWTH_PER_DAY = 0.004;
const NIGHT_LEVEL = 0.12;
const BUSIEST_HOUR = 15;
const FAILING_HOURS_SHARE = 0.02;
// The status page judges this hour and the one before: a sandbox that has just started is healthy.
const HEALTHY_MS = 2 * HOUR_MS;
const FAILURE_SHARE_MAX = 0.08;
const BURST_HOURS_SHARE = 0.05;
const BURST_CALLS_MAX = 40;
// The cache responds to the others.
const SOURCE_SHARE = 0.4;
// A busy hour gets about 35 entries, and a week about 3000: few enough to be written quickly when the sandbox starts.
const CALLS_PER_ENTRY = 100;
const PROTOCOLS = ["rest", "grpc", "grpc-web", "connect"] as const;
// No failures are invented for Connect, because it has its own HTTP statuses for them.
const PROTOCOLS_OF_FAILURES = PROTOCOLS.slice(0, -1);
const FAILURE_BYTES = 480;
const REFUSED_MS_MAX = 0.3;
// How many times the usual time a call takes, and the share of calls that take that long.
const SPREAD: readonly (readonly [times: number, share: number])[] = [
  [0.5, 0.16],
  [0.8, 0.34],
  [1.3, 0.28],
  [2, 0.13],
  [4, 0.06],
  [9, 0.025],
  [20, 0.005],
];

type Customer = Pick<LoggedCall, "accountId" | "keyId" | "keyLastFour">;

interface DemoHistoryOptions {
  readonly store: Pick<
    Store,
    | "usageRows"
    | "addUsage"
    | "addRefusals"
    | "addLatency"
    | "addHealth"
    | "logCalls"
    | "listCurrentSubscriptions"
    | "leasedCalls"
    | "lease"
  >;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Pick<Randomness, "unit" | "uuid">;
}

/** Counts, logs and measures invented calls of the account's, and charges this month's to its monthly quotas. Nothing if it has calls. */
export async function fillDemoHistory(options: DemoHistoryOptions, customer: Customer): Promise<void> {
  const { store, clock, randomness } = options;
  const { accountId, keyId } = customer;
  const nowMs = clock.nowMs();
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const [beginMs, hourlyMs] = [todayMs - DEMO_HISTORY_DAYS * DAY_MS, todayMs - HOURLY_DAYS * DAY_MS];
  const measuredFromMs = todayMs - (HEALTH_KEPT_DAYS - 1) * DAY_MS;
  const page = { groupBy: ["day"], refunded: [], limit: 1, offset: 0, countsMax: COUNTS_MAX } as const;
  const known = await store.usageRows({ accountId, fromDay: dayOf(beginMs), toDay: dayOf(nowMs), ...page });
  if (known.rows.length > 0) {
    return;
  }
  const inventor = new Inventor(randomness, await loadContracts());
  const usage: UsageCount[] = [];
  const refusals: RefusalCount[] = [];
  const latencies: LatencyCount[] = [];
  const health: HealthCount[] = [];
  const logged: LoggedCall[] = [];
  for (let hourMs = Math.min(beginMs, measuredFromMs); hourMs <= nowMs; hourMs += HOUR_MS) {
    const { calls, refused } = inventor.callsIn(hourMs, nowMs);
    const day = dayOf(hourMs);
    // For days whose hours are no longer kept, all calls count in the first hour.
    const hour = hourMs < hourlyMs ? 0 : new Date(hourMs).getUTCHours();
    const started = `${day}T${String(hour).padStart(2, "0")}`;
    if (hourMs >= measuredFromMs) {
      health.push(...inventor.healthOf(calls, refused).map((one) => ({ ...one, hour: started })));
    }
    if (hourMs < beginMs) {
      continue;
    }
    const owner = { accountId, keyId, day, hour };
    usage.push(...calls.map((one) => ({ ...owner, ...one })));
    refusals.push(
      ...refused.map(({ service, outcome, calls: count }) => ({ ...owner, service, reason: outcome, calls: count, rateNeeded: 0 })),
    );
    latencies.push(...inventor.latencyOf(calls).map((one) => ({ accountId, ...one, hour: started })));
    if (hourMs >= nowMs - CALLS_KEPT_DAYS * DAY_MS) {
      const span = { fromMs: hourMs, untilMs: Math.min(hourMs + HOUR_MS, nowMs) };
      logged.push(...[...calls, ...refused].flatMap((one) => inventor.entriesOf(one, span, customer)));
    }
  }
  await inBatches(mergeHealth(health), (counts) => store.addHealth(counts));
  await inBatches(latencies, (counts) => store.addLatency(counts));
  await inBatches(logged, (calls) => store.logCalls(calls));
  const [usageWriter, refusalsWriter] = [randomness.uuid(), randomness.uuid()];
  await inBatches(mergeUsage(usage), (counts, number) => store.addUsage(counts, { writer: usageWriter, number }));
  await inBatches(refusals, (counts, number) => store.addRefusals(counts, { writer: refusalsWriter, number }));
  await chargeMonths(options, accountId, nowMs);
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** `number` counts from 1. */
async function inBatches<Count>(
  counts: readonly Count[],
  write: (batch: readonly Count[], number: number) => Promise<unknown>,
): Promise<void> {
  for (let begin = 0, number = 1; begin < counts.length; begin += BATCH_MAX, number += 1) {
    await write(counts.slice(begin, begin + BATCH_MAX), number);
  }
}

interface InventedCalls {
  readonly service: ServiceName;
  /** The full name. */
  readonly method: string;
  readonly outcome: "OK" | Reason;
  readonly calls: number;
}

type InventedRefusals = InventedCalls & { readonly outcome: Reason };

const sumOf = (counts: readonly { readonly calls: number }[]): number => counts.reduce((sum, { calls }) => sum + calls, 0);

class Inventor {
  readonly #random: Pick<Randomness, "unit" | "uuid">;
  readonly #patterns: ReadonlyMap<ServiceName, UsagePattern>;

  constructor(random: Pick<Randomness, "unit" | "uuid">, contracts: readonly DescService[]) {
    this.#random = random;
    this.#patterns = new Map(SERVICE_NAMES.map((service) => [service, usagePatternOf(service, contracts)]));
  }

  /** The calls to all services in the hour that started at `hourMs`, up to `nowMs`. Counts of 0 are left out. */
  callsIn(
    hourMs: number,
    nowMs: number,
  ): { readonly calls: readonly InventedCalls[]; readonly refused: readonly InventedRefusals[] } {
    const { unit } = this.#random;
    const passed = Math.min(1, (nowMs - hourMs) / HOUR_MS);
    const level = levelAt(hourMs) * (1 - (GROWTH_PER_DAY * (nowMs - hourMs)) / DAY_MS) * passed;
    const calls = [...this.#patterns].flatMap(([service, { callsPerBusyHour, methods, mistake }]) => {
      const isFailing = hasUpstreams(service) && unit() < FAILING_HOURS_SHARE && nowMs - hourMs >= HEALTHY_MS;
      const failureShare = isFailing ? FAILURE_SHARE_MAX * unit() : 0;
      return Object.entries(methods).flatMap(([method, share]): InventedCalls[] => {
        const all = Math.round(callsPerBusyHour * share * level * (0.8 + 0.4 * unit()));
        const mistaken = Math.round(all * mistake[1] * 2 * unit());
        const failed = Math.round(all * failureShare);
        const outcomes = [
          ["OK", all - mistaken - failed],
          [mistake[0], mistaken],
          ["UPSTREAM_FAILED", failed],
        ] as const;
        return outcomes.filter(([, count]) => count > 0).map(([outcome, count]) => ({ service, method, outcome, calls: count }));
      });
    });
    const hasBurst = unit() < BURST_HOURS_SHARE * level;
    const burst = Math.ceil(BURST_CALLS_MAX * unit() * passed);
    const method = calls.find(({ service }) => service === "token-price")?.method;
    const isRefused = hasBurst && method !== undefined;
    return { calls, refused: isRefused ? [{ service: "token-price", method, outcome: "RATE_LIMITED", calls: burst }] : [] };
  }

  /** What a server would have measured: at most one count for each service, and one for the requests to its source. */
  healthOf(calls: readonly InventedCalls[], refusals: readonly InventedRefusals[]): readonly Omit<HealthCount, "hour">[] {
    return [...Map.groupBy(calls, ({ service }) => service)].flatMap(([service, own]) => {
      const all = sumOf(own);
      const failed = sumOf(own.filter(({ outcome }) => outcome !== "OK" && REASONS[outcome].fault === "upstream"));
      const refused = sumOf(refusals.filter((one) => one.service === service));
      // A failed call has sent a request that failed.
      const sent = Math.max(failed, Math.ceil(all * SOURCE_SHARE));
      const measured = (count: number) => ({ calls: count, failed, latency: this.#buckets(service, count, LATENCY_BOUNDS_MS) });
      const ofCalls = { service, part: "calls", refused, ...measured(all) } as const;
      return hasUpstreams(service) ? [ofCalls, { service, part: "source", refused: 0, ...measured(sent) } as const] : [ofCalls];
    });
  }

  /** The response times of an hour's calls, by service. */
  latencyOf(calls: readonly InventedCalls[]): readonly Omit<LatencyCount, "accountId" | "hour">[] {
    return [...Map.groupBy(calls, ({ service }) => service)].map(([service, own]) => ({
      service,
      latency: this.#buckets(service, sumOf(own), CALL_LATENCY_BOUNDS_MS),
    }));
  }

  /** Entries of the call log for some of the calls, between `fromMs` and `untilMs` in no particular order. */
  entriesOf(
    { service, method, outcome, calls }: InventedCalls,
    { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
    customer: Customer,
  ): readonly LoggedCall[] {
    const { unit, uuid } = this.#random;
    const isOk = outcome === "OK";
    const isRefused = outcome === "RATE_LIMITED";
    const protocols = isOk ? PROTOCOLS : PROTOCOLS_OF_FAILURES;
    return Array.from({ length: Math.ceil(calls / CALLS_PER_ENTRY) }, () => {
      const protocol = protocols[Math.floor(unit() * protocols.length)] ?? "rest";
      return {
        ...customer,
        id: uuid(),
        startedAtMs: Math.floor(fromMs + unit() * (untilMs - fromMs)),
        service,
        method,
        protocol,
        httpStatus: isOk || protocol !== "rest" ? 200 : REASONS[outcome].httpStatus,
        outcome,
        isRefused,
        isDryRun: false,
        durationMs: isRefused ? unit() * REFUSED_MS_MAX : this.#durationMs(service),
        requestBytes: protocol === "rest" ? 0 : Math.round(12 + 50 * unit()),
        responseBytes: Math.round((isOk ? this.#pattern(service).responseBytes : FAILURE_BYTES) * (0.7 + 0.6 * unit())),
        requestId: uuid(),
        leftOut: 0,
        parameters: undefined,
      };
    });
  }

  #pattern(service: ServiceName): UsagePattern {
    return this.#patterns.get(service) as UsagePattern;
  }

  #durationMs(service: ServiceName): number {
    const { unit } = this.#random;
    const drawn = unit();
    let below = 0;
    const [times] = SPREAD.find(([, share]) => {
      below += share;
      return drawn < below;
    }) ?? [1];
    return this.#pattern(service).usualMs * times * (0.8 + 0.4 * unit());
  }

  // How many of the calls took at most each of the bounds, and not the one before; the last bucket has no bound.
  #buckets(service: ServiceName, calls: number, boundsMs: readonly number[]): readonly number[] {
    const usualMs = this.#pattern(service).usualMs * (0.8 + 0.5 * this.#random.unit());
    const buckets = Array.from({ length: boundsMs.length + 1 }, () => 0);
    for (const [times, share] of SPREAD) {
      const found = boundsMs.findIndex((boundMs) => usualMs * times <= boundMs);
      const bucket = found < 0 ? boundsMs.length : found;
      buckets[bucket] = (buckets[bucket] ?? 0) + Math.round(calls * share);
    }
    return buckets;
  }
}

// From 0 to 1: low at night, highest in the afternoon, UTC, and lower on weekends.
function levelAt(hourMs: number): number {
  const date = new Date(hourMs);
  const wave = (1 + Math.cos(((date.getUTCHours() - BUSIEST_HOUR) * Math.PI) / 12)) / 2;
  const isWeekend = date.getUTCDay() === 0 || date.getUTCDay() === SATURDAY;
  return (NIGHT_LEVEL + (1 - NIGHT_LEVEL) * wave) * (isWeekend ? WEEKEND_LEVEL : 1);
}

// Adds up the measurements of the same subject and hour.
const mergeHealth = (counts: readonly HealthCount[]): readonly HealthCount[] =>
  [...Map.groupBy(counts, ({ hour, service, part }) => `${hour} ${service} ${part}`).values()].map((same) => ({
    ...(same[0] as HealthCount),
    calls: sumOf(same),
    failed: same.reduce((sum, { failed }) => sum + failed, 0),
    refused: same.reduce((sum, { refused }) => sum + refused, 0),
    latency: (same[0] as HealthCount).latency.map((_, bucket) =>
      same.reduce((sum, { latency }) => sum + (latency[bucket] ?? 0), 0),
    ),
  }));

// Adds up the counts that fall into the same hour.
const mergeUsage = (counts: readonly UsageCount[]): readonly UsageCount[] =>
  [
    ...Map.groupBy(counts, ({ service, method, day, hour, outcome }) => `${service} ${method} ${day} ${hour} ${outcome}`).values(),
  ].map((same) => ({ ...(same[0] as UsageCount), calls: sumOf(same) }));

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
