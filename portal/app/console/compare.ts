// Compares one call over the protocols: the answers, and the bytes.
import type { JsonObject } from "@bufbuild/protobuf";
import type { ConsoleMethod } from "./contract/contract.ts";
import type { FieldFault } from "./form/values.ts";
import type { CallState } from "./run-call.ts";
import { PROTOCOLS, type Protocol, protocolsOf } from "./wire/protocol.ts";
import type { WireRequest } from "./wire/request.ts";
import { answerSize, requestSize, type Size } from "./wire/sizes.ts";
import { splitterFor } from "./wire/splitter.ts";

/** One protocol's share. */
export interface Comparison {
  readonly protocol: Protocol;
  /** Undefined where the input cannot be sent in it, and for gRPC. */
  readonly state: CallState | undefined;
  readonly faults: readonly FieldFault[];
  /** `OK`, a reason, or why it was not sent. */
  readonly outcome?: string;
  readonly ms?: number;
  readonly request?: Size;
  readonly answer?: Size;
  /** Whether it answered as the first one did; undefined where it was not sent. */
  readonly isSame?: boolean;
}

const ENVELOPE_BYTES = 5;

/** The protocols that are sent, one after another. The text form of gRPC-Web says the same as the binary one. */
export const rowsToSend = (method: ConsoleMethod): readonly Protocol[] =>
  protocolsOf(method).filter(({ id }) => id !== "grpc" && id !== "grpc-web-text");

/** Fills in the rows, and adds one for gRPC where its request can be written. */
export function compare(method: ConsoleMethod, made: readonly Comparison[], grpc: WireRequest | undefined): readonly Comparison[] {
  const first = made.find(({ state }) => state !== undefined)?.state;
  const rows = made.map((row): Comparison => {
    const { state, faults } = row;
    if (state === undefined) {
      return { ...row, outcome: faults.map(({ field, description }) => `${field} ${description}`).join("; ") };
    }
    return {
      ...row,
      outcome: outcomeOf(state),
      ms: state.ms,
      request: requestSize(state.request),
      ...(state.head !== undefined && { answer: answerSize(state.head, state.bodyBytes) }),
      isSame: first !== undefined && answerText(method, state) === answerText(method, first),
    };
  });
  const computed = PROTOCOLS.find(({ id }) => id === "grpc");
  return grpc === undefined || computed === undefined ? rows : [...rows, grpcRow(computed, grpc, rows)];
}

/** `OK`, the reason of a failure, or how else a call ended. */
export const outcomeOf = ({ stage, failure }: CallState): string =>
  failure === undefined ? (stage === "done" ? "OK" : stage) : failure.reason || failure.code;

// When data were fetched differs from call to call.
const MOMENTS = ["asOf", "fetchedAt", "age"];

// Over REST one field may stand for the whole answer, so only that is compared; and the details of a failure have other names in each protocol.
function answerText({ restAnswerField: field }: ConsoleMethod, { messages: [message], failure }: CallState): string {
  const whole: JsonObject = message ?? {};
  return JSON.stringify(
    failure === undefined ? (field === "" ? whole : whole[field]) : { ...failure, details: undefined },
    (name, value: unknown) => (MOMENTS.includes(name) ? undefined : value),
  );
}

// The messages of gRPC-Web are those of gRPC. What follows them in a frame of the body there, follows them in HTTP/2's own trailers here.
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
  const { head } = answerSize(web.head, 0);
  return {
    protocol,
    state: undefined,
    faults: [],
    outcome: "computed",
    request: size,
    answer: { head: head + bytesOfKind(false), body: bytesOfKind(true) },
  };
}
