// The state of a call, as the page shows it.
import type { JsonObject } from "@bufbuild/protobuf";
import type { Bytes } from "./wire/bytes.ts";
import type { CallFailure } from "./wire/failure.ts";
import type { ProtocolId } from "./wire/protocol.ts";
import type { WireRequest } from "./wire/request.ts";
import type { ResponseHead } from "./wire/response.ts";

/** The most messages of a stream that are kept. */
export const MESSAGES_KEPT = 100;

/** The state of a call. It is immutable: each change makes a new object. */
export interface CallState {
  readonly protocol: ProtocolId;
  readonly request: WireRequest;
  /** `stopped` by the user, `cut` because the response was too long, `lost` if the response or its end never arrived. */
  readonly stage: "running" | "done" | "stopped" | "cut" | "lost";
  /** The time since the call was sent. */
  readonly ms: number;
  readonly head: ResponseHead | undefined;
  /** The start of the body, at most BODY_BYTES_KEPT. */
  readonly body: Bytes;
  /** How long the body is, or was when reading ended. */
  readonly bodyBytes: number;
  /** The messages; of a stream, only the latest. */
  readonly messages: readonly JsonObject[];
  /** How many messages have arrived in all. */
  readonly messageCount: number;
  readonly failure: CallFailure | undefined;
}

/** A call that has just been sent: nothing of the response has arrived. */
export const startedCall = (protocol: ProtocolId, request: WireRequest): CallState => ({
  ...{ protocol, request, stage: "running", ms: 0, head: undefined, body: new Uint8Array(), bodyBytes: 0 },
  ...{ messages: [], messageCount: 0, failure: undefined },
});

/** `OK`, the reason of a failure, or how else a call ended. */
export const outcomeOf = ({ stage, failure }: CallState): string =>
  failure === undefined ? (stage === "done" ? "OK" : stage) : failure.reason || failure.code;
