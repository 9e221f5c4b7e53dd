// Builds the bytes of a call's request.
import { deflateRawSync, gzipSync } from "node:zlib";
import {
  accepts,
  bodyFaults,
  type Call,
  type Compression,
  compressions,
  type Extra,
  extras,
  frameFaults,
  metadatas,
  methods,
  plainBody,
  timeouts,
} from "./calls.ts";
import { WANT_HEADER, writeWant } from "./handlers.ts";
import type { RawHeaders, RawRequest } from "./raw-client.ts";
import { messageLimits } from "./two-pipelines.ts";
import { wants } from "./wants.ts";

const REQUEST_ID = "0b5e2d6c-8f43-4c55-9a57-40b3a3f4a0d1";

// The deadline of a handler that waits for it. Long enough for the request to be read first, even on a busy machine.
const SHORT = { grpc: "40m", connect: "40" };

/** Whether the handler waits until the call's deadline. */
export const hangs = (call: Call): boolean => wants[call.want]?.end.kind === "hang";

const isConnect = (call: Call): boolean => call.protocol === "connect" || call.protocol === "connect-get";

function contentTypeOf({ protocol, form }: Call, { typeSuffix = "", typeUpperCase = false }: Extra): string {
  const type = protocol === "connect" ? `application/${form}` : `application/${protocol}+${form}`;
  return `${typeUpperCase ? type.toUpperCase() : type}${typeSuffix}`;
}

function compressed(body: Uint8Array, { real }: Compression): Uint8Array {
  switch (real) {
    case "none":
      return body;
    case "gzip":
      return gzipSync(body);
    case "cut":
      return gzipSync(body).subarray(0, -4);
    case "noise":
      return deflateRawSync(body);
    case "zeroBytes":
      return new Uint8Array(0);
    case "bomb":
      return gzipSync(new Uint8Array(messageLimits.messageBytesMax + 1));
  }
}

function frameOf(message: Uint8Array, isFlagged: boolean): Buffer {
  const frame = Buffer.alloc(5 + message.byteLength);
  frame.writeUInt8(isFlagged ? 1 : 0, 0);
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, 5);
  return frame;
}

function queryOf({ form }: Call, message: Uint8Array, compression: Compression, extra: Extra): string {
  const asBase64 = extra.base64 ?? (form === "proto" || compression.real !== "none");
  const base64 = Buffer.from(message).toString(extra.padded ? "base64" : "base64url");
  const plain = asBase64 ? base64 : Array.from(message, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const text = "message" in extra ? extra.message : extra.padded ? encodeURIComponent(plain) : plain;
  return [
    extra.query,
    `encoding=${extra.encoding ?? form}`,
    text === undefined ? undefined : `message=${text}`,
    asBase64 ? "base64=1" : undefined,
    compression.named === undefined ? undefined : `compression=${encodeURIComponent(compression.named)}`,
  ]
    .filter((part) => part !== undefined)
    .join("&");
}

const named = (name: string, value: string | undefined): RawHeaders => (value === undefined ? [] : [[name, value]]);

const at = <Value>(table: Readonly<Record<string, Value>>, name: string): Value => {
  const value = table[name];
  if (value === undefined && !(name in table)) {
    throw new Error(`there is no ${name}`);
  }
  return value as Value;
};

/** The request of a call. */
export function requestOf(call: Call): RawRequest {
  const extra: Extra = extras[call.extra];
  const compression = at(compressions, call.compression);
  const accept = at(accepts, call.accept);
  const timeout = hangs(call) ? SHORT : at(timeouts, call.timeout);
  const connect = isConnect(call);
  const timeoutHeaders = connect ? named("connect-timeout-ms", timeout.connect) : named("grpc-timeout", timeout.grpc);
  const shared: RawHeaders = [
    ...(call.metadata === "reserved" ? [] : named("x-request-id", REQUEST_ID)),
    [WANT_HEADER, writeWant(at(wants, call.want))],
    ...timeoutHeaders,
    ...("twice" in timeout ? timeoutHeaders : []),
    ...at(metadatas, call.metadata),
    ...(extra.headers ?? []),
    ...named(connect ? "accept-encoding" : "grpc-accept-encoding", accept),
  ];
  const { path } = methods[call.method];
  const message = compressed(at(bodyFaults, call.bodyFault)(call.form, plainBody(call)), compression);
  if (call.protocol === "connect-get") {
    return {
      httpVersion: call.httpVersion,
      method: "GET",
      path: `${path}?${queryOf(call, message, compression, extra)}`,
      headers: shared,
      body: undefined,
    };
  }
  const headers: RawHeaders = [
    ["content-type", contentTypeOf(call, extra)],
    ...named(connect ? "content-encoding" : "grpc-encoding", compression.named),
    ...shared,
  ];
  const whole = connect ? message : at(frameFaults, call.frameFault)(frameOf(message, compression.flagged));
  const body = call.protocol === "grpc-web-text" && whole !== undefined ? Buffer.from(whole.toString("base64")) : whole;
  return { httpVersion: call.httpVersion, method: "POST", path, headers, body };
}
