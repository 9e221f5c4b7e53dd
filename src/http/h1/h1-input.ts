// What comes in on a connection: heads and bodies one after the other, each taken when it is wanted and no sooner. What is not wanted yet
// waits unread. https://www.rfc-editor.org/rfc/rfc9112#section-9.3
import type { Socket } from "node:net";
import type { ServerLimits } from "../limits.ts";
import { DISMISSED_BYTES_MAX, LINGER_BYTES_MAX } from "../linger.ts";
import { copyOf } from "../socket-bytes.ts";
import { TransportError, type TransportFault } from "../transport-fault.ts";
import type { BodyFraming } from "./body-framing.ts";
import type { CarriedExchange } from "./carrier.ts";
import { ChunkedBody } from "./chunked-body.ts";
import type { ConnectionLife } from "./connection-life.ts";
import { HeadReader, type RequestHead } from "./head-reader.ts";
import type { HeaderBlock } from "./header-block.ts";
import type { HeaderBlocks } from "./header-blocks.ts";
import { LengthBody } from "./length-body.ts";

/** What becomes of that which comes in. */
export interface InputOwner {
  /** No further request is served: what still comes is thrown away. */
  readonly isLast: boolean;
  /** Another request may come, or what comes is thrown away. */
  readonly mayBegin: boolean;
  /** A head has come. Where it has a body, `expectBody` is to be called before this returns. */
  begin(head: RequestHead): void;
  /** Nobody can tell where the next request begins. */
  serveNoMore(): void;
  /** Writes the answers that there are. False where that has brought about more to write. */
  flushAnswers(): boolean;
}

/** What may have been read and wait behind a body that nobody has asked for yet. */
const UNREAD_BYTES_MAX = 16 * 1024;

const NOTHING = Buffer.alloc(0);

/** The receiving side of one connection. */
export class H1Input {
  readonly #owner: InputOwner;
  readonly #socket: Socket;
  readonly #life: ConnectionLife;
  readonly #reader: HeadReader;
  // What has been read and not been taken, from `#at` on.
  #bytes: Buffer = NOTHING;
  #at = 0;
  #isTaking = false;
  #isPaused = false;
  // The exchange whose body has not come whole, and how it is framed.
  #incoming: CarriedExchange | undefined;
  #framing: BodyFraming | undefined;
  #discardedBytes = 0;

  constructor(owner: InputOwner, socket: Socket, life: ConnectionLife, limits: ServerLimits, blocks: HeaderBlocks) {
    this.#owner = owner;
    this.#socket = socket;
    this.#life = life;
    this.#reader = new HeadReader(limits, blocks);
  }

  /** Something is being taken: what is answered meanwhile is written at the end of it. */
  get isTaking(): boolean {
    return this.#isTaking;
  }

  /** Part of a head has come. */
  get hasHeadBegun(): boolean {
    return this.#reader.hasBegun;
  }

  /** Not all of a body has come. */
  get isBodyMissing(): boolean {
    return this.#framing !== undefined && !this.#framing.endsWithin(this.#unreadBytes);
  }

  /** Bytes have come, which are lent: what is not taken now is copied. */
  receive(bytes: Buffer): void {
    this.#bytes = this.#unreadBytes === 0 ? bytes : Buffer.concat([this.#bytes.subarray(this.#at), bytes]);
    this.#at = 0;
    this.take();
    if (this.#bytes === bytes) {
      this.#bytes = copyOf(this.#bytes, this.#at, this.#bytes.length);
      this.#at = 0;
    }
  }

  /** The head that has begun will not be read to its end. */
  giveUpHead(fault: TransportFault): void {
    this.#owner.begin(this.#reader.giveUp(fault));
  }

  /** What follows is the body of this exchange. */
  expectBody(exchange: CarriedExchange, body: HeaderBlock["body"]): void {
    this.#incoming = exchange;
    this.#framing = body === "chunked" ? new ChunkedBody() : new LengthBody(body);
  }

  /** Somebody wants to read this exchange's body. */
  readBody(exchange: CarriedExchange): void {
    if (this.#incoming !== exchange) {
      return;
    }
    if (this.#isTaking) {
      this.#takeBody(exchange);
    } else {
      this.take();
    }
  }

