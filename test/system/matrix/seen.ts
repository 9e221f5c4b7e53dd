// What a client saw of one response, in the same form for all protocols, so that whole responses can be compared.

/** One response. What a client does not expose is left out. */
export interface Seen {
  /** The HTTP status. */
  readonly status?: number;
  /** `ok`, or the RPC code's name; for REST, from the envelope. */
  readonly code: string;
  /** The headers, except those that every HTTP server sends and those that describe the protocol's framing. */
  readonly headers: Readonly<Record<string, string>>;
  /** REST: the envelope. RPC: the message, as JSON; undefined on failure. */
  readonly body: unknown;
  /** RPC: the error's message. */
  readonly message?: string;
  /** RPC: the trailers, without the status itself. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** RPC: the error's details, as JSON with their types. */
  readonly details?: readonly unknown[];
}

// Headers of the transport. They differ from client to client.
const HTTP_HEADERS = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "vary",
  "content-encoding",
]);
const PROTOCOL_HEADERS = new Set([
  "grpc-status",
  "grpc-message",
  "grpc-status-details-bin",
  "grpc-encoding",
  "grpc-accept-encoding",
  "accept-encoding",
  "connect-accept-encoding",
]);

/** The headers that are compared. */
export function ownHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const own = Array.from(headers, ([name, value]) => [name.toLowerCase(), value] as const).filter(
    ([name]) => !HTTP_HEADERS.has(name) && !PROTOCOL_HEADERS.has(name) && !name.startsWith(":"),
  );
  return Object.fromEntries(own.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
