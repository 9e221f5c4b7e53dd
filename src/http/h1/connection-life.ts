// How long a connection may be silent: while a head arrives, while idle, while a response is in progress, and after it has ended.
import type { Clock } from "../../runtime/clock.ts";
import type { ConnectionPlace } from "../connection-places.ts";
import { LazyAlarm } from "../lazy-alarm.ts";
import type { ServerLimits } from "../limits.ts";
import { LINGER_MS, PEER_REACTION_MS } from "../linger.ts";

/** A client that knows how many seconds its connection is kept open may use it in the last of them. */
export const IDLE_GRACE_MS = 1000;

/** What the timing depends on, and what it does. */
export interface LifeOwner {
  /** No exchange is in progress, and a request would be served. */
  readonly isIdle: boolean;
  /** Some request has no part of its response yet. */
  readonly isAwaited: boolean;
  /** Whether silence is a reason to cut the connection. */
  readonly mustBeActive: boolean;
  /** The head that has begun did not arrive in time. */
  endHead(): void;
  /** Closes the connection once everything written has left. */
  close(): void;
  cut(): void;
}

const NEVER = Number.POSITIVE_INFINITY;

export class ConnectionLife {
  readonly #owner: LifeOwner;
  readonly #clock: Clock;
  readonly #limits: ServerLimits;
  readonly #place: ConnectionPlace;
  readonly #alarm: LazyAlarm;
  // When a byte was last received or sent, and when the connection became idle.
  #lastActivityMs: number;
  #idleSinceMs: number;
  #headBeganAtMs = NEVER;
  #retireAtMs = NEVER;
  #cutAtMs = NEVER;
  // When a peer that has ended its side and still waits for a response counts as disconnected.
  #goneAtMs = NEVER;

  constructor(owner: LifeOwner, clock: Clock, limits: ServerLimits, place: ConnectionPlace) {
    this.#owner = owner;
    this.#clock = clock;
    this.#limits = limits;
    this.#place = place;
    this.#alarm = new LazyAlarm(clock, () => this.#check());
    this.#lastActivityMs = clock.monotonicMs();
    this.#idleSinceMs = this.#lastActivityMs;
    this.#alarm.wakeBy(this.#idleUntilMs);
  }

  /** Whether the connection is cut soon, whatever it does. */
  get isClosingSoon(): boolean {
    return this.#cutAtMs !== NEVER;
  }

  /** A byte has arrived, or a response has left. */
  noteActivity(): void {
    this.#lastActivityMs = this.#clock.monotonicMs();
  }

  /** A request is in progress. */
  busy(): void {
    this.#place.busy();
    this.#alarm.wakeBy(this.#lastActivityMs + this.#limits.stallTimeoutMs);
  }

  /** The last response has just left. */
  idle(): void {
    this.#idleSinceMs = this.#lastActivityMs;
    this.#alarm.wakeBy(this.#idleUntilMs);
    this.#place.idle();
  }

  /** Part of a head has arrived. */
  headBegan(): void {
    if (this.#headBeganAtMs === NEVER) {
      this.#headBeganAtMs = this.#lastActivityMs;
      this.#alarm.wakeBy(this.#lastActivityMs + this.#limits.headerTimeoutMs);
    }
  }

  /** The whole head has arrived. */
  headEnded(): void {
    this.#headBeganAtMs = NEVER;
  }

  /** The rest of the input is discarded, and must end within a short time. */
  closeSoon(): void {
    this.#cutAtMs = this.#clock.monotonicMs() + LINGER_MS;
    this.#alarm.wakeBy(this.#cutAtMs);
  }

  /** It has ended in time. */
  keep(): void {
    this.#cutAtMs = NEVER;
  }

  /** The peer has ended its side. It still waits for a response, or has disconnected. */
  peerEnded(): void {
    this.#goneAtMs = this.#clock.monotonicMs() + PEER_REACTION_MS;
    this.#alarm.wakeBy(this.#goneAtMs);
  }

  /** Closes the connection if it is still idle after its peer has had time to react. */
  retire(): void {
    this.#retireAtMs = this.#clock.monotonicMs() + PEER_REACTION_MS;
    this.#check();
  }

  end(): void {
    this.#alarm.cancel();
  }

  get #idleUntilMs(): number {
    return Math.min(this.#retireAtMs, this.#idleSinceMs + this.#limits.idleTimeoutMs + IDLE_GRACE_MS);
  }

  // Does what is due, and sets the next check.
  #check(): void {
    const nowMs = this.#clock.monotonicMs();
    const { isIdle, isAwaited, mustBeActive } = this.#owner;
    const headUntilMs = this.#headBeganAtMs + this.#limits.headerTimeoutMs;
    const cutAtMs = Math.min(
      this.#cutAtMs,
      isAwaited ? this.#goneAtMs : NEVER,
      mustBeActive ? this.#lastActivityMs + this.#limits.stallTimeoutMs : NEVER,
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
