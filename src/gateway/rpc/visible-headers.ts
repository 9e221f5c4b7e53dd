// The request headers that handlers may see: all but the secrets.
import type { RequestHeaders } from "@quintet/http";
import { codingOf } from "../media-type.ts";

/** The headers with secrets. No handler may see them, whatever it does with headers. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(["x-gateway-key", "authorization", "cookie"]);

// connect-es compares their values letter by letter.
const ENCODING_HEADERS: ReadonlySet<string> = new Set(["content-encoding", "connect-content-encoding", "grpc-encoding"]);

/** The headers as the web's Headers, without secrets, and with the plain names of codings. */
export function visibleHeaders(received: RequestHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (HIDDEN_HEADERS.has(name) || value === undefined) {
      continue;
    }
    headers.append(name, ENCODING_HEADERS.has(name) ? codingOf(value) || "identity" : value);
  }
  return headers;
}
