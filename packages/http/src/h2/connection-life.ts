// How long a connection stays open and how it ends. When it has been idle too long or the listener drains, the peer is asked to
// stop sending requests, then told which stream is the last to be served, and then the connection closes.
// https://www.rfc-editor.org/rfc/rfc9113#section-6.8
import type { Clock } from "../clock.ts";
import type { ConnectionSlot } from "../connection-slots.ts";
import { LazyTimer } from "../lazy-timer.ts";
import { PEER_REACTION_MS } from "../linger.ts";

/** The actions of a connection when its time is over. */
export interface LifeOwner {
  /** Asks the peer to use another connection, without refusing anything yet, and sends a ping to learn when it has read this. */
  announceShutdown(): void;
  /** Tells the peer which stream is the last that is served. */
  announceLastStream(): void;
  /** Closes the connection once everything written has been sent. */
  close(): void;
  disconnect(): void;
}

/**
 * `serving`: normal. `leaving`: streams already on their way are still served. `last`: no further streams. `closing`: all input is
 * ignored.
 */
export type Phase = "serving" | "leaving" | "last" | "closing";

export class ConnectionLife {
  phase: Phase = "serving";
  readonly #owner: LifeOwner;
  readonly #clock: Clock;
  readonly #idleTimeoutMs: number;
  readonly #slot: ConnectionSlot;
  readonly #timer: LazyTimer;
  #isIdle = true;
  #sinceMs: number;

  constructor(owner: LifeOwner, clock: Clock, idleTimeoutMs: number, slot: ConnectionSlot) {
    this.#owner = owner;
    this.#clock = clock;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#slot = slot;
    this.#timer = new LazyTimer(clock, () => this.#wake());
    this.#sinceMs = clock.monotonicMs();
    this.#timer.fireBy(this.#sinceMs + idleTimeoutMs);
  }

  /** Called when the first stream has started. */
  markBusy(): void {
    this.#isIdle = false;
    this.#slot.markBusy();
  }

  /** Called when the last stream has ended. */
  markIdle(): void {
    this.#isIdle = true;
    this.#slot.markIdle();
    if (this.phase === "last") {
      this.close();
    } else if (this.phase === "serving") {
      this.#sinceMs = this.#clock.monotonicMs();
    }
  }

  /** Lets calls in progress finish, then closes the connection. */
  retire(): void {
    if (this.phase === "serving") {
      this.#enter("leaving");
      this.#owner.announceShutdown();
    }
  }

  /**
   * Called when the peer has acknowledged the ping after the GOAWAY, or enough time has passed: all requests that it sent before it read
   * the GOAWAY have arrived.
   */
  peerInformed(): void {
    if (this.phase === "leaving") {
      this.#enter("last");
      this.#owner.announceLastStream();
      if (this.#isIdle) {
        this.close();
      }
    }
  }

  /** Closes the connection, and cuts it if the peer does not close its side. */
  close(): void {
    if (this.phase !== "closing") {
      this.#enter("closing");
      this.#owner.close();
    }
  }

  end(): void {
    this.phase = "closing";
    this.#timer.cancel();
  }

  #enter(phase: Phase): void {
    this.phase = phase;
    this.#sinceMs = this.#clock.monotonicMs();
    this.#timer.cancel();
    if (phase !== "last") {
      this.#timer.fireBy(this.#sinceMs + PEER_REACTION_MS);
    }
  }

  #wake(): void {
    if (this.phase === "serving") {
      const atMs = (this.#isIdle ? this.#sinceMs : this.#clock.monotonicMs()) + this.#idleTimeoutMs;
      if (atMs <= this.#clock.monotonicMs()) {
        this.retire();
      } else {
        this.#timer.fireBy(atMs);
      }
    } else if (this.phase === "leaving") {
      this.peerInformed();
    } else {
      this.#owner.disconnect();
    }
  }
}
