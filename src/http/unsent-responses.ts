// Bounds the memory of answers that their peers have not read. Node holds an answer until its peer makes room for it, which may be never: over
// HTTP/2 a peer that opens no window keeps its streams, and needs no key for it. So of each answer 64 KiB must leave within the stall
// time, or all that is left of it, and the bytes that wait are limited, on each connection and on the listener. Above the listener's limit
// connections are cut of the address that holds most, so that no slow reader pays for another: those that have read nothing for longest.
import type { Socket } from "node:net";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ServerLimits } from "./limits.ts";

/** What Node holds for a request that is not over, beside its answer's bytes, as measured over HTTP/2. */
export const UNSENT_ANSWER_OVERHEAD_BYTES = 6 * 1024;

const LOG_EVERY_MS = 1000;

/** What must leave of an answer within the stall time. Who takes it octet by octet holds the rest no longer. */
const READ_BYTES_MIN = 64 * 1024;

/** Of what may wait on a connection and in all, the part from which on further answers are not made before some of it has left. */
const FULL_PART = 1 / 2;

/** Who holds answers on all connections of an address. */
interface Holder {
  unsentBytes: number;
}

/** One connection, and what waits on it. */
export class UnsentOfConnection {
  readonly socket: Socket;
  readonly holder: Holder;
  bytes = 0;
  readonly #all: UnsentAnswers;
  // Made for the first: most connections never need one.
  #answers: Set<UnsentAnswer> | undefined;
  // Those that would make an answer, in their order.
  #waitingForRoom: (() => void)[] | undefined;
  #isWakingDue = false;

  /** Without a `holder` it is held to account alone. */
  constructor(socket: Socket, all: UnsentAnswers, holder: Holder | undefined) {
    this.socket = socket;
    this.holder = holder ?? { unsentBytes: 0 };
    this.#all = all;
  }

  /**
   * Waits for room for one more answer, behind those that wait already; undefined where there is some. Where the connection closes it is
   * never settled.
   */
  whenRoom(): Promise<void> | undefined {
    if (this.#waitingForRoom === undefined && this.hasRoom) {
      return undefined;
    }
    this.#waitingForRoom ??= [];
    const waiting = this.#waitingForRoom;
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** Some bytes have left. */
  left(): void {
    if (this.#waitingForRoom !== undefined && !this.#isWakingDue && this.hasRoom) {
      this.#isWakingDue = true;
      setImmediate(() => this.#wake());
    }
  }

  /** Whether one more answer may be made. */
  get hasRoom(): boolean {
    const { limits, bytes } = this.#all;
    return (
      this.bytes === 0 ||
      (this.bytes <= FULL_PART * limits.unsentBytesPerConnectionMax && bytes <= FULL_PART * limits.unsentBytesMax)
    );
  }

  // One a turn, which has made its answer when the next one looks.
  #wake(): void {
    this.#isWakingDue = false;
    if (this.hasRoom) {
      this.#waitingForRoom?.shift()?.();
    }
    if (this.#waitingForRoom?.length === 0) {
      this.#waitingForRoom = undefined;
    }
    this.left();
  }

  /** An answer waits to be read. */
  add(answer: UnsentAnswer): void {
    this.#answers ??= new Set();
    this.#answers.add(answer);
  }

  /** It waits no more. */
  delete(answer: UnsentAnswer): void {
    this.#answers?.delete(answer);
  }

  /** Closes the connection and lets go of its answers, which end a little later. */
  cut(): void {
    this.socket.destroy();
    for (const answer of this.#answers ?? []) {
      answer.end();
    }
  }
}

/** What an answer's bookkeeping works with. */
interface UnsentAnswersOptions {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly log: Log;
}

/** All answers of one listener that wait to be read. */
export class UnsentAnswers {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly #log: Log;
  /** The one that nothing has left of for longest is first. */
  readonly #waiting = new Set<UnsentAnswer>();
  /** Bytes that wait, with what is held beside them. */
  bytes = 0;
  #connectionsCut = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ limits, clock, log }: UnsentAnswersOptions) {
    this.limits = limits;
    this.clock = clock;
    this.#log = log;
  }

