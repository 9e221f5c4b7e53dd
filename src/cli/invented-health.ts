// Invents what a server would have measured while the sandbox's invented calls were made: for each service, how many calls failed and how
// long they took, and the same for the requests to its source.
import { hasUpstreams, type ServiceName } from "../catalogue/service-names.ts";
import { REASONS } from "../problem/reason.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { type HealthCount, LATENCY_BOUNDS_MS } from "../store/usage-records.ts";
import type { InventedCalls, InventedRefusals } from "./invented-calls.ts";
import { inventBuckets } from "./invented-latency.ts";

// The cache responds to the others.
const SOURCE_SHARE = 0.4;

const sumOf = (counts: readonly { readonly calls: number }[]): number => counts.reduce((sum, { calls }) => sum + calls, 0);

/** The measurements that fit an hour's calls, at most one for each service and its source. */
export function inventHealth(
  { unit }: Pick<Randomness, "unit">,
  { calls, refusals }: { readonly calls: readonly InventedCalls[]; readonly refusals: readonly InventedRefusals[] },
): readonly Omit<HealthCount, "hour">[] {
  const latencyOf = (service: ServiceName, count: number): readonly number[] =>
    inventBuckets({ unit }, { service, calls: count, boundsMs: LATENCY_BOUNDS_MS });
  return [...Map.groupBy(calls, ({ service }) => service)].flatMap(([service, own]) => {
    const all = sumOf(own);
    const failed = sumOf(own.filter(({ outcome }) => outcome !== "OK" && REASONS[outcome].fault === "upstream"));
    const refused = sumOf(refusals.filter((one) => one.service === service));
    const ofCalls = { service, part: "calls", calls: all, failed, refused, latency: latencyOf(service, all) } as const;
    // A failed call has sent a request that failed.
    const sent = Math.max(failed, Math.ceil(all * SOURCE_SHARE));
    const ofSource = { service, part: "source", calls: sent, failed, refused: 0, latency: latencyOf(service, sent) } as const;
    return hasUpstreams(service) ? [ofCalls, ofSource] : [ofCalls];
  });
}

/** Adds up the measurements of the same subject and hour. */
export const mergeHealth = (counts: readonly HealthCount[]): readonly HealthCount[] =>
  [...Map.groupBy(counts, ({ hour, service, part }) => `${hour} ${service} ${part}`).values()].map((same) => ({
    ...(same[0] as HealthCount),
    calls: sumOf(same),
    failed: same.reduce((sum, { failed }) => sum + failed, 0),
    refused: same.reduce((sum, { refused }) => sum + refused, 0),
    latency: Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, bucket) =>
      same.reduce((sum, { latency }) => sum + (latency[bucket] ?? 0), 0),
    ),
  }));
