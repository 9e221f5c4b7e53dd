// What the header block of a request contains: pseudo-headers, headers as a record, and faults.
// https://www.rfc-editor.org/rfc/rfc9113#section-8
import { HeaderRecord } from "../header-record.ts";
import { CONNECTION_SPECIFIC, type RequestHeaders } from "../headers.ts";
import type { HeaderBlock } from "../hpack/decoder.ts";
import type { HeaderField } from "../hpack/header-field.ts";
import type { ServerLimits } from "../limits.ts";
import { headersTooLarge, hostFault, splitTarget, targetFault } from "../request-head.ts";
import type { TransportFault } from "../transport-fault.ts";

/** What is known about a request before its body. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authority: string | undefined;
  readonly headers: RequestHeaders;
  /** The announced length in bytes; undefined if there is none. */
  readonly bodyBytes: number | undefined;
  /** Whether the caller waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** The fault that is reported to the caller. */
  readonly fault: TransportFault | undefined;
}

/** Stands for a request that breaks the rules of HTTP/2: its stream is reset. https://www.rfc-editor.org/rfc/rfc9113#section-8.1.1 */
export type Malformed = "malformed";

const FORBIDDEN: ReadonlySet<string> = new Set(CONNECTION_SPECIFIC);

// For these headers the first value counts, since two values together make no sense.
const SINGLE: ReadonlySet<string> = new Set(
  (
    "age authorization content-encoding content-language content-location content-range content-type date dnt etag expires from host " +
    "if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards proxy-authorization range " +
    "referer retry-after upgrade-insecure-requests user-agent"
  ).split(" "),
);

const PSEUDO: ReadonlySet<string> = new Set([":method", ":scheme", ":authority", ":path"]);
const COLON = 0x3a;
const LENGTH = /^\d{1,15}$/;
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+\-.]*$/;

export function readRequest({ fields, isTooLarge }: HeaderBlock, limits: ServerLimits): RequestFacts | Malformed {
  const pseudo = new HeaderRecord();
  const headers = new HeaderRecord();
  let pseudoAreOver = false;
  let bytes = 0;
  let count = 0;
  let hosts = 0;
  for (const field of fields) {
    const { name, value } = field;
    if (name.charCodeAt(0) === COLON) {
      if (pseudoAreOver || !field.isNameWellFormed || !PSEUDO.has(name) || pseudo[name] !== undefined || !field.isWellFormed) {
        return "malformed";
      }
      pseudo[name] = value;
    } else {
      pseudoAreOver = true;
      count += 1;
      bytes += name.length + value.length;
      hosts += name === "host" ? 1 : 0;
      if (!isAllowed(field) || !addHeader(headers, name, value)) {
        return "malformed";
      }
    }
  }
  const isOverLimit = isTooLarge || count > limits.headersMax || bytes > limits.headerBytesMax;
  return factsOf(pseudo, headers, hosts, isOverLimit, limits);
}

/** Whether trailers are well-formed. https://www.rfc-editor.org/rfc/rfc9113#section-8.1 */
export const areTrailersWellFormed = ({ fields }: HeaderBlock): boolean =>
  fields.every((field) => field.name.charCodeAt(0) !== COLON && isAllowed(field));

function isAllowed({ name, value, isWellFormed }: HeaderField): boolean {
  return isWellFormed && !FORBIDDEN.has(name) && (name !== "te" || value.toLowerCase() === "trailers");
}

// Returns false for a second length, even an equal one: an intermediary that uses one of them should never have sent both.
function addHeader(headers: Record<string, string | undefined>, name: string, value: string): boolean {
  const known = headers[name];
  if (known === undefined) {
    headers[name] = value;
  } else if (name === "content-length") {
    return false;
  } else if (!SINGLE.has(name)) {
    headers[name] = `${known}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return true;
}

function factsOf(
  { ":method": method, ":scheme": scheme, ":path": url, ":authority": named }: RequestHeaders,
  headers: RequestHeaders,
  hosts: number,
  isOverLimit: boolean,
  limits: ServerLimits,
): RequestFacts | Malformed {
  // If headers were left out, the missing one may be among them.
  const isComplete = method !== undefined && (method === "CONNECT" || (scheme !== undefined && url !== undefined));
  const { host, "content-length": length } = headers;
  const areWellFormed = isAbsentOr(METHOD, method) && isAbsentOr(SCHEME, scheme) && isAbsentOr(LENGTH, length);
  if ((!isComplete && !isOverLimit) || !areWellFormed || !isTargetOf(method, url)) {
    return "malformed";
  }
  const authority = named ?? host;
  const fault =
    targetFault(url ?? "/", limits) ??
    (isOverLimit ? headersTooLarge(limits) : (methodFault(method) ?? authorityFault(named, host, hosts)));
  return {
    method: method ?? "",
    ...splitTarget(url ?? "/"),
    authority,
    headers,
    bodyBytes: length === undefined ? undefined : Number(length),
    expectsContinue: headers.expect?.toLowerCase() === "100-continue",
    fault,
  };
}

const isAbsentOr = (form: RegExp, text: string | undefined): boolean => text === undefined || form.test(text);

// A path, or the `*` of OPTIONS: https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1
const isTargetOf = (method: string | undefined, url: string | undefined): boolean =>
  url === undefined || url.startsWith("/") || (url === "*" && method === "OPTIONS");

const methodFault = (method: string | undefined): TransportFault | undefined =>
  method === "CONNECT"
    ? { reason: "METHOD_NOT_ALLOWED", message: "This is not a proxy; CONNECT is not supported.", allow: "GET, HEAD, POST" }
    : undefined;

// More addresses than any real client lists for one server.
const NAMES_MAX = 64;

// `:authority` and `host` must name the same host: a proxy may read one of them, and this server the other.
function authorityFault(named: string | undefined, host: string | undefined, hosts: number): TransportFault | undefined {
  if (named !== undefined && host !== undefined && named.toLowerCase() !== host.toLowerCase()) {
    return { reason: "MALFORMED_REQUEST", message: "The request names one host in :authority and another in its Host header." };
  }
  const text = named ?? host;
  if (text?.includes(",") !== true) {
    return hostFault(hosts, text, true);
  }
  // gRPC's C++ library lists all addresses that it was given, and connects to one.
  const names = text.split(",", NAMES_MAX + 1);
  const isList = hosts <= 1 && names.length <= NAMES_MAX && names.every((one) => hostFault(0, one, true) === undefined);
  return isList ? undefined : hostFault(hosts, text, true);
}
