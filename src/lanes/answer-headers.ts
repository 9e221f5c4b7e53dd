// Puts an answer's headers together: the lane's, then what the handler set, which never replaces a header of the protocol's own.
import type { OutgoingHttpHeaders } from "node:http";

/** `own`, then `headers`, then what the handler set, renamed by `prefix`. */
export function answerHeaders(
  own: OutgoingHttpHeaders,
  headers: OutgoingHttpHeaders,
  set: Headers | undefined,
): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = { ...headers, ...own };
  if (set !== undefined) {
    for (const [name, value] of set) {
      all[name] ??= value;
    }
  }
  return all;
}
