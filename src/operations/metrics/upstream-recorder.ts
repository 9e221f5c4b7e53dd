// Counts the outcomes of requests to upstreams, in a worker's memory.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { UpstreamObserver } from "../../upstream/upstream-observer.ts";
import { cellsPerSeries } from "./family.ts";
import { observe } from "./histogram.ts";
import { ATTEMPT_OUTCOMES, type MetricsMemory, MIRRORED, planLayout, UPSTREAMS } from "./worker-metrics.ts";

/** Creates the recorder for a service's upstreams; undefined if the service has none. */
export function createUpstreamRecorder(
  { methods, cells }: MetricsMemory,
  service: ServiceName,
  clock: Pick<Clock, "nowMs">,
): UpstreamObserver | undefined {
  const place = UPSTREAMS.indexOf(service);
  if (place < 0) {
    return undefined;
  }
  const { at } = planLayout(methods);
  const attempts = at.attempts.offset + place * ATTEMPT_OUTCOMES.length;
  const durations = at.attemptDuration.offset + place * cellsPerSeries(at.attemptDuration.family);
  const { bounds } = at.attemptDuration.family;
  return {
    attempted(outcome, elapsedMs) {
      (cells[attempts + ATTEMPT_OUTCOMES.indexOf(outcome)] as number)++;
      if (outcome !== "busy" && outcome !== "throttled") {
        observe(cells, durations, bounds, elapsedMs / 1000);
        const { offset } = outcome === "ok" || outcome === "unchanged" ? at.lastResponse : at.lastFailure;
        cells[offset + place] = clock.nowMs() / 1000;
      }
    },
    lookedUp(isHit) {
      (cells[at.cache.offset + place * 2 + (isHit ? 0 : 1)] as number)++;
    },
    mirrorsChanged({ healthy, setAside }) {
      const index = MIRRORED.indexOf(service);
      if (index < 0) {
        throw new Error(`${service} counts mirrors, but its proto does not say has_mirrors`);
      }
      cells[at.mirrors.offset + index * 2] = healthy;
      cells[at.mirrors.offset + index * 2 + 1] = setAside;
    },
  };
}
