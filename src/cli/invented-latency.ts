// Invented response times for the sandbox's customer: for each service, most calls take about its usual time, and a few take much longer.
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { CALL_LATENCY_BOUNDS_MS, type LatencyCount } from "../store/usage-records.ts";
import type { InventedCalls } from "./invented-calls.ts";

/** Half of the calls take at most this long, in an ordinary hour. */
const USUAL_MS: Readonly<Partial<Record<ServiceName, number>>> = {
  radio: 38,
  "token-price": 95,
  "token-list": 12,
  bitcoin: 6,
  farkle: 0.4,
};
// For services that are not listed above.
const USUAL_MS_DEFAULT = 50;
// How many times the usual time a call takes, and the share of calls that take that long.
const SPREAD: readonly (readonly [times: number, part: number])[] = [
  [0.5, 0.16],
  [0.8, 0.34],
  [1.3, 0.28],
  [2, 0.13],
  [4, 0.06],
  [9, 0.025],
  [20, 0.005],
];

/** How long one call to the service took. */
export function inventDurationMs({ unit }: Pick<Randomness, "unit">, service: ServiceName): number {
  let left = unit();
  for (const [times, part] of SPREAD) {
    left -= part;
    if (left < 0) {
      return (USUAL_MS[service] ?? USUAL_MS_DEFAULT) * times * (0.8 + 0.4 * unit());
    }
  }
  return USUAL_MS[service] ?? USUAL_MS_DEFAULT;
}

/** How many of `calls` calls to a service took at most each of the bounds, and not the one before; the last bucket has no bound. */
export function inventBuckets(
  { unit }: Pick<Randomness, "unit">,
  { service, calls, boundsMs }: { readonly service: ServiceName; readonly calls: number; readonly boundsMs: readonly number[] },
): readonly number[] {
  const usualMs = (USUAL_MS[service] ?? USUAL_MS_DEFAULT) * (0.8 + 0.5 * unit());
  const buckets = Array.from({ length: boundsMs.length + 1 }, () => 0);
  for (const [times, part] of SPREAD) {
    const found = boundsMs.findIndex((boundMs) => usualMs * times <= boundMs);
    const bucket = found < 0 ? boundsMs.length : found;
    buckets[bucket] = (buckets[bucket] ?? 0) + Math.round(calls * part);
  }
  return buckets;
}

/** The response times of an hour's calls, by service. */
export function inventLatency(
  { unit }: Pick<Randomness, "unit">,
  calls: readonly InventedCalls[],
): readonly Omit<LatencyCount, "accountId" | "hour">[] {
  return SERVICE_NAMES.flatMap((service) => {
    const own = calls.filter((one) => one.service === service).reduce((sum, one) => sum + one.calls, 0);
    const latency = inventBuckets({ unit }, { service, calls: own, boundsMs: CALL_LATENCY_BOUNDS_MS });
    return latency.some((count) => count > 0) ? [{ service, latency }] : [];
  });
}
