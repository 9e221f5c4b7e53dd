// How a call to an upstream can fail. A fault is for our own decisions (try the next mirror, serve a stale response) and for the
// log. Callers only see UPSTREAM_FAILED.

/**
 * What went wrong: no connection, no response in time, a bad status, or an unexpected body. For `busy` and `throttled` nothing was sent,
 * because too many of our own requests are in progress, or because the upstream asked us to wait and that time is not over.
 */
export type FaultKind = "connect" | "timeout" | "status" | "body" | "busy" | "throttled";

export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  /** The HTTP status, if there was one. */
  readonly status: number | undefined;
  /** How long the upstream asked us to wait, in milliseconds, if it did. */
  readonly retryAfterMs: number | undefined;

  /** Whether it is busy mostly with requests of the account that was refused. */
  readonly isOwnShare: boolean;

  constructor(
    kind: FaultKind,
    message: string,
    more: { status?: number; retryAfterMs?: number; isOwnShare?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "UpstreamFault";
    this.kind = kind;
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
    this.isOwnShare = more.isOwnShare ?? false;
  }
}

/** Whether a request was sent. If not, the fault says nothing about the upstream's current state. */
export const wasSent = (thrown: unknown): boolean =>
  !(thrown instanceof UpstreamFault && (thrown.kind === "busy" || thrown.kind === "throttled"));

/** Whether the same request may succeed soon: the upstream did not say that it is busy or that the request is bad, and was not slow. */
export const mayPass = (thrown: unknown): boolean =>
  thrown instanceof UpstreamFault &&
  (thrown.kind === "connect" ||
    thrown.kind === "body" ||
    (thrown.kind === "status" && thrown.retryAfterMs === undefined && (thrown.status ?? 0) >= 500));
