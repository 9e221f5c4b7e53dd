// The request headers that handlers may see: all but the secrets.
import type { RequestHeaders } from "../../http/headers.ts";

/** The headers with secrets. No handler may see them, whatever it does with headers. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(["x-gateway-key", "authorization", "cookie"]);

/** The headers as the web's Headers, without secrets. */
export function visibleHeaders(received: RequestHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (HIDDEN_HEADERS.has(name) || value === undefined) {
      continue;
    }
    headers.append(name, value);
  }
  return headers;
}
