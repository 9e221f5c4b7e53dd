// A failure's details in bytes, as the RPC protocols send them: those of our own problems, and those of Connect's own errors, which may
// hold messages whose type is not known here.
import { create, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { type Problem, problemDetails } from "../../problem/problem.ts";

/** One detail: a message in bytes, by the full name of its type. */
export interface ErrorDetail {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The message as JSON, for people who read along; undefined where there is none. */
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
    // A message that holds an Any of a type that is not known here has no JSON.
  }
  return { type: desc.typeName, bytes: toBinary(desc, message), debug };
}

/** The details, in the order in which they are sent. */
export function errorDetails(problem: Problem): ErrorDetail[] {
  const details: readonly Thrown[] = problem.asThrown?.details ?? problemDetails(problem);
  return details.map(detailOf);
}

/** Base64 without padding, as gRPC's `-bin` headers and Connect's details have it. */
export const base64OfBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