  /** Puts an answer last. */
  moved(answer: UnsentAnswer): void {
    this.#waiting.delete(answer);
    this.#waiting.add(answer);
  }

  /** Counts more bytes, and makes room where they are too many in all. */
  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.limits.unsentBytesMax) {
      this.#makeRoom();
    }
  }

  subtract(bytes: number): void {
    this.bytes -= bytes;
  }

  forget(answer: UnsentAnswer): void {
    this.#waiting.delete(answer);
  }

  #makeRoom(): void {
    let connection = this.#nextToCut();
    while (connection !== undefined && this.bytes > this.limits.unsentBytesMax) {
      connection.cut();
      this.#connectionsCut += 1;
      connection = this.#nextToCut();
    }
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#loggedAtMs >= LOG_EVERY_MS) {
      this.#loggedAtMs = nowMs;
      this.#log.warn(
        { connections: this.#connectionsCut },
        "too many answers wait to be read: connections are cut of the addresses that hold most",
      );
      this.#connectionsCut = 0;
    }
  }

  // Each that is cut has cost its peer a connection and a request, so there is time for a look at all.
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

/** One answer on its way. */
export class UnsentAnswer {
  readonly connection: UnsentOfConnection;
  readonly #all: UnsentAnswers;
  readonly #onStall: () => void;
  #bytes = 0;
  #isWaiting = false;
  #isLast = false;
  #hasEnded = false;
  #movedAtMs = 0;
  // Since then.
  #leftBytes = 0;
  #cancelTimer = (): void => {};

  /** `onStall` is called when nothing has left for the stall time; more than once where it goes on. */
  constructor(all: UnsentAnswers, connection: UnsentOfConnection, onStall: () => void) {
    this.#all = all;
    this.connection = connection;
    this.#onStall = onStall;
  }

  /** Counts these bytes as waiting from now on. False when that is more than may wait on the connection: then they must not be sent. */
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
      counted += UNSENT_ANSWER_OVERHEAD_BYTES;
      this.#moved();
      connection.add(this);
      this.#cancelTimer = clock.after(limits.stallTimeoutMs, () => this.#look());
    }
    this.#bytes += counted;
    connection.bytes += counted;
    connection.holder.unsentBytes += counted;
    this.#all.add(counted);
    return true;
  }

  /** This many bytes have left, and so many do not wait any more: a piece is held until all of it has left. */
  left(bytes: number, released = bytes): void {
    if (!this.#isWaiting) {
      return;
    }
    this.#subtract(released);
    if (this.#bytes <= UNSENT_ANSWER_OVERHEAD_BYTES && !this.#isLast) {
      this.#rest();
      return;
    }
    this.#leftBytes += bytes;
    if (this.#leftBytes >= READ_BYTES_MIN) {
      this.#moved();
    }
  }

  /** What comes now is the last of it, and waits until `end`. False as with `wait`. */
  waitForEnd(bytes: number): boolean {
    this.#isLast = true;
    return this.wait(bytes);
  }

  /** All of it has left, or nobody waits for it any more. */
  end(): void {
    this.#hasEnded = true;
    if (this.#isWaiting) {
      this.#rest();
    }
  }

  #moved(): void {
    this.#movedAtMs = this.#all.clock.monotonicMs();
    this.#leftBytes = 0;
    this.#all.moved(this);
  }

  #rest(): void {
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
    this.connection.left();
  }

  // One timer, set again when it comes too early rather than moved with every piece.
  #look(): void {
    const { clock, limits } = this.#all;
    const leftMs = this.#movedAtMs + limits.stallTimeoutMs - clock.monotonicMs();
    if (leftMs <= 0) {
      this.#onStall();
    }
    if (this.#isWaiting) {
      this.#cancelTimer = clock.after(leftMs > 0 ? leftMs : limits.stallTimeoutMs, () => this.#look());
    }
  }
}
