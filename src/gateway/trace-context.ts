// Reads the `traceparent` header: which trace a call belongs to, and which step of it has made the call.
// https://www.w3.org/TR/trace-context/#traceparent-header

/** A step of a trace. */
export interface TraceContext {
  /** 32 lower-case hex digits, not all 0. */
  readonly traceId: string;
  /** 16 lower-case hex digits, not all 0. */
  readonly spanId: string;
  /** The flags; the lowest bit says that the trace is recorded. */
  readonly flags: number;
}

// Later versions may add fields behind a dash; version ff is forbidden.
const SHAPE = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The context in a header; undefined where there is none, or it is not valid and so has to be ignored. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, rest] = SHAPE.exec(header?.trim() ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined || (version === "00" && rest !== undefined)) {
    return undefined;
  }
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
