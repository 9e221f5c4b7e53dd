// The deadline of one call, and what goes along with the requests that are made before it: the caller's or the service's, whichever is earlier. Upstream attempts get no more than the time left.
import type { HandlerContext } from "@connectrpc/connect";
import type { Clock } from "../runtime/clock.ts";
import { type PropagatedHeaders, propagatedHeadersKey } from "../runtime/trace-context.ts";

/** What of a handler's context the time of a call depends on. */
export type CallContext = Pick<HandlerContext, "signal" | "timeoutMs"> & Partial<Pick<HandlerContext, "values">>;

/** The time of one call. */
export interface Deadline {
  /** Aborts when the caller has gone, or its own deadline has passed. */
  readonly signal: AbortSignal;
  /** How long upstreams may still take, in milliseconds; 0 when none is left. */
  timeLeftMs(): number;
  /** Headers that go along with each request. */
  readonly propagated?: PropagatedHeaders | undefined;
}

// Enough to encode an answer or a failure and send it before the caller stops waiting.
const ANSWER_MARGIN_MS = 20;

/** The time of a call that begins now: at most `budgetMs`, and less where the caller's own deadline is nearer. */
export function deadlineOf(context: CallContext, clock: Clock, budgetMs: number): Deadline {
  const callerMs = context.timeoutMs();
  const totalMs = callerMs === undefined ? budgetMs : Math.min(budgetMs, callerMs - ANSWER_MARGIN_MS);
  const untilMs = clock.monotonicMs() + totalMs;
  return {
    signal: context.signal,
    timeLeftMs: () => Math.max(0, untilMs - clock.monotonicMs()),
    propagated: context.values?.get(propagatedHeadersKey),
  };
}
