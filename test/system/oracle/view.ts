// The parts of a result that can be compared. The body is parsed as its protocol requires. What differs between any two responses is left
// out: the date, and the customer's remaining limits. It also checks each response against its protocol: a frame that is cut short, or a
// status whose details contradict it, throws an error.
import { gunzipSync } from "node:zlib";
import { fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { anyIs, anyUnpack } from "@bufbuild/protobuf/wkt";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  HelpSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.js";
import type { Seen } from "./handlers.ts";
import type { RawFields, RawResponse } from "./raw-client.ts";
import type { Result } from "./two-pipelines.ts";

/** One detail of a failure; as JSON if its type is known here. */
interface DetailView {
  readonly type: string;
  readonly value: JsonValue;
}

/** A failure as a client reads it. */
interface FailureView {
  /** A number in gRPC and gRPC-Web, a name in Connect. */
  readonly code: string;
  readonly message: string;
  readonly details: readonly DetailView[];
}

/** One message, or a body that is not one. */
interface PartView {
  readonly compressed: boolean;
  /** The bytes as latin1 text, so that each byte is one character. */
  readonly data: string;
}

/** The comparable parts of a result. */
export interface View {
  readonly status: number;
  readonly resetCode: number;
  readonly headers: RawFields;
  /** Where gRPC's status is: in the trailers, or in the head of a trailers-only response. */
  readonly trailersIn: "head" | "trailers" | "body" | "compressed body" | "none";
  readonly trailers: RawFields;
  readonly parts: readonly PartView[];
  readonly failure: FailureView | undefined;
  readonly seen: readonly Seen[];
  readonly settled: readonly string[];
}

// Headers that differ between any two responses, headers with which HTTP marks the end, and those that `failure` shows parsed.
const LEFT_OUT = new Set([
  "date",
  "ratelimit",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "trailer",
  "grpc-message",
  "grpc-status-details-bin",
]);

const compared = (fields: RawFields): RawFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !LEFT_OUT.has(name)));
// In the error envelope of a request that is refused before it is a call.
const ENVELOPE_META = /(?<="meta":\{)[^}]*/;
const schemas = [BadRequestSchema, ErrorInfoSchema, HelpSchema, QuotaFailureSchema, RetryInfoSchema];

function detailView(type: string, bytes: Uint8Array): DetailView {
  const any = { $typeName: "google.protobuf.Any", typeUrl: `type.googleapis.com/${type}`, value: bytes } as const;
  for (const schema of schemas) {
    const message = anyIs(any, schema) ? anyUnpack(any, schema) : undefined;
    if (message !== undefined) {
      return { type, value: toJson(schema, message) };
    }
  }
  return { type, value: Buffer.from(bytes).toString("hex") };
}

interface Frame {
  readonly flags: number;
  readonly data: Buffer;
}

function framesOf(body: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let rest = body; rest.byteLength > 0; ) {
    const end = 5 + rest.readUInt32BE(1);
    if (end > rest.byteLength) {
      throw new Error("a frame of the response is cut short");
    }
    frames.push({ flags: rest.readUInt8(0), data: rest.subarray(5, end) });
    rest = rest.subarray(end);
  }
  return frames;
}

function partOf({ flags, data }: Frame, encoding: string | undefined): PartView {
  if (flags === 0) {
    return { compressed: false, data: data.toString("latin1") };
  }
  if (flags !== 1 || encoding !== "gzip") {
    throw new Error(`a frame of the answer has flags ${flags} and encoding ${encoding}`);
  }
  return { compressed: true, data: gunzipSync(data).toString("latin1") };
}

function trailersOf(block: string): RawFields {
  const fields: Record<string, string> = {};
  for (const line of block.split("\r\n").filter((one) => one !== "")) {
    const [, name = "", value = ""] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    fields[name] = name in fields ? `${fields[name]}, ${value}` : value;
  }
  return fields;
}

