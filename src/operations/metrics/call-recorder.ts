// Counts calls in a worker's memory. This runs for every call, so it only adds to numbers whose positions are known in advance.
// docs/operate/monitoring.md says what it costs.
import type { CallObserver, ObservedCall } from "../../gateway/call-observer.ts";
import type { Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";
import { cellsPerSeries } from "./family.ts";
import { observe } from "./histogram.ts";
import { type MetricsMemory, OUTCOMES, PROTOCOLS, planLayout } from "./worker-metrics.ts";

const PROTOCOL_INDEXES = new Map<string, number>(PROTOCOLS.map((name, place) => [name, place]));
const OUTCOME_PLACES = new Map<string, number>(OUTCOMES.map((name, place) => [name, place]));

export function createCallRecorder({ methods, cells }: MetricsMemory, clock: Pick<Clock, "monotonicMs">): CallObserver {
  const { at } = planLayout(methods);
  const places = new Map(methods.map((name, place) => [name, place]));
  const { bounds: durationBounds } = at.duration.family;
  const { bounds: bytesBounds } = at.requestBytes.family;
  const durationCells = cellsPerSeries(at.duration.family);
  const bytesCells = cellsPerSeries(at.requestBytes.family);
  // A thread that replaces another starts with no calls in progress: those of the other thread ended with it.
  cells.fill(0, at.inFlight.offset, at.inFlight.offset + (methods.length + 1) * PROTOCOLS.length);

  const rowOf = ({ method, protocolName }: ObservedCall): number => {
    const place = method === undefined ? methods.length : (places.get(method.fullName) ?? methods.length);
    return place * PROTOCOLS.length + (PROTOCOL_INDEXES.get(protocolName) as number);
  };

  return {
    started(call) {
      (cells[at.inFlight.offset + rowOf(call)] as number)++;
    },
    ended(call, outcome: "OK" | Reason, isRefused) {
      const row = rowOf(call);
      const place = OUTCOME_PLACES.get(outcome) as number;
      const { exchange, startedMs } = call;
      (cells[at.calls.offset + row * OUTCOMES.length + place] as number)++;
      if (isRefused) {
        (cells[at.refused.offset + place - 1] as number)++;
      } else {
        (cells[at.inFlight.offset + row] as number)--;
      }
      const seconds = (clock.monotonicMs() - startedMs) / 1000;
      observe(cells, at.duration.offset + row * durationCells, durationBounds, seconds);
      observe(cells, at.requestBytes.offset + row * bytesCells, bytesBounds, exchange.requestBodyBytes);
      observe(cells, at.responseBytes.offset + row * bytesCells, bytesBounds, exchange.responseBodyBytes);
    },
  };
}
