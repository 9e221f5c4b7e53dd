// Parses a chunked body strictly: a size has only hexadecimal digits, each line ends in CRLF, extensions are well-formed, and
// everything besides the data is limited. https://www.rfc-editor.org/rfc/rfc9112#section-7.1
import { byteSize } from "../../runtime/byte-size.ts";
import { malformed, type TransportFault } from "../transport-fault.ts";
import type { BodyFraming } from "./body-framing.ts";

// Extensions are ignored. The whitespace allowed around `;` and `=` is refused: no honest client sends it.
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const SIZE_LINE = new RegExp(`^([0-9A-Fa-f]{1,16})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`);
const TRAILER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t\x20-\x7e\x80-\xff]*$/;

// Headers that frame or route a request must come before its body: https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1
const FORBIDDEN_TRAILERS: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The longest line: a size with its extensions, or a trailer. */
const LINE_BYTES_MAX = 4096;
/** The most bytes that all extensions and trailers of one body may have together. */
const CHUNK_OVERHEAD_BYTES_MAX = 16 * 1024;

const LF = 0x0a;

const BAD_LINE = malformed(
  "The body's chunks are malformed: each line between them must end in CRLF, and contain no other CR or LF.",
);
const BAD_SIZE = malformed("The body's chunks are malformed: each must begin with its size in hexadecimal digits.");
const BAD_END = malformed("The body's chunks are malformed: each must be as long as its size says, and end in CRLF.");
const TOO_LONG = malformed(
  `The body's chunks have too much overhead: each line may have at most ${byteSize(LINE_BYTES_MAX)}, and all lines together ${byteSize(CHUNK_OVERHEAD_BYTES_MAX)}.`,
);
const BAD_TRAILER = malformed(
  "The body's trailers must be valid header lines, and must not be headers that define the request or where it ends.",
);

type State = "size" | "data" | "data end" | "trailers" | "end";

export class ChunkedBody implements BodyFraming {
  #state: State = "size";
  // How much of the current chunk's data has not arrived.
  #bytesLeft = 0;
  // The part of the current line that has arrived.
  #line = "";
  #overheadBytes = 0;
  #fault: TransportFault | undefined;

  get isComplete(): boolean {
    return this.#state === "end";
  }

  get fault(): TransportFault | undefined {
    return this.#fault;
  }

  // The length is unknown until the last chunk.
  endsWithin(): boolean {
    return false;
  }

  take(bytes: Buffer, from: number, onPiece: (piece: Buffer) => void): number {
    let at = from;
    while (at < bytes.length && this.#fault === undefined && this.#state !== "end") {
      if (this.#state === "data") {
        const end = Math.min(bytes.length, at + this.#bytesLeft);
        this.#bytesLeft -= end - at;
        this.#state = this.#bytesLeft === 0 ? "data end" : "data";
        onPiece(bytes.subarray(at, end));
        return end;
      }
      at = this.#takeLine(bytes, at);
    }
    return at;
  }

  #takeLine(bytes: Buffer, from: number): number {
    const lineFeed = bytes.indexOf(LF, from);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    if (this.#line.length + end - from > LINE_BYTES_MAX) {
      this.#fault = TOO_LONG;
      return from;
    }
    this.#line += bytes.toString("latin1", from, end);
    const isWhole = lineFeed >= 0;
    const carriageReturn = this.#line.indexOf("\r");
    if (carriageReturn >= 0 ? carriageReturn !== this.#line.length - (isWhole ? 2 : 1) : isWhole) {
      this.#fault = BAD_LINE;
    } else if (isWhole) {
      const line = this.#line.slice(0, -2);
      this.#line = "";
      this.#endLine(line);
    } else if (this.#state === "data end" && this.#line !== "\r") {
      this.#fault = BAD_END;
    }
    return end;
  }

  #endLine(line: string): void {
    if (this.#state === "size") {
      this.#beginChunk(line);
    } else if (this.#state === "data end") {
      this.#state = "size";
      this.#fault = line === "" ? undefined : BAD_END;
    } else if (line === "") {
      this.#state = "end";
    } else {
      this.#countOverhead(line.length);
      const name = TRAILER_LINE.exec(line)?.[1];
      if (name === undefined || FORBIDDEN_TRAILERS.has(name.toLowerCase())) {
        this.#fault = BAD_TRAILER;
      }
    }
  }

  #beginChunk(line: string): void {
    const digits = SIZE_LINE.exec(line)?.[1];
    const size = Number.parseInt(digits ?? "", 16);
    if (digits === undefined || !Number.isSafeInteger(size)) {
      this.#fault = BAD_SIZE;
      return;
    }
    this.#countOverhead(line.length - digits.length);
    this.#bytesLeft = size;
    this.#state = size === 0 ? "trailers" : "data";
  }

  #countOverhead(bytes: number): void {
    this.#overheadBytes += bytes;
    if (this.#overheadBytes > CHUNK_OVERHEAD_BYTES_MAX) {
      this.#fault ??= TOO_LONG;
    }
  }
}
