// Bounds the memory of answers that their peers have not read. Node holds an answer until its peer makes room for it, which may be never: over
// HTTP/2 a peer that opens no window keeps its streams, and needs no key for it. So some bytes of each answer must leave within the stall
// time, and the bytes that wait are limited, on each connection and on the listener. Above the listener's limit the connections that have
// read nothing for longest are cut.
import type { Socket } from "node:net";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ServerLimits } from "./limits.ts";

/** What Node holds for a request that is not over, beside its answer's bytes, as measured over HTTP/2. */
export const UNSENT_ANSWER_OVERHEAD_BYTES = 6 * 1024;

const LOG_EVERY_MS = 1000;

/** One connection, and what waits on it. */
export class UnsentOfConnection {
  readonly socket: Socket;
  readonly answers = new Set<UnsentAnswer>();
  bytes = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Closes the connection and lets go of its answers, which end a little later. */
  cut(): void {
    this.socket.destroy();
    for (const answer of this.answers) {
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
  #bytes = 0;
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
    this.#bytes += bytes;
    if (this.#bytes > this.limits.unsentBytesMax) {
      this.#makeRoom();
    }
  }

  subtract(bytes: number): void {
    this.#bytes -= bytes;
  }

  forget(answer: UnsentAnswer): void {
    this.#waiting.delete(answer);
  }

  #makeRoom(): void {
    for (const { connection } of this.#waiting) {
      if (this.#bytes <= this.limits.unsentBytesMax) {
        break;
      }
      connection.cut();
      this.#connectionsCut += 1;
    }
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#loggedAtMs >= LOG_EVERY_MS) {
      this.#loggedAtMs = nowMs;
      this.#log.warn(
        { connections: this.#connectionsCut },
        "too many answers wait to be read: the connections that read least are cut",
      );
      this.#connectionsCut = 0;
    }
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
      this.#movedAtMs = clock.monotonicMs();
      this.#all.moved(this);
      connection.answers.add(this);
      this.#cancelTimer = clock.after(limits.stallTimeoutMs, () => this.#look());
    }
    this.#bytes += counted;
    connection.bytes += counted;
    this.#all.add(counted);
    return true;
  }

  /** This many bytes have left. */
  left(bytes: number): void {
    if (!this.#isWaiting) {
      return;
    }
    this.#subtract(bytes);
    if (this.#bytes <= UNSENT_ANSWER_OVERHEAD_BYTES && !this.#isLast) {
      this.#rest();
    } else {
      this.#movedAtMs = this.#all.clock.monotonicMs();
      this.#all.moved(this);
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

  #rest(): void {
    this.#isWaiting = false;
    this.#cancelTimer();
    this.#subtract(this.#bytes);
    this.#all.forget(this);
    this.connection.answers.delete(this);
  }

  #subtract(bytes: number): void {
    this.#bytes -= bytes;
    this.connection.bytes -= bytes;
    this.#all.subtract(bytes);
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
