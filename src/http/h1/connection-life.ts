// How long a connection may be silent: while a head comes, while nothing is asked for, while an answer is under way, and after its end.
import type { Clock } from "../../runtime/clock.ts";
import type { ConnectionPlace } from "../connection-places.ts";
import { LazyAlarm } from "../lazy-alarm.ts";
import type { ServerLimits } from "../limits.ts";
import { FAREWELL_MS, LINGER_MS } from "../linger.ts";

/** A caller that is told for how many seconds its connection is kept may use it in the last of them. */
export const IDLE_GRACE_MS = 1000;

/** What depends on the time, and what becomes of it. */
export interface LifeOwner {
  /** No exchange is under way, and a request would be served. */
  readonly isIdle: boolean;
  /** A request has got no part of its answer. */
  readonly isAwaited: boolean;
  /** Silence is a reason to cut the connection. */
  readonly mustMove: boolean;
  /** The head that has begun did not come in time. */
  endHead(): void;
  /** Closes the connection, when what was written has left. */
  close(): void;
  /** Closes it at once. */
  cut(): void;
}

const NEVER = Number.POSITIVE_INFINITY;

/** The deadlines of one connection. */
export class ConnectionLife {
  readonly #owner: LifeOwner;
  readonly #clock: Clock;
  readonly #limits: ServerLimits;
  readonly #place: ConnectionPlace;
  readonly #alarm: LazyAlarm;
  // When a byte came or left last, and since when nothing is under way.
  #movedAtMs: number;
  #quietSinceMs: number;
  #headBeganAtMs = NEVER;
  #retireAtMs = NEVER;
  #cutAtMs = NEVER;
  // From then on who still waits for an answer is taken for gone.
  #goneAtMs = NEVER;

  constructor(owner: LifeOwner, clock: Clock, limits: ServerLimits, place: ConnectionPlace) {
    this.#owner = owner;
    this.#clock = clock;
    this.#limits = limits;
    this.#place = place;
    this.#alarm = new LazyAlarm(clock, () => this.#look());
    this.#movedAtMs = clock.monotonicMs();
    this.#quietSinceMs = this.#movedAtMs;
    this.#alarm.wakeBy(this.#idleUntilMs);
  }

  /** Whether the connection is cut soon, whatever it does. */
  get isDoomed(): boolean {
    return this.#cutAtMs !== NEVER;
  }

  /** A byte has come, or an answer has left. */
  moved(): void {
    this.#movedAtMs = this.#clock.monotonicMs();
  }

  /** A request is under way. */
  busy(): void {
    this.#place.busy();
    this.#alarm.wakeBy(this.#movedAtMs + this.#limits.stallTimeoutMs);
  }

  /** The last answer has left, just now. */
  quiet(): void {
    this.#quietSinceMs = this.#movedAtMs;
    this.#alarm.wakeBy(this.#idleUntilMs);
    this.#place.quiet();
  }

  /** Part of a head has come. */
  headBegan(): void {
    if (this.#headBeganAtMs === NEVER) {
      this.#headBeganAtMs = this.#movedAtMs;
      this.#alarm.wakeBy(this.#movedAtMs + this.#limits.headerTimeoutMs);
    }
  }

  /** All of it has come. */
  headEnded(): void {
    this.#headBeganAtMs = NEVER;
  }

  /** What still comes is thrown away, and has so long to end. */
  doom(): void {
    this.#cutAtMs = this.#clock.monotonicMs() + LINGER_MS;
    this.#alarm.wakeBy(this.#cutAtMs);
  }

  /** It has ended in time. */
  pardon(): void {
    this.#cutAtMs = NEVER;
  }

  /** The peer sends no more, and waits for an answer, or is gone. */
  peerEnded(): void {
    this.#goneAtMs = this.#clock.monotonicMs() + FAREWELL_MS;
    this.#alarm.wakeBy(this.#goneAtMs);
  }

  /** Closes the connection if it is idle when its peer has had the time to take note. */
  retire(): void {
    this.#retireAtMs = this.#clock.monotonicMs() + FAREWELL_MS;
    this.#look();
  }

  /** The connection is closed. */
  end(): void {
    this.#alarm.cancel();
  }

  get #idleUntilMs(): number {
    return Math.min(this.#retireAtMs, this.#quietSinceMs + this.#limits.idleTimeoutMs + IDLE_GRACE_MS);
  }

  // Looks what is due, and when to look again.
  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    const { isIdle, isAwaited, mustMove } = this.#owner;
    const headUntilMs = this.#headBeganAtMs + this.#limits.headerTimeoutMs;
    const cutAtMs = Math.min(
      this.#cutAtMs,
      isAwaited ? this.#goneAtMs : NEVER,
      mustMove ? this.#movedAtMs + this.#limits.stallTimeoutMs : NEVER,
    );
    const idleUntilMs = isIdle && headUntilMs === NEVER ? this.#idleUntilMs : NEVER;
    if (cutAtMs <= nowMs) {
      this.#owner.cut();
    } else if (headUntilMs <= nowMs) {
      this.headEnded();
      this.#owner.endHead();
    } else if (idleUntilMs <= nowMs) {
      this.#owner.close();
    } else {
      this.#alarm.wakeBy(Math.min(cutAtMs, headUntilMs, idleUntilMs));
    }
  }
}
