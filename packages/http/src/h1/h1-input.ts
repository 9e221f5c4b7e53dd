// The input of a connection: heads and bodies in turn, each taken only when wanted. The rest stays unread.
// https://www.rfc-editor.org/rfc/rfc9112#section-9.3

import { byteSize } from "../byte-size.ts";
import type { ServerLimits } from "../limits.ts";
import { DISCARDED_BYTES_MAX, LINGER_BYTES_MAX } from "../linger.ts";
import { copyOf, type PacedInput } from "../paced-input.ts";
import { malformed, TransportError, type TransportFault } from "../transport-fault.ts";
import type { ConnectionLife } from "./connection-life.ts";
import type { ConnectionExchange } from "./exchange-connection.ts";
import { HeadReader, type RequestHead } from "./head-reader.ts";
import type { HeaderBlock } from "./header-block.ts";

// Parses a chunked body strictly: a size has only hexadecimal digits, each line ends in CRLF, extensions are well-formed, and
// everything besides the data is limited. https://www.rfc-editor.org/rfc/rfc9112#section-7.1

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

// A body of announced length. https://www.rfc-editor.org/rfc/rfc9112#section-6.2
class LengthBody implements BodyFraming {
  // Any bytes are valid.
  readonly fault = undefined;
  #bytesLeft: number;

  constructor(bytes: number) {
    this.#bytesLeft = bytes;
  }

  get isComplete(): boolean {
    return this.#bytesLeft === 0;
  }

  endsWithin(bytes: number): boolean {
    return this.#bytesLeft <= bytes;
  }

  take(bytes: Buffer, from: number, onPiece: (piece: Buffer) => void): number {
    const end = Math.min(bytes.length, from + this.#bytesLeft);
    this.#bytesLeft -= end - from;
    if (end > from) {
      onPiece(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end));
    }
    return end;
  }
}

/** Receives the parsed input. */
export interface InputOwner {
  /** Whether no further request is served and the remaining input is discarded. */
  readonly isLast: boolean;
  /** Whether another request may begin, or input may be discarded. */
  readonly mayBegin: boolean;
  /** Called with each head that has arrived. If the request has a body, `expectBody` must be called before this returns. */
  begin(head: RequestHead): void;
  /** Called when it is unknown where the next request begins. */
  stopServing(): void;
  /** Writes the responses that are ready. Returns false if that produced more to write. */
  flushResponses(): boolean;
}

/** How many bytes of a body may be read from the socket before a reader wants them. */
const UNREAD_BYTES_MAX = 16 * 1024;

const NOTHING = Buffer.alloc(0);

export class H1Input {
  readonly #owner: InputOwner;
  readonly #socketInput: PacedInput;
  readonly #life: ConnectionLife;
  readonly #reader: HeadReader;
  // Bytes that were read but not yet taken start at `#at`.
  #bytes: Buffer = NOTHING;
  #at = 0;
  #isProcessing = false;
  #isPaused = false;
  // The exchange whose body is incomplete, and how the body is framed.
  #incoming: ConnectionExchange | undefined;
  #framing: BodyFraming | undefined;
  #discardedBytes = 0;

  constructor(owner: InputOwner, socketInput: PacedInput, life: ConnectionLife, limits: ServerLimits) {
    this.#owner = owner;
    this.#socketInput = socketInput;
    this.#life = life;
    this.#reader = new HeadReader(limits);
  }

  /** Whether input is being processed. Responses made in the meantime are written together at the end. */
  get isProcessing(): boolean {
    return this.#isProcessing;
  }

  /** The bytes that cannot be used yet: those of an incomplete head, and of bodies that nobody is reading yet. */
  get heldBytes(): number {
    return this.#reader.heldBytes + this.#unreadBytes;
  }

  /** Whether part of a head has arrived. */
  get hasHeadStarted(): boolean {
    return this.#reader.hasStarted;
  }

  /** Whether part of a body is missing. */
  get isBodyMissing(): boolean {
    return this.#framing !== undefined && !this.#framing.endsWithin(this.#unreadBytes);
  }

  /** Takes borrowed bytes; copies what it cannot take now. */
  receive(bytes: Buffer): void {
    this.#bytes = this.#unreadBytes === 0 ? bytes : Buffer.concat([this.#bytes.subarray(this.#at), bytes]);
    this.#at = 0;
    this.take();
    if (this.#bytes === bytes) {
      this.#bytes = copyOf(this.#bytes, this.#at, this.#bytes.length);
      this.#at = 0;
    }
  }

  /** Abandons the head that has started. */
  abandonHead(fault: TransportFault): void {
    this.#owner.begin(this.#reader.giveUp(fault));
  }

  /** Discards the waiting input: the rest of a body, or further requests. A reader of the body gets this fault. */
  abandonRest(fault: TransportFault): void {
    this.#owner.stopServing();
    this.#failBody(new TransportError(fault));
    this.take();
  }

  /** Treats the bytes that follow as the body of this exchange. */
  expectBody(exchange: ConnectionExchange, body: HeaderBlock["body"]): void {
    this.#incoming = exchange;
    this.#framing = body === "chunked" ? new ChunkedBody() : new LengthBody(body);
  }

  /** Starts to read this exchange's body. */
  readBody(exchange: ConnectionExchange): void {
    if (this.#incoming !== exchange) {
      return;
    }
    if (this.#isProcessing) {
      this.#takeBody(exchange);
    } else {
      this.#takeMore();
    }
  }

