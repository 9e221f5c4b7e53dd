// Headers as the transport passes them on: plain records with names in lower case. Also checks which values may be sent.

/**
 * A request's headers. If a name was sent several times, its values are joined by commas, and cookies by semicolons. For headers
 * that can have only one value, such as `content-type`, the first is kept.
 */
export interface RequestHeaders {
  readonly [name: string]: string | undefined;
}

// Headers that cannot have several values.
const SINGLE_VALUED: ReadonlySet<string> = new Set(
  (
    "age authorization content-type etag expires from if-modified-since if-unmodified-since last-modified location max-forwards " +
    "proxy-authorization referer retry-after server user-agent"
  ).split(" "),
);

/** Adds a header to those of a request, as RequestHeaders says. The same over HTTP/1.1 and HTTP/2. */
export function addHeader(headers: Record<string, string | undefined>, name: string, value: string): void {
  const known = headers[name];
  if (known === undefined) {
    headers[name] = value;
  } else if (!SINGLE_VALUED.has(name)) {
    headers[name] = `${known}${name === "cookie" ? "; " : ", "}${value}`;
  }
}

/** A response's headers or trailers. An array is sent as one header per value; a name whose value is undefined is not sent. */
export interface ResponseHeaders {
  [name: string]: number | string | string[] | undefined;
}

/** Headers that concern only one connection. HTTP/2 forbids them: https://www.rfc-editor.org/rfc/rfc9113#section-8.2.2 */
export const CONNECTION_SPECIFIC: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
];

// A field value consists of visible characters, spaces, tabs, and bytes above ASCII: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws a TypeError that names the header if its value cannot be sent. */
export function checkHeaderValue(name: string, value: string): void {
  if (NOT_IN_VALUES.test(value)) {
    throw new TypeError(`The header ${name} has a value that cannot be sent.`);
  }
}
