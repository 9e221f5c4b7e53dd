// The content of a response in any protocol: its messages as protobuf JSON, or why the call failed.
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import type { ConsoleMethod } from "../contract/contract.ts";
import { textOf } from "./bytes.ts";
import { isAdmittedDryRun } from "./dry-run.ts";
import { type CallFailure, connectFailure, grpcFailure, restFailure } from "./failure.ts";
import type { ProtocolId } from "./protocol.ts";
import type { BodyMessage } from "./splitter.ts";

/** The head of a response, as far as a browser shows it to a page. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
}

/** One part of a response: a message, how the call failed, or that it succeeded. */
export type ResponsePart =
  | { readonly kind: "message"; readonly json: JsonObject }
  | { readonly kind: "failure"; readonly failure: CallFailure }
  | { readonly kind: "end" };

/** What was called, and how. */
export interface CalledMethod {
  readonly method: ConsoleMethod;
  readonly protocol: ProtocolId;
  readonly registry: Registry;
}

const END: ResponsePart = { kind: "end" };

/** Reads one part of the body. Throws if it does not follow its protocol. */
export function responsePartOf({ method, protocol, registry }: CalledMethod, head: ResponseHead, part: BodyMessage): ResponsePart {
  const { status, headers } = head;
  if (part.kind === "trailers") {
    return failed(grpcFailure(trailersOf(textOf(part.bytes)), registry));
  }
  const isJson = headers.get("content-type")?.includes("json") === true;
  if (part.kind === "end-of-stream") {
    const { error } = JSON.parse(textOf(part.bytes)) as { readonly error?: unknown };
    return failed(error === undefined ? undefined : connectFailure(error, registry));
  }
  if (isAdmittedDryRun(head)) {
    return END;
  }
  if (!isJson) {
    return messagePart(fromBinary(method.desc.output, part.bytes));
  }
  const json = JSON.parse(textOf(part.bytes)) as JsonValue;
  if (protocol === "rest" || protocol === "rest-body") {
    return restPart(json as JsonObject);
  }
  return status === 200
    ? messagePart(fromJson(method.desc.output, json, { registry }))
    : { kind: "failure", failure: connectFailure(json, registry) };

  function messagePart(message: Message): ResponsePart {
    return { kind: "message", json: toJson(method.desc.output, message, { registry }) as JsonObject };
  }

  function restPart(whole: JsonObject): ResponsePart {
    const failure = restFailure(whole);
    if (failure !== undefined) {
      return failed(failure);
    }
    // Messages of a stream have no envelope.
    const data = method.isStream ? whole : (whole.data ?? {});
    const shape = method.restResponseField === "" ? data : { [method.restResponseField]: data };
    return messagePart(fromJson(method.desc.output, withFullEnumNames(method.desc.output, shape as JsonObject), { registry }));
  }
}

/** REST's short names of enums, such as `day`, as protobuf JSON writes them: `USAGE_DIMENSION_DAY`. */
function withFullEnumNames(desc: DescMessage, json: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const field = desc.fields.find((each) => each.name === name || each.jsonName === name);
      const { enum: words, message } = field ?? {};
      const full = (one: JsonValue): JsonValue => {
        if (words !== undefined && typeof one === "string") {
          const prefix = words.sharedPrefix?.length ?? 0;
          return words.values.find((each) => each.name.slice(prefix).toLowerCase() === one)?.name ?? one;
        }
        const isMessage = message !== undefined && typeof one === "object" && one !== null && !Array.isArray(one);
        return isMessage ? withFullEnumNames(message, one) : one;
      };
      return [name, Array.isArray(value) ? value.map(full) : full(value)];
    }),
  );
}

/** Why a call failed, if gRPC-Web says so in the headers instead of in trailers. */
export const headFailure = ({ headers }: ResponseHead, registry: Registry): CallFailure | undefined =>
  headers.has("grpc-status") ? grpcFailure(headers, registry) : undefined;

const failed = (failure: CallFailure | undefined): ResponsePart => (failure === undefined ? END : { kind: "failure", failure });

const trailersOf = (text: string): Headers =>
  new Headers(
    text
      .split("\r\n")
      .filter((line) => line.includes(":"))
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
