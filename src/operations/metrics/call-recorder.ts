// Counts calls in a worker's memory. This runs for every call, so it only adds to numbers whose positions are known in advance.
// docs/operate/monitoring.md says what it costs.
import type { CallObserver, ObservedCall } from "../../gateway/call-observer.ts";
import type { Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";
import { cellsPerSeries } from "./family.ts";
import { observe } from "./histogram.ts";
import { type MetricsMemory, OUTCOMES, PROTOCOLS, planLayout } from "./worker-metrics.ts";

const PROTOCOL_INDEXES = new Map<string, number>(PROTOCOLS.map((name, index) => [name, index]));
const OUTCOME_INDEXES = new Map<string, number>(OUTCOMES.map((name, index) => [name, index]));

export function createCallRecorder({ methods, cells }: MetricsMemory, clock: Pick<Clock, "monotonicMs">): CallObserver {
  const { at } = planLayout(methods);
  const methodIndexes = new Map(methods.map((name, index) => [name, index]));
  const { bounds: durationBounds } = at.duration.family;
  const { bounds: bytesBounds } = at.requestBytes.family;
  const durationCells = cellsPerSeries(at.duration.family);
  const bytesCells = cellsPerSeries(at.requestBytes.family);
  // A thread that replaces another starts with no calls in progress: those of the other thread ended with it.
  cells.fill(0, at.inFlight.offset, at.inFlight.offset + (methods.length + 1) * PROTOCOLS.length);

  const rowOf = ({ method, protocolName }: ObservedCall): number => {
    const methodIndex = method === undefined ? methods.length : (methodIndexes.get(method.fullName) ?? methods.length);
    return methodIndex * PROTOCOLS.length + (PROTOCOL_INDEXES.get(protocolName) as number);
  };

  return {
    started(call) {
      (cells[at.inFlight.offset + rowOf(call)] as number)++;
    },
    ended(call, outcome: "OK" | Reason, isRefused) {
      const row = rowOf(call);
      const outcomeIndex = OUTCOME_INDEXES.get(outcome) as number;
      const { exchange, startedMs } = call;
      (cells[at.calls.offset + row * OUTCOMES.length + outcomeIndex] as number)++;
      if (isRefused) {
        (cells[at.refused.offset + outcomeIndex - 1] as number)++;
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
