// How a call to an upstream can fail. A fault is for our own decisions (try the next mirror, serve a stale answer) and for the log;
// what a caller sees of it is UPSTREAM_FAILED and nothing more.

/**
 * What went wrong: no connection, no answer in time, a bad status, or a body that is not what it should be. In the last two cases
 * nothing was sent: we have too many calls under way ourselves, or the upstream asked us earlier to wait and that time is not over.
 */
export type FaultKind = "connect" | "timeout" | "status" | "body" | "busy" | "throttled";

/** A failed call to an upstream. */
export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;
  /** How long the upstream asked us to stay away, where it did, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: FaultKind, message: string, more: { status?: number; retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = "UpstreamFault";
    this.kind = kind;
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** Whether the upstream was asked at all. Where it was not, the fault says nothing about how it is now. */
export const wasAsked = (thrown: unknown): boolean =>
  !(thrown instanceof UpstreamFault && (thrown.kind === "busy" || thrown.kind === "throttled"));
