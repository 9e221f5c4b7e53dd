// Compares the same call in each protocol: the responses, and how many bytes they take.
import type { JsonObject } from "@bufbuild/protobuf";
import { faultOf } from "../../api/reason.ts";
import { type CallState, outcomeOf } from "./call-state.ts";
import type { ConsoleMethod } from "./contract/contract.ts";
import type { FieldFault } from "./form/values.ts";
import { PROTOCOLS, type Protocol, protocolsOf } from "./wire/protocol.ts";
import type { WireRequest } from "./wire/request.ts";
import { requestSize, responseSize, type Size } from "./wire/sizes.ts";
import { splitterFor } from "./wire/splitter.ts";

export interface Comparison {
  readonly protocol: Protocol;
  /** Undefined for gRPC, and if this protocol cannot send the input. */
  readonly state: CallState | undefined;
  readonly faults: readonly FieldFault[];
  /** `OK`, a reason, or why it was not sent. */
  readonly outcome?: string;
  readonly ms?: number;
  readonly request?: Size;
  readonly response?: Size;
  /** Whether the response is the same as the first protocol's; undefined if nothing was sent, or if the call was refused. */
  readonly isSame?: boolean;
}

const ENVELOPE_BYTES = 5;

/** The protocols in which the call is sent, in this order. Not in gRPC-Web's text form, which has the same content as the binary one. */
export const protocolsToSend = (method: ConsoleMethod): readonly Protocol[] =>
  protocolsOf(method).filter(({ id }) => id !== "grpc" && id !== "grpc-web-text");

/** Fills in the rows, and adds one for gRPC if its request can be encoded. */
export function compare(
  method: ConsoleMethod,
  created: readonly Comparison[],
  grpc: WireRequest | undefined,
): readonly Comparison[] {
  const first = created.find(({ state }) => state !== undefined && !isRefusal(state))?.state;
  const rows = created.map((row): Comparison => {
    const { state, faults } = row;
    if (state === undefined) {
      return { ...row, outcome: faults.map(({ field, description }) => `${field} ${description}`).join("; ") };
    }
    return {
      ...row,
      outcome: outcomeOf(state),
      ms: state.ms,
      request: requestSize(state.request),
      ...(state.head !== undefined && { response: responseSize(state.head, state.bodyBytes) }),
      ...(first !== undefined && !isRefusal(state) && { isSame: responseText(method, state) === responseText(method, first) }),
    };
  });
  const computed = PROTOCOLS.find(({ id }) => id === "grpc");
  return grpc === undefined || computed === undefined ? rows : [...rows, grpcRow(computed, grpc, rows)];
}

// A refusal says nothing about the data, and neither does a response that was not read to its end.
const isRefusal = ({ stage, failure }: CallState): boolean =>
  stage !== "done" || ["key", "rate", "quota", "subscription", "suspension"].includes(faultOf(failure?.reason) ?? "");

/** Whether the rate limit refused the call. */
export const isTooFast = ({ failure }: Pick<CallState, "failure">): boolean => faultOf(failure?.reason) === "rate";

/**
 * How long to wait before the next call so that the rate limit admits it: from the header `RateLimit`, or `Retry-After` of a refusal.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function pauseMs({ head, failure }: Pick<CallState, "head" | "failure">): number {
  const [, remaining, seconds] = /"second";r=(\d+);t=(\d+)/.exec(head?.headers.get("ratelimit") ?? "") ?? [];
  if (isTooFast({ failure })) {
    return 1000 * Number(head?.headers.get("retry-after") ?? 1);
  }
  return remaining === "0" ? 1000 * Number(seconds) : 0;
}

// The time at which data was fetched differs from call to call.
const TIME_FIELDS = ["freshness"];

// A REST response may be a single field of the message, so only that field is compared. The details of a failure have different names in
// each protocol.
function responseText({ restResponseField: field }: ConsoleMethod, { messages: [message], failure }: CallState): string {
  const whole: JsonObject = message ?? {};
  return JSON.stringify(
    failure === undefined ? (field === "" ? whole : whole[field]) : { ...failure, details: undefined },
    (name, value: unknown) => (TIME_FIELDS.includes(name) ? undefined : value),
  );
}

// gRPC sends the same messages as gRPC-Web, but its trailers are HTTP/2's own instead of a frame at the end of the body.
function grpcRow(protocol: Protocol, request: WireRequest, rows: readonly Comparison[]): Comparison {
  const web = rows.find((row) => row.protocol.id === "grpc-web")?.state;
  const size = requestSize(request);
  if (web?.head === undefined) {
    return { protocol, state: undefined, faults: [], outcome: "computed", request: size };
  }
  const parts = splitterFor("application/grpc-web+proto").push(web.body);
  const bytesOfKind = (isMessage: boolean): number =>
    parts
      .filter(({ kind }) => (kind === "message") === isMessage)
      .reduce((sum, { bytes }) => sum + bytes.length + (isMessage ? ENVELOPE_BYTES : 0), 0);
  const { head } = responseSize(web.head, 0);
  return {
    protocol,
    state: undefined,
    faults: [],
    outcome: "computed",
    request: size,
    response: { head: head + bytesOfKind(false), body: bytesOfKind(true) },
  };
}
