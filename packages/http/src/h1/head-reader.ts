// Reads the request heads of one connection from chunks that may be cut anywhere. A head that is complete in one chunk is parsed
// in place. If a head arrives in parts, no more of it is kept than the limits allow.
import type { ServerLimits } from "../limits.ts";
import { headersTooLarge, hostFault, splitTarget, targetFault, uriTooLong } from "../request-head.ts";
import { malformed, type TransportFault } from "../transport-fault.ts";
import { type HeaderBlock, parseHeaderBlock } from "./header-block.ts";

// The first line of a request: method, target and version. https://www.rfc-editor.org/rfc/rfc9112#section-3
export interface RequestLine {
  readonly method: string;
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`; empty if there is none. */
  readonly query: string;
  /** The authority of an absolute-form target. */
  readonly authority: string | undefined;
  /** The minor version: 1 for HTTP/1.1. */
  readonly minorVersion: 0 | 1;
  /** What is wrong with the line. The other fields then hold only what could be read. */
  readonly fault: TransportFault | undefined;
}

// The registered methods, and widely used ones that are not registered. Any other word is most likely not HTTP at all.
// https://www.iana.org/assignments/http-methods
const METHODS: ReadonlySet<string> = new Set(
  (
    "GET POST HEAD PUT DELETE OPTIONS PATCH TRACE CONNECT QUERY ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR " +
    "MKCOL MOVE NOTIFY PROPFIND PROPPATCH PURGE REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE"
  ).split(" "),
);

const VERSION = /^HTTP\/\d\.\d$/;
const HTTP_URI = /^https?:\/\/([^/?#]+)/i;

const METHOD = malformed("The request is not well-formed HTTP/1.1: it must begin with a method such as GET or POST.");
const LINE = malformed("The request line must be a method, a target and HTTP/1.1, with one space between them.");
const FORM = malformed("The request's target must be a path that begins with `/`, or a complete http or https URL.");
const VERSION_UNKNOWN: TransportFault = {
  reason: "HTTP_VERSION_UNKNOWN",
  message: "The request line must say HTTP/1.1 or HTTP/1.0; HTTP/2 begins with its preface, or is chosen by ALPN.",
};
const TUNNEL: TransportFault = {
  reason: "METHOD_NOT_ALLOWED",
  message: "This is not a proxy; CONNECT is not supported.",
  allow: "GET, HEAD, POST",
};

const faulty = (fault: TransportFault, method = ""): RequestLine => ({
  method,
  path: "",
  query: "",
  authority: undefined,
  minorVersion: 1,
  fault,
});

const HTTP_11 = " HTTP/1.1";

/** Parses a request line without its line end. */
function parseRequestLine(line: string, limits: ServerLimits): RequestLine {
  // The fast path for nearly all requests, without checking each part.
  const method = line.startsWith("GET /") ? "GET" : line.startsWith("POST /") ? "POST" : undefined;
  if (method === undefined || !line.endsWith(HTTP_11)) {
    return parseUncommonLine(line, limits);
  }
  const target = line.slice(method.length + 1, -HTTP_11.length);
  const { path, query } = splitTarget(target);
  return { method, path, query, authority: undefined, minorVersion: 1, fault: targetFault(target, limits) };
}

function parseUncommonLine(line: string, limits: ServerLimits): RequestLine {
  const methodEnd = line.indexOf(" ");
  const targetEnd = line.lastIndexOf(" ");
  const method = line.slice(0, methodEnd);
  if (methodEnd < 0 || !METHODS.has(method)) {
    return faulty(METHOD);
  }
  const version = line.slice(targetEnd + 1);
  if (targetEnd === methodEnd || !VERSION.test(version)) {
    return faulty(LINE);
  }
  if (version !== "HTTP/1.1" && version !== "HTTP/1.0") {
    return faulty(VERSION_UNKNOWN, method);
  }
  if (method === "CONNECT") {
    return faulty(TUNNEL, method);
  }
  const minorVersion = version === "HTTP/1.1" ? 1 : 0;
  const target = line.slice(methodEnd + 1, targetEnd);
  // Every server must accept the absolute form: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
  const authority = target.startsWith("/") ? undefined : HTTP_URI.exec(target)?.[1];
  const isTarget = target.startsWith("/") || authority !== undefined || (target === "*" && method === "OPTIONS");
  const fault = targetFault(target, limits) ?? (isTarget ? undefined : FORM);
  const { path, query } = splitTarget(target);
  return { method, path, query, authority, minorVersion, fault };
}

/** The readable part of a request's head. */
export interface RequestHead {
  /** Undefined if it has not arrived. */
  readonly line: RequestLine | undefined;
  /** Undefined if none of it was read. */
  readonly block: HeaderBlock | undefined;
  /** What is wrong with the head, if anything. The bytes after a faulty head must not be taken for a body or a request. */
  readonly fault: TransportFault | undefined;
}

const CR = 0x0d;
const LF = 0x0a;
const HEAD_END = Buffer.from("\r\n\r\n");

// How many bytes a request line may have besides its URL, and a header line besides its name and value.
const LINE_OVERHEAD_BYTES = "UNSUBSCRIBE  HTTP/1.1\r\n".length;
const FIELD_OVERHEAD_BYTES = ": \r\n".length;
const NOTHING = Buffer.alloc(0);
// The initial buffer for an incomplete head.
const KEPT_BYTES_MIN = 512;

const LONE_LINE_END = malformed("Each line of the request's head must end in CRLF, and contain no other CR or LF.");
const CONTROL_CHARACTER = malformed("The request's head must not contain control characters.");

export class HeadReader {
  readonly #limits: ServerLimits;
  readonly #lineBytesMax: number;
  readonly #headBytesMax: number;
  // The part of an incomplete head that has arrived.
  #kept: Buffer | undefined;
  #keptBytes = 0;
  // Where the first line of the kept part ends, and where its last line begins.
  #firstLineEnd = -1;
  #lineStart = 0;
  #blankBytes = 0;
  #end = 0;

  constructor(limits: ServerLimits) {
    this.#limits = limits;
    this.#lineBytesMax = limits.urlBytesMax + LINE_OVERHEAD_BYTES;
    this.#headBytesMax = this.#lineBytesMax + limits.headerBytesMax + FIELD_OVERHEAD_BYTES * limits.headersMax + "\r\n".length;
  }

  /** The bytes of the head that has started. */
  get heldBytes(): number {
    return this.#keptBytes;
  }

  /** The offset at which the last head ended, in the chunk from which it was read. */
  get end(): number {
    return this.#end;
  }

  /** Whether part of a head has arrived. Blank lines before a head do not count. */
  get hasStarted(): boolean {
    return this.#keptBytes > 0 && this.#kept?.[0] !== CR;
  }

  /** Continues to read at an offset in a chunk. Returns the head once it is complete or has a fault; undefined while more must arrive. */
  read(chunk: Buffer, from: number): RequestHead | undefined {
    if (this.#keptBytes > 0) {
      return this.#readInParts(chunk, from);
    }
    let start = from;
    // https://www.rfc-editor.org/rfc/rfc9112#section-2.2
    while (chunk[start] === CR && chunk[start + 1] === LF) {
      start += 2;
      this.#blankBytes += 2;
    }
    if (this.#blankBytes > this.#headBytesMax) {
      return this.#faulty(headersTooLarge(this.#limits));
    }
    const end = chunk.indexOf(HEAD_END, start);
    if (end < start || end - start > this.#headBytesMax) {
      return this.#readInParts(chunk, start);
    }
    this.#end = end + HEAD_END.length;
    this.#blankBytes = 0;
    return this.#parse(chunk, start, end + 2);
  }

  /** Abandons a head that has started. */
  giveUp(fault: TransportFault): RequestHead {
    return this.#faulty(fault);
  }

  #readInParts(chunk: Buffer, from: number): RequestHead | undefined {
    const kept = this.#makeRoom(chunk.length - from);
    let previous = this.#keptBytes === 0 ? 0 : (kept[this.#keptBytes - 1] as number);
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if ((byte === LF) !== (previous === CR)) {
        return this.#faulty(LONE_LINE_END);
      }
      if ((byte < 0x20 && byte !== 0x09 && byte !== CR && byte !== LF) || byte === 0x7f) {
        return this.#faulty(CONTROL_CHARACTER);
      }
      if (this.#keptBytes === (this.#firstLineEnd < 0 ? this.#lineBytesMax : this.#headBytesMax)) {
        return this.#faulty(this.#firstLineEnd < 0 ? uriTooLong(this.#limits) : headersTooLarge(this.#limits));
      }
      kept[this.#keptBytes] = byte;
      this.#keptBytes += 1;
      previous = byte;
      if (byte === LF) {
        const head = this.#endLine();
        if (head !== undefined) {
          this.#end = at + 1;
          return head;
        }
      }
    }
    return undefined;
  }

  // Grows the buffer to hold the chunk, within the limit of a head.
  #makeRoom(bytes: number): Buffer {
    const wanted = Math.min(this.#keptBytes + bytes, this.#headBytesMax);
    if (this.#kept === undefined || this.#kept.length < wanted) {
      const larger = Buffer.allocUnsafeSlow(Math.max(KEPT_BYTES_MIN, Math.min(2 * wanted, this.#headBytesMax)));
      this.#kept?.copy(larger, 0, 0, this.#keptBytes);
      this.#kept = larger;
    }
    return this.#kept;
  }

  // Called when a line is complete: the request line (which is parsed here, as it may be faulty), a header line, or a blank line.
  #endLine(): RequestHead | undefined {
    const isBlank = this.#keptBytes - this.#lineStart === 2;
    this.#lineStart = this.#keptBytes;
    if (this.#firstLineEnd >= 0) {
      return isBlank ? this.#parseKept(this.#keptBytes - 2) : undefined;
    }
    if (!isBlank) {
      this.#firstLineEnd = this.#keptBytes;
      const line = parseRequestLine(this.#kept?.toString("latin1", 0, this.#keptBytes - 2) ?? "", this.#limits);
      return line.fault === undefined ? undefined : this.#faulty(line.fault);
    }
    this.#blankBytes += 2;
    this.#keptBytes = 0;
    this.#lineStart = 0;
    return this.#blankBytes > this.#headBytesMax ? this.#faulty(headersTooLarge(this.#limits)) : undefined;
  }

  // Parses the kept bytes up to `end`.
  #parseKept(end: number): RequestHead {
    const bytes = this.#takeKept();
    return this.#parse(bytes, 0, end);
  }

  // Returns the kept bytes, and makes the reader ready for another head.
  #takeKept(): Buffer {
    const bytes = this.#kept?.subarray(0, this.#keptBytes) ?? NOTHING;
    this.#kept = undefined;
    this.#keptBytes = 0;
    this.#firstLineEnd = -1;
    this.#lineStart = 0;
    this.#blankBytes = 0;
    return bytes;
  }

  // Ends a head with a fault. The part that was read is returned too, because it decides in which protocol the error is sent.
  #faulty(fault: TransportFault): RequestHead {
    if (this.#firstLineEnd >= 0) {
      const { line, block } = this.#parseKept(this.#lineStart);
      return { line, block, fault };
    }
    const text = this.#takeKept().toString("latin1");
    // The URL begins with the path, even if its end has not arrived.
    const line = fault.reason === "URI_TOO_LONG" ? parseRequestLine(`${text} HTTP/1.1`, this.#limits) : undefined;
    return { line, block: undefined, fault };
  }

  // Parses a request line and header lines, each with its CRLF.
  #parse(bytes: Buffer, start: number, end: number): RequestHead {
    const text = bytes.toString("latin1", start, end);
    const lineEnd = text.indexOf("\r\n");
    const line = parseRequestLine(text.slice(0, lineEnd), this.#limits);
    const block = parseHeaderBlock(bytes, start + lineEnd + 2, end, text, this.#limits);
    return { line, block, fault: line.fault ?? block.fault ?? faultBetween(line, block) };
  }
}

// The fault of a request line and a header block that are both well-formed but contradict each other.
function faultBetween({ authority, minorVersion }: RequestLine, block: HeaderBlock): TransportFault | undefined {
  if (minorVersion === 0 && block.body === "chunked") {
    // https://www.rfc-editor.org/rfc/rfc9112#section-6.1
    return malformed("An HTTP/1.0 request must not have a Transfer-Encoding.");
  }
  // Before HTTP/1.1, a request need not name its host.
  const fault = minorVersion === 0 && block.headers.host === undefined ? undefined : block.hostFault;
  return fault ?? (authority === undefined ? undefined : hostFault(1, authority, true));
}
