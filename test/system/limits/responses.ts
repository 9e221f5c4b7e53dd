// Reads what the responses of each protocol say about the limits: how the call ended, and in which month it counts.
import { fromBinary } from "@bufbuild/protobuf";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.js";
import { REASONS, type Reason } from "../../../src/problem/reason.ts";
import type { Month } from "../../../src/runtime/calendar.ts";
import type { Outcome, Protocol } from "./history.ts";

/** Header fields, by lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | number | undefined>>;

/** A response as received. */
export interface CallResponse {
  readonly headers: Headers;
  readonly trailers: Headers;
  readonly body: Buffer;
  /** The HTTP status. */
  readonly status: number;
}

// All runs are in November and December of one year, which differ in length.
const MONTHS: Readonly<Record<string, Month>> = { 2592000: "2026-11", 2678400: "2026-12" };

/** The month that a response counts in, derived from the month's length that it gives; undefined if it gives none. */
export function monthOf({ headers, trailers }: CallResponse): Month | undefined {
  const policy = String(headers["ratelimit-policy"] ?? trailers["ratelimit-policy"] ?? "");
  return MONTHS[/"month";q=\d+;w=(\d+)/.exec(policy)?.[1] ?? ""];
}

/** How a call ended. Throws if the response is not valid in the protocol. */
export function outcomeOf(protocol: Protocol, response: CallResponse): Outcome {
  switch (protocol) {
    case "rest":
      return response.status === 200 ? "OK" : known(JSON.parse(response.body.toString()).error.details[0].reason);
    case "connect":
      return response.status === 200 ? "OK" : reasonOf(base64(JSON.parse(response.body.toString()).details[0].value));
    case "grpc-web":
      return ofGrpc({ ...response.headers, ...webTrailers(response.body) });
    case "grpc":
      return ofGrpc({ ...response.headers, ...response.trailers });
  }
}

function ofGrpc(fields: Headers): Outcome {
  if (fields["grpc-status"] === "0") {
    return "OK";
  }
  // Cut off before its end.
  if (fields["grpc-status"] === undefined) {
    return "lost";
  }
  const [detail] = fromBinary(StatusSchema, base64(String(fields["grpc-status-details-bin"]))).details;
  if (detail === undefined) {
    throw new Error(`an answer has the gRPC status ${fields["grpc-status"]} and no details`);
  }
  return reasonOf(detail.value);
}

// The last frame, with the highest bit of its first byte set, holds header lines as in HTTP/1.1.
function webTrailers(body: Buffer): Headers {
  for (let at = 0; at + 5 <= body.length; at += 5 + body.readUInt32BE(at + 1)) {
    if ((body[at] ?? 0) >= 0x80) {
      const lines = body
        .toString("latin1", at + 5)
        .trim()
        .split("\r\n");
      return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
    }
  }
  return {};
}

const base64 = (text: string): Uint8Array => Buffer.from(text, "base64");
const reasonOf = (errorInfo: Uint8Array): Reason => known(fromBinary(ErrorInfoSchema, errorInfo).reason);

function known(reason: string): Reason {
  if (!Object.hasOwn(REASONS, reason)) {
    throw new Error(`a response has the reason ${reason}, which does not exist`);
  }
  return reason as Reason;
}
