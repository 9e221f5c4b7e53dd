// A refusal as an HTTP response, in the protocol of the request.
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeStreamRegExp,
  endStreamFlag,
  endStreamToJson,
  errorToJson,
} from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Refused } from "./guard.ts";
import { limitHeaders } from "./limits.ts";
import { REFUSAL_STATUS, refusalError } from "./refusal.ts";

/** What of a request decides how a refusal looks. */
export interface RefusedRequest {
  /** With the query. */
  readonly url: string;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
}

/** A whole response. */
export interface RefusalResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array | string;
}

// https://connectrpc.com/docs/protocol
const isConnect = ({ url, header }: RefusedRequest, type: string): boolean =>
  header("connect-protocol-version") !== undefined || type.startsWith("application/proto") || /[?&]connect=v1(?:&|$)/.test(url);

/** The response to a refused request. */
export function refusalResponse({ refusal, limits }: Refused, request: RefusedRequest, keyHeader: string): RefusalResponse {
  const error = refusalError(refusal, keyHeader);
  const type = request.header("content-type") ?? "";
  const headers = new Headers({ ...(limits && { ...limitHeaders(limits) }), ...Object.fromEntries(error.metadata) });
  if (/^application\/grpc/.test(type)) {
    // The trailers are the headers, as in every response without messages.
    headers.set("content-type", type);
    return { status: 200, headers: setTrailerStatus(headers, error), body: "" };
  }
  if (contentTypeStreamRegExp.test(type)) {
    headers.set("content-type", type);
    const end = JSON.stringify(endStreamToJson(new Headers(), error, undefined));
    return { status: 200, headers, body: encodeEnvelope(endStreamFlag, new TextEncoder().encode(end)) };
  }
  headers.set("content-type", "application/json");
  const { status, code } = REFUSAL_STATUS[refusal.reason];
  if (status === 401) {
    headers.set("www-authenticate", `ApiKey header="${keyHeader}"`);
  }
  return {
    status: isConnect(request, type) ? codeToHttpStatus(code) : status,
    headers,
    body: JSON.stringify(errorToJson(error, undefined)),
  };
}
