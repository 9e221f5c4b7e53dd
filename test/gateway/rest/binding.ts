// Binds requests with the rules of the test service, and shows the result.
import { type DescMessage, toJson } from "@bufbuild/protobuf";
import type { InvalidInput } from "@quintet/transcoding";
import { compileRoutes } from "../../../src/gateway/rest/routes.ts";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";

const routes = compileRoutes(LibraryService.methods);

/** The parts of a request that binding reads. */
export interface BoundRequest {
  /** `GET /v1/search` */
  readonly to?: string;
  readonly query?: string;
  /** A JSON body as text, or as a value. */
  readonly json?: unknown;
  readonly form?: string;
  /** The bytes of a JSON body. */
  readonly bytes?: Uint8Array;
}

/** The input message as proto JSON with proto names, or the violations. */
export function bound({ to = "GET /v1/search", query = "", json, form, bytes }: BoundRequest): unknown {
  const [httpMethod = "", path = ""] = to.split(" ");
  const match = routes.match(httpMethod, path);
  if (match.kind !== "route") {
    throw new Error(`${to}: ${match.kind}`);
  }
  const text = form ?? (typeof json === "string" ? json : json === undefined ? undefined : JSON.stringify(json));
  const body = bytes ?? (text === undefined ? undefined : new TextEncoder().encode(text));
  try {
    const { route, pathValues } = match;
    const message = route.bind({ pathValues, query, body, bodyType: form === undefined ? "json" : "form" });
    return toJson(route.rpc.input as DescMessage, message, { useProtoFieldName: true });
  } catch (error) {
    return violationsOf(error);
  }
}

/** The violations of a thrown InvalidInput, each as `field description`. Anything else is thrown again. */
export function violationsOf(error: unknown): string[] {
  const { violations } = error as Partial<InvalidInput>;
  if (violations === undefined) {
    throw error;
  }
  return violations.map(({ field, description }) => `${field} ${description}`);
}
