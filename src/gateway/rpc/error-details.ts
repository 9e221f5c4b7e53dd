// A failure's details in bytes, as the RPC protocols send them: those of our own problems, or of a ConnectError that a handler has
// thrown, which may contain messages of unknown types.
import { create, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { type Problem, problemDetails } from "../../problem/problem.ts";

/** One detail: the full name of a message type, and the message in bytes. */
export interface ErrorDetail {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The message as JSON, for people to read; undefined if it cannot be written as JSON. */
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
    // The message contains an Any of an unknown type, which has no JSON form.
  }
  return { type: desc.typeName, bytes: toBinary(desc, message), debug };
}

/** A problem's details, in the order in which they are sent. */
export function errorDetails(problem: Problem): ErrorDetail[] {
  const details: readonly Thrown[] = problem.originalError?.details ?? problemDetails(problem);
  return details.map(detailOf);
}

/** Base64 without padding, as used by gRPC's `-bin` headers and Connect's details. */
export const base64OfBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
