// The deadline of one call: the caller's or the service's, whichever is earlier. Upstream attempts get no more than the time left.
// Also carries what is passed on with each upstream request.
import type { HandlerContext } from "@connectrpc/connect";
import { callingAccountKey, upstreamRequestKey } from "../runtime/calling-account.ts";
import type { Clock } from "../runtime/clock.ts";
import { type PropagatedHeaders, propagatedHeadersKey } from "../runtime/trace-context.ts";

/** The part of a handler's context that a deadline depends on. */
export type CallContext = Pick<HandlerContext, "signal" | "timeoutMs"> & Partial<Pick<HandlerContext, "values">>;

export interface Deadline {
  /** Aborts when the caller has disconnected, or its own deadline has passed. */
  readonly signal: AbortSignal;
  /** How long upstreams may still take, in milliseconds; 0 if no time is left. */
  timeLeftMs(): number;
  /** Headers that are passed on with each request. */
  readonly propagated?: PropagatedHeaders | undefined;
  /** The id of the calling account, if there is one. */
  readonly account?: string | undefined;
  /** Called for each request that is sent for the call, not counting further attempts at the same request. */
  readonly onSend?: (() => void) | undefined;
}

// Enough to encode a response or a failure and send it before the caller stops waiting.
const RESPONSE_MARGIN_MS = 20;

/** The deadline of a call that begins now: at most `budgetMs`, or less if the caller's own deadline is earlier. */
export function deadlineOf(context: CallContext, clock: Clock, budgetMs: number): Deadline {
  const callerMs = context.timeoutMs();
  const totalMs = callerMs === undefined ? budgetMs : Math.min(budgetMs, callerMs - RESPONSE_MARGIN_MS);
  const untilMs = clock.monotonicMs() + totalMs;
  return {
    signal: context.signal,
    timeLeftMs: () => Math.max(0, untilMs - clock.monotonicMs()),
    propagated: context.values?.get(propagatedHeadersKey),
    account: context.values?.get(callingAccountKey),
    onSend: context.values?.get(upstreamRequestKey),
  };
}
