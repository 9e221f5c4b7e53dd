// What a call passes on with the requests made for it: its request id, and the trace that its caller started. Nothing else: no key,
// no cookie, no baggage. https://www.w3.org/TR/trace-context/
import { type ContextKey, createContextKey } from "@connectrpc/connect";

/** The trace of a call, as sent by its caller. */
export interface TraceContext {
  /** 32 hexadecimal digits in lower case. */
  readonly traceId: string;
  /** The caller's span: 16 hexadecimal digits in lower case. */
  readonly parentId: string;
  /** Bit 0: the caller records the trace. Bit 1: the trace's id is random. No other bit is set. */
  readonly flags: number;
  /** Data added by tracing systems; undefined if there is none or it is invalid. */
  readonly tracestate: string | undefined;
}

/** Request headers by their names in lower case. */
export type PropagatedHeaders = Readonly<Record<string, string>>;

/** The context key of the headers for upstream requests: `context.values.get(propagatedHeadersKey)`. */
export const propagatedHeadersKey: ContextKey<PropagatedHeaders> = createContextKey<PropagatedHeaders>(
  {},
  { description: "the headers sent along with upstream requests" },
);

// Later versions begin with the fields of version 00. https://www.w3.org/TR/trace-context/#versioning-of-traceparent
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const VERSION_00_CHARACTERS = 55;
const KNOWN_FLAGS = 0b11;

/** Reads `traceparent` and `tracestate`. Undefined if the first is missing or invalid: in that case, the caller has not started a trace. */
export function parseTraceContext(headers: Readonly<Record<string, string | undefined>>): TraceContext | undefined {
  const { traceparent = "", tracestate } = headers;
  const [, version, traceId = "", parentId = "", flags = ""] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && traceparent.length !== VERSION_00_CHARACTERS)) {
    return undefined;
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) {
    return undefined;
  }
  return {
    traceId,
    parentId,
    flags: Number.parseInt(flags, 16) & KNOWN_FLAGS,
    tracestate: tracestate !== undefined && isTracestate(tracestate) ? tracestate : undefined,
  };
}

const MEMBER =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MEMBERS_MAX = 32;
// The length that every system must be able to pass on. https://www.w3.org/TR/trace-context/#tracestate-limits
const TRACESTATE_CHARACTERS_MAX = 512;
// A caller may have put an API key into it by mistake.
const API_KEY = /qk_(?:live|test)_/;

function isTracestate(text: string): boolean {
  if (text.length > TRACESTATE_CHARACTERS_MAX) {
    return false;
  }
  const members = text.split(",").map((member) => member.trim());
  const names = new Set(members.map((member) => member.slice(0, member.indexOf("="))));
  return (
    members.length <= MEMBERS_MAX &&
    names.size === members.length &&
    members.every((member) => MEMBER.test(member)) &&
    !API_KEY.test(text)
  );
}

/** The headers passed on with the requests made for a call. */
export function propagatedHeaders(requestId: string, trace: TraceContext | undefined): PropagatedHeaders {
  if (trace === undefined) {
    return { "x-request-id": requestId };
  }
  const { traceId, parentId, flags, tracestate } = trace;
  const traceparent = `00-${traceId}-${parentId}-${flags.toString(16).padStart(2, "0")}`;
  return { "x-request-id": requestId, traceparent, ...(tracestate === undefined ? {} : { tracestate }) };
}