  /** Takes what has arrived of a body that is not being read. Returns whether that was all of it. */
  skipBody(exchange: ConnectionExchange): boolean {
    if (this.#incoming === exchange && !exchange.body?.isWanted) {
      // Stops at the end of this body.
      const wasProcessing = this.#isProcessing;
      this.#isProcessing = true;
      exchange.body?.discard(this.#unreadBytes);
      this.#isProcessing = wasProcessing;
    }
    return this.#incoming !== exchange;
  }

  /** Reads and discards the rest of a body within limits, because it comes before the next request. */
  discardBody(exchange: ConnectionExchange): void {
    if (this.#incoming === exchange && !this.#life.isClosingSoon) {
      this.#life.closeSoon();
      exchange.body?.discard(DISCARDED_BYTES_MAX);
    }
  }

  /** Abandons the incomplete body and discards what has been read. */
  close(): void {
    this.#failBody();
    this.take();
  }

  /** Takes as much of what has been read as is wanted now. */
  take(): void {
    if (this.#isProcessing) {
      return;
    }
    this.#isProcessing = true;
    let isAllWritten: boolean;
    do {
      while (this.#unreadBytes > 0 && this.#mayTake) {
        this.#takeNext();
      }
      isAllWritten = this.#owner.flushResponses();
      // Output that has been sent may have made room for more requests.
    } while ((this.#unreadBytes > 0 && this.#mayTake) || !isAllWritten);
    this.#isProcessing = false;
    if (this.#unreadBytes === 0) {
      this.#bytes = NOTHING;
      this.#at = 0;
    }
    this.#pauseOrResume();
  }

  /** Takes more of the input that was read before. Called when something has changed that may allow it. */
  takeRest(): void {
    if (this.#unreadBytes > 0 || this.#isPaused) {
      this.#takeMore();
    }
  }

  #takeMore(): void {
    this.take();
    this.#socketInput.hold(this.heldBytes);
  }

  get #unreadBytes(): number {
    return this.#bytes.length - this.#at;
  }

  get #mayTake(): boolean {
    const body = this.#incoming?.body;
    return body === undefined ? this.#owner.mayBegin : body.isWanted;
  }

  // Takes a piece of a body or a head, or discards anything else.
  #takeNext(): void {
    if (this.#incoming !== undefined) {
      this.#takeBody(this.#incoming);
      return;
    }
    if (this.#owner.isLast) {
      this.#discardedBytes += this.#unreadBytes;
      this.#at = this.#bytes.length;
      return;
    }
    const head = this.#reader.read(this.#bytes, this.#at);
    if (head === undefined) {
      this.#at = this.#bytes.length;
      if (this.#reader.hasStarted) {
        this.#life.headStarted();
      }
      return;
    }
    this.#life.headEnded();
    this.#at = head.fault === undefined ? this.#reader.end : this.#bytes.length;
    this.#owner.begin(head);
  }

  // Takes as much of a body as has arrived and is wanted.
  #takeBody({ body }: ConnectionExchange): void {
    const framing = this.#framing;
    const push = (piece: Buffer): void => body?.push(copyOf(piece, 0, piece.length));
    while (framing !== undefined && body?.isWanted && this.#unreadBytes > 0 && !framing.isComplete && framing.fault === undefined) {
      this.#at = framing.take(this.#bytes, this.#at, push);
    }
    if (framing?.isComplete) {
      this.#endBody();
      body?.end();
    } else if (framing?.fault !== undefined) {
      this.#owner.stopServing();
      this.#failBody(new TransportError(framing.fault));
    }
  }

  #failBody(failure?: TransportError): void {
    const body = this.#incoming?.body;
    this.#endBody();
    body?.fail(failure);
  }

  #endBody(): void {
    this.#incoming = undefined;
    this.#framing = undefined;
    this.#life.inputEnded();
  }

  #pauseOrResume(): void {
    const mayRead = this.#mayRead;
    if (mayRead === this.#isPaused) {
      this.#isPaused = !mayRead;
      if (mayRead) {
        this.#socketInput.resume();
      } else {
        this.#socketInput.pause();
      }
    }
  }

  get #mayRead(): boolean {
    const body = this.#incoming?.body;
    if (body !== undefined) {
      // Once the whole body has arrived, what follows belongs to the next request.
      const hasArrived = this.#framing?.endsWithin(this.#unreadBytes) ?? false;
      return body.isWanted || (hasArrived && this.#unreadBytes <= UNREAD_BYTES_MAX);
    }
    return this.#owner.mayBegin && (!this.#owner.isLast || this.#discardedBytes <= LINGER_BYTES_MAX);
  }
}

// How a request body is delimited within the bytes of its connection. https://www.rfc-editor.org/rfc/rfc9112#section-6
export interface BodyFraming {
  /** True once the whole body has been taken. */
  readonly isComplete: boolean;
  /** What is wrong with the body; undefined if nothing is. After a fault, nothing more can be taken. */
  readonly fault: TransportFault | undefined;
  /** Whether the rest of the body is known to be at most this long. */
  endsWithin(bytes: number): boolean;
  /**
   * Takes bytes of the body, starting at `from`, up to the end of one piece of data, and passes that piece on. Returns where it stopped: at
   * `bytes.length`, after a piece, at the end of the body, or at a fault.
   */
  take(bytes: Buffer, from: number, onPiece: (piece: Buffer) => void): number;
}
