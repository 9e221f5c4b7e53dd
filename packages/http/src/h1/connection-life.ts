// How long a connection may be silent: while a head arrives, while idle, while a response is in progress, and after it has ended.
import type { Clock } from "../clock.ts";
import type { ConnectionSlot } from "../connection-slots.ts";
import { LazyTimer } from "../lazy-timer.ts";
import type { ServerLimits } from "../limits.ts";
import { LINGER_MS, PEER_REACTION_MS } from "../linger.ts";

/** How much longer an idle connection stays open than the client was told, so that a request in the last second still arrives. */
export const IDLE_GRACE_MS = 1000;

/** The parts of a connection that its timing needs: the state that deadlines depend on, and the actions when they pass. */
export interface LifeOwner {
  /** Whether no exchange is in progress and a request would be served. */
  readonly isIdle: boolean;
  /** Whether any request is still waiting for the first byte of its response. */
  readonly isAwaited: boolean;
  /** Whether silence is a reason to cut the connection. */
  readonly mustBeActive: boolean;
  /** Called when a head that has started did not arrive in time. */
  endHead(): void;
  /** Closes the connection once everything written has been sent. */
  close(): void;
  disconnect(): void;
}

const NEVER = Number.POSITIVE_INFINITY;

export class ConnectionLife {
  readonly #owner: LifeOwner;
  readonly #clock: Clock;
  readonly #limits: ServerLimits;
  readonly #slot: ConnectionSlot;
  readonly #timer: LazyTimer;
  // When a byte was last received or sent, and when the connection became idle.
  #lastActivityMs: number;
  #idleSinceMs: number;
  #headBeganAtMs = NEVER;
  #retireAtMs = NEVER;
  #disconnectAtMs = NEVER;
  // When a peer that has ended its side and is still waiting for a response counts as disconnected.
  #goneAtMs = NEVER;

  constructor(owner: LifeOwner, clock: Clock, limits: ServerLimits, slot: ConnectionSlot) {
    this.#owner = owner;
    this.#clock = clock;
    this.#limits = limits;
    this.#slot = slot;
    this.#timer = new LazyTimer(clock, () => this.#check());
    this.#lastActivityMs = clock.monotonicMs();
    this.#idleSinceMs = this.#lastActivityMs;
    this.#timer.fireBy(this.#idleUntilMs);
  }

  /** Whether the connection will be cut soon, whatever happens on it. */
  get isClosingSoon(): boolean {
    return this.#disconnectAtMs !== NEVER;
  }

  /** Called when a byte has arrived or a response has been sent. */
  noteActivity(): void {
    this.#lastActivityMs = this.#clock.monotonicMs();
  }

  /** Called when a request is in progress. */
  markBusy(): void {
    this.#slot.markBusy();
    this.#timer.fireBy(this.#lastActivityMs + this.#limits.stallTimeoutMs);
  }

  /** Called when the last response has been sent. */
  markIdle(): void {
    this.#idleSinceMs = this.#lastActivityMs;
    this.#timer.fireBy(this.#idleUntilMs);
    this.#slot.markIdle();
  }

  /** Called when part of a head has arrived. */
  headStarted(): void {
    if (this.#headBeganAtMs === NEVER) {
      this.#headBeganAtMs = this.#lastActivityMs;
      this.#timer.fireBy(this.#lastActivityMs + this.#limits.headerTimeoutMs);
    }
  }

  /** Called when the whole head has arrived. */
  headEnded(): void {
    this.#headBeganAtMs = NEVER;
  }

  /** Called when the rest of the input is discarded. It must end within a short time. */
  closeSoon(): void {
    this.#disconnectAtMs = this.#clock.monotonicMs() + LINGER_MS;
    this.#timer.fireBy(this.#disconnectAtMs);
  }

  /** Called when the input has ended in time. */
  inputEnded(): void {
    this.#disconnectAtMs = NEVER;
  }

  /** Called when the peer has ended its side. It may still be waiting for a response, or may have disconnected. */
  peerEnded(): void {
    this.#goneAtMs = this.#clock.monotonicMs() + PEER_REACTION_MS;
    this.#timer.fireBy(this.#goneAtMs);
  }

  /** Closes the connection if it is still idle after its peer has had time to react. */
  retire(): void {
    this.#retireAtMs = this.#clock.monotonicMs() + PEER_REACTION_MS;
    this.#check();
  }

  end(): void {
    this.#timer.cancel();
  }

  get #idleUntilMs(): number {
    return Math.min(this.#retireAtMs, this.#idleSinceMs + this.#limits.idleTimeoutMs + IDLE_GRACE_MS);
  }

  // Acts on deadlines that have passed, and schedules the next check.
  #check(): void {
    const nowMs = this.#clock.monotonicMs();
    const { isIdle, isAwaited, mustBeActive } = this.#owner;
    const headUntilMs = this.#headBeganAtMs + this.#limits.headerTimeoutMs;
    const disconnectAtMs = Math.min(
      this.#disconnectAtMs,
      isAwaited ? this.#goneAtMs : NEVER,
      mustBeActive ? this.#lastActivityMs + this.#limits.stallTimeoutMs : NEVER,
    );
    const idleUntilMs = isIdle && headUntilMs === NEVER ? this.#idleUntilMs : NEVER;
    if (disconnectAtMs <= nowMs) {
      this.#owner.disconnect();
    } else if (headUntilMs <= nowMs) {
      this.headEnded();
      this.#owner.endHead();
    } else if (idleUntilMs <= nowMs) {
      this.#owner.close();
    } else {
      this.#timer.fireBy(Math.min(disconnectAtMs, headUntilMs, idleUntilMs));
    }
  }
}
