// What the header block of a request contains: pseudo-headers, headers as a record, and faults.
// https://www.rfc-editor.org/rfc/rfc9113#section-8
import { HeaderRecord } from "../header-record.ts";
import { addHeader, CONNECTION_SPECIFIC, type RequestHeaders } from "../headers.ts";
import type { HeaderBlock } from "../hpack/decoder.ts";
import type { HeaderField } from "../hpack/header-field.ts";
import type { ServerLimits } from "../limits.ts";
import { headersTooLarge, hostFault, lengthOfBody, splitTarget, targetFault } from "../request-head.ts";
import { malformed, type TransportFault } from "../transport-fault.ts";

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
  /**
   * Whether the request breaks the rules of HTTP/2, so that its stream is reset once the fault has been reported.
   * https://www.rfc-editor.org/rfc/rfc9113#section-8.1.1
   */
  readonly isMalformed: boolean;
}

const FORBIDDEN: ReadonlySet<string> = new Set(CONNECTION_SPECIFIC);

const PSEUDO: ReadonlySet<string> = new Set([":method", ":scheme", ":authority", ":path"]);
const COLON = 0x3a;
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+\-.]*$/;

const PSEUDO_MISPLACED = malformed(
  "A request has the pseudo-headers :method, :scheme, :path and :authority: each at most once, none after a header, and no other.",
);
const PSEUDO_MISSING = malformed("A request must have the pseudo-headers :method, :scheme and :path.");
const NAME = malformed(
  "The name of a header must be of letters, digits and the characters !#$%&'*+-.^_`|~; over HTTP/2, in lower case.",
);
const VALUE = malformed("The value of a header must not contain control characters.");
const NOT_IN_HTTP2 = malformed(`HTTP/2 has no header ${CONNECTION_SPECIFIC.join(", ")}; leave them out.`);
const TE = malformed("Over HTTP/2, the header te may only be `trailers`.");
const METHOD_FORM = malformed("The method must be a word such as GET or POST.");
const SCHEME_FORM = malformed("The scheme must be http or https.");
const PATH_FORM = malformed("The path must begin with `/`.");
const NO_BODY = malformed("The request ended with its headers, although its Content-Length announces a body.");

/** What a header block says. `endsStream` is whether the request has no body. */
export function readRequest({ fields, isTooLarge }: HeaderBlock, endsStream: boolean, limits: ServerLimits): RequestFacts {
  const pseudo = new HeaderRecord();
  const headers = new HeaderRecord();
  let pseudoAreOver = false;
  let bytes = 0;
  let count = 0;
  let hosts = 0;
  let fault: TransportFault | undefined;
  for (const field of fields) {
    const { name, value } = field;
    if (name.charCodeAt(0) === COLON) {
      if (pseudoAreOver || !PSEUDO.has(name) || pseudo[name] !== undefined) {
        fault ??= PSEUDO_MISPLACED;
      } else {
        pseudo[name] = value;
      }
    } else {
      pseudoAreOver = true;
      count += 1;
      bytes += name.length + value.length;
      hosts += name === "host" ? 1 : 0;
      const wrong = faultOf(field);
      if (wrong === undefined) {
        addHeader(headers, name, value);
      } else {
        fault ??= wrong;
      }
    }
  }
  const isOverLimit = isTooLarge || count > limits.headersMax || bytes > limits.headerBytesMax;
  return factsOf(pseudo, headers, hosts, isOverLimit, endsStream, fault, limits);
}

/** Whether trailers are well-formed. https://www.rfc-editor.org/rfc/rfc9113#section-8.1 */
export const areTrailersWellFormed = ({ fields }: HeaderBlock): boolean =>
  fields.every((field) => field.name.charCodeAt(0) !== COLON && faultOf(field) === undefined);

function faultOf({ name, value, isNameWellFormed, isWellFormed }: HeaderField): TransportFault | undefined {
  if (!isWellFormed) {
    return isNameWellFormed ? VALUE : NAME;
  }
  if (FORBIDDEN.has(name)) {
    return NOT_IN_HTTP2;
  }
  return name === "te" && value.toLowerCase() !== "trailers" ? TE : undefined;
}

function factsOf(
  { ":method": method, ":scheme": scheme, ":path": url, ":authority": named }: RequestHeaders,
  headers: RequestHeaders,
  hosts: number,
  isOverLimit: boolean,
  endsStream: boolean,
  ofFields: TransportFault | undefined,
  limits: ServerLimits,
): RequestFacts {
  // If headers were left out, the missing one may be among them.
  const isComplete = isOverLimit || (method !== undefined && (method === "CONNECT" || (scheme !== undefined && url !== undefined)));
  const length = lengthOf(headers["content-length"]);
  const malformation =
    ofFields ??
    (isComplete ? undefined : PSEUDO_MISSING) ??
    (isAbsentOr(METHOD, method) ? undefined : METHOD_FORM) ??
    (isAbsentOr(SCHEME, scheme) ? undefined : SCHEME_FORM) ??
    (isTargetOf(method, url) ? undefined : PATH_FORM) ??
    (typeof length === "object" ? length : undefined) ??
    (endsStream && typeof length === "number" && length > 0 ? NO_BODY : undefined);
  const fault =
    targetFault(url || "/", limits) ??
    (isOverLimit ? headersTooLarge(limits) : (malformation ?? methodFault(method) ?? authorityFault(named, headers.host, hosts)));
  return {
    method: method ?? "",
    ...splitTarget(url ?? "/"),
    authority: named ?? headers.host,
    headers,
    bodyBytes: typeof length === "number" ? length : undefined,
    expectsContinue: headers.expect?.toLowerCase() === "100-continue",
    fault,
    isMalformed: malformation !== undefined,
  };
}

const lengthOf = (text: string | undefined): number | TransportFault | undefined =>
  text === undefined ? undefined : lengthOfBody(text);

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
  if (hosts <= 1 && named !== undefined && host !== undefined && named.toLowerCase() !== host.toLowerCase()) {
    return malformed("The request names one host in :authority and another in its Host header.");
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
