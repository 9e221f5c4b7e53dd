// Limits the memory of responses that their peers do not read. Node holds a response until the peer makes room, which may be never: an
// HTTP/2 peer that never opens its window keeps its streams open, and needs no API key to do so. So 64 KiB of each response, or the rest of
// it, must be sent within the stall timeout, and the unread bytes are limited per connection and per listener. Above the listener's limit,
// connections of the address with the most unread bytes are cut, the longest stalled first, so that slow readers do not harm others.
import type { Socket } from "node:net";
import type { Clock } from "./clock.ts";
import type { ServerLimits } from "./limits.ts";
import type { Log } from "./log.ts";

/** How much memory Node holds for an unfinished HTTP/2 request besides the bytes of its response. */
export const UNSENT_RESPONSE_OVERHEAD_BYTES = 6 * 1024;

const LOG_EVERY_MS = 1000;

/** How much of a response must be sent within the stall timeout, so that a peer that reads byte by byte cannot hold the rest. */
const READ_BYTES_MIN = 64 * 1024;

/** The share of a limit above which new responses wait until some bytes have been sent. */
const FULL_PART = 1 / 2;

/** An address, with the unread bytes on all its connections. */
interface Holder {
  unsentBytes: number;
}

/** One connection, and its unread responses. */
export class UnsentOfConnection {
  readonly socket: Socket;
  readonly holder: Holder;
  bytes = 0;
  readonly #all: UnsentResponses;
  // Created for the first waiting response: most connections never need it.
  #responses: Set<UnsentResponse> | undefined;
  // Callers that are waiting for room, in order.
  #waitingForRoom: (() => void)[] | undefined;
  #isWakingDue = false;

  /** Without a `holder`, only the limits of the connection apply to it. */
  constructor(socket: Socket, all: UnsentResponses, holder: Holder | undefined) {
    this.socket = socket;
    this.holder = holder ?? { unsentBytes: 0 };
    this.#all = all;
  }

  /**
   * Waits for room for one more response, behind earlier callers; undefined if there is room. Never settles if the connection
   * closes.
   */
  whenRoom(): Promise<void> | undefined {
    if (this.#waitingForRoom === undefined && this.hasRoom) {
      return undefined;
    }
    this.#waitingForRoom ??= [];
    const waiting = this.#waitingForRoom;
    return new Promise((resolve) => waiting.push(resolve));
  }

  wakeIfRoom(): void {
    if (this.#waitingForRoom !== undefined && !this.#isWakingDue && this.hasRoom) {
      this.#isWakingDue = true;
      setImmediate(() => this.#wake());
    }
  }

  /** Whether one more response may be made. */
  get hasRoom(): boolean {
    const { limits, bytes } = this.#all;
    return (
      this.bytes === 0 ||
      (this.bytes <= FULL_PART * limits.unsentBytesPerConnectionMax && bytes <= FULL_PART * limits.unsentBytesMax)
    );
  }

  // Wakes one caller per turn, so that its response is counted before the next caller checks for room.
  #wake(): void {
    this.#isWakingDue = false;
    if (this.hasRoom) {
      this.#waitingForRoom?.shift()?.();
    }
    if (this.#waitingForRoom?.length === 0) {
      this.#waitingForRoom = undefined;
    }
    this.wakeIfRoom();
  }

  /** Adds a response that has to wait. */
  add(response: UnsentResponse): void {
    this.#responses ??= new Set();
    this.#responses.add(response);
  }

  /** Removes a response that no longer has to wait. */
  delete(response: UnsentResponse): void {
    this.#responses?.delete(response);
  }

  /** Closes the connection and drops its responses, which end a little later. */
  disconnect(): void {
    this.socket.destroy();
    for (const response of this.#responses ?? []) {
      response.end();
    }
  }
}

interface UnsentResponsesOptions {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly log: Log;
}

