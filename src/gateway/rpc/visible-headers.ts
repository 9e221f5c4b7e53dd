// What handlers get to see of a request's headers: no secrets, and nothing that belongs to HTTP/2 alone.
import type { RequestHeaders } from "../../http/headers.ts";

/** The headers with secrets in them. No handler may see them, whatever it does with headers. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(["x-gateway-key", "authorization", "cookie"]);

/** The headers as the web's Headers, without HTTP/2's pseudo-headers and without secrets. */
export function visibleHeaders(received: RequestHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (name.startsWith(":") || HIDDEN_HEADERS.has(name) || value === undefined) {
      continue;
    }
    headers.append(name, value);
  }
  return headers;
}