function grpcFailure(trailers: RawFields): FailureView | undefined {
  const { "grpc-status": code, "grpc-message": encoded = "", "grpc-status-details-bin": bin } = trailers;
  if (code === undefined || code === "0") {
    return undefined;
  }
  const message = decodeURIComponent(encoded);
  if (bin === undefined) {
    return { code, message, details: [] };
  }
  const status = fromBinary(StatusSchema, Buffer.from(bin, "base64"));
  if (String(status.code) !== code || status.message !== message) {
    throw new Error(`grpc-status-details-bin says ${status.code} ${status.message}`);
  }
  const details = status.details.map(({ typeUrl, value }) => detailView(typeUrl.replace("type.googleapis.com/", ""), value));
  return { code, message, details };
}

interface ConnectError {
  readonly code: string;
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

type BodyView = Pick<View, "trailersIn" | "trailers" | "parts" | "failure">;

function statusOf(headers: RawFields, trailers: RawFields, where: View["trailersIn"]): Omit<BodyView, "parts"> {
  const { "grpc-status": inHead } = headers;
  return inHead === undefined
    ? { trailersIn: where, trailers: compared(trailers), failure: grpcFailure(trailers) }
    : { trailersIn: "head", trailers: { "grpc-status": inHead, ...compared(trailers) }, failure: grpcFailure(headers) };
}

function grpcBody({ headers, trailers, body }: RawResponse): BodyView {
  const parts = framesOf(body).map((frame) => partOf(frame, headers["grpc-encoding"]));
  return { ...statusOf(headers, trailers, "trailers"), parts };
}

function grpcWebBody({ headers, body }: RawResponse, isText: boolean): BodyView {
  const texts = isText ? (body.toString("latin1").match(/[^=]+=*/g) ?? []) : [];
  const frames = framesOf(isText ? Buffer.concat(texts.map((text) => Buffer.from(text, "base64"))) : body);
  const isLast = ((frames.at(-1)?.flags ?? 0) & 0x80) !== 0;
  const last = isLast ? frames.pop() : undefined;
  const block = last === undefined ? undefined : partOf({ flags: last.flags & 0x7f, data: last.data }, headers["grpc-encoding"]);
  const trailers = block === undefined ? {} : trailersOf(block.data);
  const parts = frames.map((frame) => partOf(frame, headers["grpc-encoding"]));
  return { ...statusOf(headers, trailers, block?.compressed ? "compressed body" : "body"), parts };
}

function plainBody({ status, headers, body }: RawResponse): BodyView {
  const compressed = headers["content-encoding"] === "gzip";
  const plain = compressed ? gunzipSync(body) : body;
  const none = { trailersIn: "none", trailers: {} } as const;
  if (status === 200 || headers["content-type"] !== "application/json") {
    return { ...none, parts: [{ compressed, data: plain.toString("latin1").replace(ENVELOPE_META, "") }], failure: undefined };
  }
  const { code, message = "", details = [] } = JSON.parse(plain.toString()) as ConnectError;
  const views = details.map(({ type, value }) => detailView(type, Buffer.from(value, "base64")));
  return { ...none, parts: [{ compressed, data: "" }], failure: { code, message, details: views } };
}

function bodyView(response: RawResponse): BodyView {
  const type = response.headers["content-type"] ?? "";
  if (type.startsWith("application/grpc-web")) {
    return grpcWebBody(response, type.startsWith("application/grpc-web-text"));
  }
  return type.startsWith("application/grpc") ? grpcBody(response) : plainBody(response);
}

/** The view of a result. */
export function viewOf({ response, seen, settled }: Result): View {
  const body = bodyView(response);
  const { "grpc-status": _, "x-request-id": id, ...others } = compared(response.headers);
  // If the URL is too long, Node's parser fails before it reads the caller's request id.
  const isUriTooLong = response.status === 414 || others.link?.includes("URI_TOO_LONG") === true;
  const headers = isUriTooLong || id === undefined ? others : { ...others, "x-request-id": id };
  return { status: response.status, resetCode: response.resetCode, headers, ...body, seen, settled };
}
