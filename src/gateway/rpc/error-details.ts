// A failure's details as the RPC protocols send them, in bytes. They are those of our own problems, or those of a ConnectError that a handler
// has thrown, which may hold messages of types that are not known here.
import { create, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { type Problem, problemDetails } from "../../problem/problem.ts";

/** One detail: the full name of a message's type, and the message in bytes. */
export interface ErrorDetail {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The message as JSON, for people to read; undefined where it cannot be written as JSON. */
  readonly debug: JsonValue | undefined;
}

type Thrown = ConnectError["details"][number];

function detailOf(detail: Thrown): ErrorDetail {
  if (!("desc" in detail)) {
    return { type: detail.type, bytes: detail.value, debug: detail.debug };
  }
  const { desc, value } = detail;
  const message = create(desc, value);
  let debug: JsonValue | undefined;
  try {
    debug = toJson(desc, message);
  } catch {
    // It holds an Any of a type that is not known here, which has no JSON.
  }
  return { type: desc.typeName, bytes: toBinary(desc, message), debug };
}

/** A problem's details, in the order in which they are sent. */
export function errorDetails(problem: Problem): ErrorDetail[] {
  const details: readonly Thrown[] = problem.asThrown?.details ?? problemDetails(problem);
  return details.map(detailOf);
}

/** Base64 without padding, which gRPC's `-bin` headers and Connect's details use. */
export const base64OfBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