  /** Takes what has come of a body that nobody reads, and answers whether that was all of it. */
  skipBody(exchange: CarriedExchange): boolean {
    if (this.#incoming === exchange && !exchange.body?.isWanted) {
      // The reading goes no further than this body.
      const wasTaking = this.#isTaking;
      this.#isTaking = true;
      exchange.body?.discard(this.#unreadBytes);
      this.#isTaking = wasTaking;
    }
    return this.#incoming !== exchange;
  }

  /** Lets in as much of a body as is decent, because it is in the way of the next request. */
  dismissBody(exchange: CarriedExchange): void {
    if (this.#incoming === exchange && !this.#life.isDoomed) {
      this.#life.doom();
      exchange.body?.discard(DISMISSED_BYTES_MAX);
    }
  }

  /** Gives up the body that has not come whole, and throws away what has been read. */
  close(): void {
    this.#incoming?.body?.fail();
    this.#endBody();
    this.take();
  }

  /** Takes what has been read, as far as it is wanted now. */
  take(): void {
    if (this.#isTaking) {
      return;
    }
    this.#isTaking = true;
    let isAllWritten: boolean;
    do {
      while (this.#unreadBytes > 0 && this.#mayTake) {
        this.#takeNext();
      }
      isAllWritten = this.#owner.flushAnswers();
      // What has left may have made room for more.
    } while ((this.#unreadBytes > 0 && this.#mayTake) || !isAllWritten);
    this.#isTaking = false;
    if (this.#unreadBytes === 0) {
      this.#bytes = NOTHING;
      this.#at = 0;
    }
    this.#pauseOrResume();
  }

  /** The same, where something has changed for what was read before. */
  takeRest(): void {
    if (this.#unreadBytes > 0 || this.#isPaused) {
      this.take();
    }
  }

  get #unreadBytes(): number {
    return this.#bytes.length - this.#at;
  }

  get #mayTake(): boolean {
    const body = this.#incoming?.body;
    return body === undefined ? this.#owner.mayBegin : body.isWanted;
  }

  // Takes a piece of a body, or a head, or throws away what is neither.
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
      if (this.#reader.hasBegun) {
        this.#life.headBegan();
      }
      return;
    }
    this.#life.headEnded();
    this.#at = head.fault === undefined ? this.#reader.end : this.#bytes.length;
    this.#owner.begin(head);
  }

  // Takes what there is of a body, as far as it is wanted.
  #takeBody({ body }: CarriedExchange): void {
    const framing = this.#framing;
    const push = (piece: Buffer): void => body?.push(copyOf(piece, 0, piece.length));
    while (framing !== undefined && body?.isWanted && this.#unreadBytes > 0 && !framing.isComplete && framing.fault === undefined) {
      this.#at = framing.take(this.#bytes, this.#at, push);
    }
    if (framing?.isComplete) {
      this.#endBody();
      body?.end();
    } else if (framing?.fault !== undefined) {
      this.#owner.serveNoMore();
      this.#endBody();
      body?.fail(new TransportError(framing.fault));
    }
  }

  #endBody(): void {
    this.#incoming = undefined;
    this.#framing = undefined;
    this.#life.pardon();
  }

  #pauseOrResume(): void {
    const mayRead = this.#mayRead;
    if (mayRead === this.#isPaused) {
      this.#isPaused = !mayRead;
      if (mayRead) {
        this.#socket.resume();
      } else {
        this.#socket.pause();
      }
    }
  }

  get #mayRead(): boolean {
    const body = this.#incoming?.body;
    if (body !== undefined) {
      // Where all of it has come, what follows it is no part of it.
      const hasCome = this.#framing?.endsWithin(this.#unreadBytes) ?? false;
      return body.isWanted || (hasCome && this.#unreadBytes <= UNREAD_BYTES_MAX);
    }
    return this.#owner.mayBegin && (!this.#owner.isLast || this.#discardedBytes <= LINGER_BYTES_MAX);
  }
}
