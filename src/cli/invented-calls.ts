// Invented calls for the sandbox's customer: plausible counts for an hour, by service, method and outcome. They vary with the time of day
// and the weekday and grow slowly, and some hours have a failing upstream or a burst above the rate.
import type { DescService } from "@bufbuild/protobuf";
import { hasUpstreams, SERVICE_NAMES, SERVICES, type ServiceName } from "../catalogue/service-names.ts";
import type { Reason } from "../problem/reason.ts";
import type { Randomness } from "../runtime/randomness.ts";

export interface InventedCalls {
  readonly service: ServiceName;
  /** The full name. */
  readonly method: string;
  readonly outcome: "OK" | Reason;
  readonly calls: number;
}

/** Refused calls in one hour. */
export interface InventedRefusals {
  readonly service: ServiceName;
  readonly reason: Reason;
  readonly calls: number;
}

/** A service as a customer would use it. */
interface UsagePattern {
  readonly callsPerBusyHour: number;
  /** Method → its share of the calls. */
  readonly methods: Readonly<Record<string, number>>;
  /** The mistake that callers make most often, and its share of the calls. */
  readonly mistake: readonly [Reason, part: number];
}

const USAGE_PATTERNS: Partial<Record<ServiceName, UsagePattern>> = {
  radio: {
    callsPerBusyHour: 640,
    methods: { "quintet.radio.v1.RadioService/SearchStations": 0.7, "quintet.radio.v1.RadioService/GetStation": 0.3 },
    mistake: ["NOT_FOUND", 0.004],
  },
  "token-price": {
    callsPerBusyHour: 1450,
    methods: {
      "quintet.tokenprice.v1.TokenPriceService/GetPrices": 0.85,
      "quintet.tokenprice.v1.TokenPriceService/GetPriceCharts": 0.15,
    },
    mistake: ["NOT_FOUND", 0.006],
  },
  "token-list": {
    callsPerBusyHour: 180,
    methods: { "quintet.tokenlist.v1.TokenListService/SearchTokens": 1 },
    mistake: ["INVALID_ARGUMENT", 0.012],
  },
  bitcoin: {
    callsPerBusyHour: 260,
    methods: { "quintet.bitcoin.v1.BitcoinService/GetSummary": 1 },
    mistake: ["INVALID_ARGUMENT", 0.001],
  },
  farkle: { callsPerBusyHour: 910, methods: { "quintet.farkle.v1.FarkleService/Score": 1 }, mistake: ["INVALID_ARGUMENT", 0.02] },
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
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
  };

/**
 * Invents the calls to all services in the hour that started at `hourMs`. `contracts`: the services' protos. `part`: how much of the hour
 * has passed by `nowMs`, from 0 to 1. Counts of 0 are left out.
 */
export function inventCalls(
  { unit }: Pick<Randomness, "unit">,
  contracts: readonly DescService[],
  { hourMs, nowMs, part }: { readonly hourMs: number; readonly nowMs: number; readonly part: number },
): { readonly calls: readonly InventedCalls[]; readonly refusals: readonly InventedRefusals[] } {
  const approximately = (value: number): number => Math.round(value * (0.8 + 0.4 * unit()));
  const level = levelAt(hourMs) * (1 - (GROWTH_PER_DAY * (nowMs - hourMs)) / DAY_MS) * part;
  const calls = SERVICE_NAMES.flatMap((service) => {
    const { callsPerBusyHour, methods, mistake } = usagePatternOf(service, contracts);
    const isFailing = hasUpstreams(service) && unit() < FAILING_HOURS_SHARE && nowMs - hourMs >= HEALTHY_MS;
    const failureShare = isFailing ? FAILURE_SHARE_MAX * unit() : 0;
    return Object.entries(methods).flatMap(([method, share]): InventedCalls[] => {
      const all = approximately(callsPerBusyHour * share * level);
      const parts: readonly (readonly [Reason, number])[] = [
        [mistake[0], Math.round(all * mistake[1] * 2 * unit())],
        ["UPSTREAM_FAILED", Math.round(all * failureShare)],
      ];
      const failed = parts.reduce((sum, [, count]) => sum + count, 0);
      return [["OK", all - failed] as const, ...parts]
        .filter(([, count]) => count > 0)
        .map(([outcome, count]) => ({ service, method, outcome, calls: count }));
    });
  });
  const hasBurst = unit() < BURST_HOURS_SHARE * level;
  const refused = Math.ceil(BURST_CALLS_MAX * unit() * part);
  return { calls, refusals: hasBurst ? [{ service: "token-price", reason: "RATE_LIMITED", calls: refused }] : [] };
}

// From 0 to 1: low at night, highest in the afternoon, UTC, and lower on weekends.
function levelAt(hourMs: number): number {
  const date = new Date(hourMs);
  const wave = (1 + Math.cos(((date.getUTCHours() - BUSIEST_HOUR) * Math.PI) / 12)) / 2;
  const isWeekend = date.getUTCDay() === 0 || date.getUTCDay() === SATURDAY;
  return (NIGHT_LEVEL + (1 - NIGHT_LEVEL) * wave) * (isWeekend ? WEEKEND_LEVEL : 1);
}