/** All unread responses of one listener. */
export class UnsentResponses {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly #log: Log;
  /** The longest stalled first. */
  readonly #waiting = new Set<UnsentResponse>();
  /** How many bytes are unread, including overhead. */
  bytes = 0;
  #connectionsCut = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ limits, clock, log }: UnsentResponsesOptions) {
    this.limits = limits;
    this.clock = clock;
    this.#log = log;
  }

  /** Moves a response to the end of the order, because it has made progress. */
  moveToEnd(response: UnsentResponse): void {
    this.#waiting.delete(response);
    this.#waiting.add(response);
  }

  /** Counts more bytes, and cuts connections if the total is over the limit. */
  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.limits.unsentBytesMax) {
      this.#makeRoom();
    }
  }

  subtract(bytes: number): void {
    this.bytes -= bytes;
  }

  forget(response: UnsentResponse): void {
    this.#waiting.delete(response);
  }

  #makeRoom(): void {
    let connection = this.#nextToCut();
    while (connection !== undefined && this.bytes > this.limits.unsentBytesMax) {
      connection.disconnect();
      this.#connectionsCut += 1;
      connection = this.#nextToCut();
    }
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#loggedAtMs >= LOG_EVERY_MS) {
      this.#loggedAtMs = nowMs;
      this.#log.warn(
        { connections: this.#connectionsCut },
        "too many responses are unread; cutting connections from the addresses with the most unread bytes",
      );
      this.#connectionsCut = 0;
    }
  }

  // Each connection that is cut has cost its peer a connection and a request, so a search through all of them is affordable.
  #nextToCut(): UnsentOfConnection | undefined {
    let next: UnsentOfConnection | undefined;
    for (const { connection } of this.#waiting) {
      if (next === undefined || connection.holder.unsentBytes > next.holder.unsentBytes) {
        next = connection;
      }
    }
    return next;
  }
}

export class UnsentResponse {
  readonly connection: UnsentOfConnection;
  readonly #all: UnsentResponses;
  readonly #onStall: () => void;
  #bytes = 0;
  #isWaiting = false;
  #isLast = false;
  #hasEnded = false;
  #progressAtMs = 0;
  // How many bytes have been sent since progress was last noted.
  #sentBytes = 0;
  #cancelTimer = (): void => {};

  /** `onStall` is called when nothing has been sent for the stall timeout, and again if that continues. */
  constructor(all: UnsentResponses, connection: UnsentOfConnection, onStall: () => void) {
    this.#all = all;
    this.connection = connection;
    this.#onStall = onStall;
  }

  /** Counts these bytes as unread. Returns false if the connection's limit is exceeded; they must not be sent then. */
  wait(bytes: number): boolean {
    if (this.#hasEnded) {
      return true;
    }
    const { connection } = this;
    const { limits, clock } = this.#all;
    if (connection.bytes > 0 && connection.bytes + bytes > limits.unsentBytesPerConnectionMax) {
      return false;
    }
    let counted = bytes;
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      counted += UNSENT_RESPONSE_OVERHEAD_BYTES;
      this.#noteProgress();
      connection.add(this);
      this.#cancelTimer = clock.after(limits.stallTimeoutMs, () => this.#check());
    }
    this.#bytes += counted;
    connection.bytes += counted;
    connection.holder.unsentBytes += counted;
    this.#all.add(counted);
    return true;
  }

  /** Called when `bytes` have been sent. `released` bytes no longer count as unread: a piece is held until all of it was sent. */
  sent(bytes: number, released = bytes): void {
    if (!this.#isWaiting) {
      return;
    }
    this.#subtract(released);
    if (this.#bytes <= UNSENT_RESPONSE_OVERHEAD_BYTES && !this.#isLast) {
      this.#stopWaiting();
      return;
    }
    this.#sentBytes += bytes;
    if (this.#sentBytes >= READ_BYTES_MIN) {
      this.#noteProgress();
    }
  }

  /** Counts the last bytes as unread until `end`. Returns false as `wait` does. */
  waitForEnd(bytes: number): boolean {
    this.#isLast = true;
    return this.wait(bytes);
  }

  /** Called when everything has been sent, or will not be sent. */
  end(): void {
    this.#hasEnded = true;
    if (this.#isWaiting) {
      this.#stopWaiting();
    }
  }

  #noteProgress(): void {
    this.#progressAtMs = this.#all.clock.monotonicMs();
    this.#sentBytes = 0;
    this.#all.moveToEnd(this);
  }

  #stopWaiting(): void {
    this.#isWaiting = false;
    this.#cancelTimer();
    this.#subtract(this.#bytes);
    this.#all.forget(this);
    this.connection.delete(this);
  }

  #subtract(bytes: number): void {
    this.#bytes -= bytes;
    this.connection.bytes -= bytes;
    this.connection.holder.unsentBytes -= bytes;
    this.#all.subtract(bytes);
    this.connection.wakeIfRoom();
  }

  // There is one timer, which is set again if it fires too early, so that it need not be reset for every piece.
  #check(): void {
    const { clock, limits } = this.#all;
    const leftMs = this.#progressAtMs + limits.stallTimeoutMs - clock.monotonicMs();
    if (leftMs <= 0) {
      this.#onStall();
    }
    if (this.#isWaiting) {
      this.#cancelTimer = clock.after(leftMs > 0 ? leftMs : limits.stallTimeoutMs, () => this.#check());
    }
  }
}
