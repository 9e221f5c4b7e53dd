// Sends one request and reads its response as it arrives. Whatever the server sends, it keeps only the start of the body, and the latest
// messages of a stream.
import type { Registry } from "@bufbuild/protobuf";
import { type CallState, MESSAGES_KEPT, startedCall } from "./call-state.ts";
import type { ConsoleMethod } from "./contract/contract.ts";
import { joined } from "./wire/bytes.ts";
import { httpFailure } from "./wire/failure.ts";
import type { ProtocolId } from "./wire/protocol.ts";
import type { WireRequest } from "./wire/request.ts";
import { headFailure, type ResponseHead, type ResponsePart, responsePartOf } from "./wire/response.ts";
import { type BodyMessage, splitterFor } from "./wire/splitter.ts";

/** What a call is made with. */
export interface CallOptions {
  readonly method: ConsoleMethod;
  readonly protocol: ProtocolId;
  readonly request: WireRequest;
  readonly registry: Registry;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
  readonly nowMs: () => number;
  readonly onChange: (state: CallState) => void;
}

/** How much of a body is kept. A response that is not a stream is not read any further. */
const BODY_BYTES_KEPT = 4 * 1024 * 1024;
const CUT = Symbol("cut");

/** Makes the call, and resolves with its last state. Never rejects: what goes wrong is in the state. */
export async function runCall(options: CallOptions): Promise<CallState> {
  const { protocol, request, signal, nowMs, onChange } = options;
  const beginMs = nowMs();
  let state = startedCall(protocol, request);
  const change = (changes: Partial<CallState>): void => {
    state = { ...state, ...changes, ms: nowMs() - beginMs };
    onChange(state);
  };
  change({});
  try {
    await read(options, () => state, change);
    change({ stage: "done" });
  } catch (error) {
    change({ stage: error === CUT ? "cut" : signal.aborted ? "stopped" : "lost" });
  }
  return state;
}

async function read(options: CallOptions, stateNow: () => CallState, change: (changes: Partial<CallState>) => void): Promise<void> {
  const { method, request, key, signal, fetch } = options;
  const response = await fetch(request.target, {
    method: request.verb,
    headers: [...request.headers.map(([name, value]): [string, string] => [name, value]), ["x-gateway-key", key]],
    signal,
    // The key says who is calling, so the session's cookie is not sent.
    credentials: "omit",
    ...(request.body !== undefined && { body: request.body }),
  });
  const head = { status: response.status, headers: response.headers };
  change({ head, failure: headFailure(head, options.registry) });
  const splitter = splitterFor(response.headers.get("content-type") ?? "");
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let bodyBytes = 0;
  for await (const piece of piecesOf(response)) {
    bodyBytes += piece.length;
    if (keptBytes < BODY_BYTES_KEPT) {
      const part = piece.subarray(0, BODY_BYTES_KEPT - keptBytes);
      kept.push(part);
      keptBytes += part.length;
    }
    const responseParts = splitter.push(piece).map((part) => partOrFailure(options, head, part));
    if (responseParts.length > 0 || method.isStream) {
      change({ body: joined(kept), bodyBytes, ...withParts(stateNow(), responseParts) });
    }
    if (!method.isStream && bodyBytes > BODY_BYTES_KEPT) {
      change({ body: joined(kept), bodyBytes });
      throw CUT;
    }
  }
  const last = splitter.end().map((part) => partOrFailure(options, head, part));
  const changes = withParts(stateNow(), last);
  const failure = changes.failure ?? (response.ok ? undefined : httpFailure(response.status));
  change({ body: joined(kept), bodyBytes, ...changes, failure });
}

// If the status is that of an error and the body does not follow the protocol, a proxy sent the response.
function partOrFailure(options: CallOptions, head: ResponseHead, part: BodyMessage): ResponsePart {
  const failed: ResponsePart = { kind: "failure", failure: httpFailure(head.status) };
  const isError = head.status >= 400;
  try {
    const responsePart = responsePartOf(options, head, part);
    return isError && responsePart.kind === "message" ? failed : responsePart;
  } catch (error) {
    if (isError) {
      return failed;
    }
    throw error;
  }
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) {
    return;
  }
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield read.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function withParts(state: CallState, responseParts: readonly ResponsePart[]): Partial<CallState> {
  const messages = responseParts.flatMap((responsePart) => (responsePart.kind === "message" ? [responsePart.json] : []));
  const failure = responseParts.find((responsePart) => responsePart.kind === "failure")?.failure;
  return {
    messages: [...state.messages, ...messages].slice(-MESSAGES_KEPT),
    messageCount: state.messageCount + messages.length,
    failure: failure ?? state.failure,
  };
}
