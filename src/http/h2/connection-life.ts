// How long a connection stays open and how it ends. When it has been idle too long or the listener drains, the peer is asked to
// stop sending requests, then told the last stream that is served, and then the connection closes.
// https://www.rfc-editor.org/rfc/rfc9113#section-6.8
import type { Clock } from "../../runtime/clock.ts";
import type { ConnectionPlace } from "../connection-places.ts";
import { LazyAlarm } from "../lazy-alarm.ts";
import { FAREWELL_MS } from "../linger.ts";

/** What it does to the connection. */
export interface LifeOwner {
  /** Asks the peer to use another connection, without refusing anything yet, and sends a ping to learn when it has read this. */
  announceShutdown(): void;
  /** Tells the peer which stream was the last. */
  announceLastStream(): void;
  /** Closes the connection once everything written has left. */
  close(): void;
  cut(): void;
}

/**
 * `serving`: normal. `parting`: streams already on their way are still served. `last`: no further streams. `closing`: all input is
 * ignored.
 */
export type Phase = "serving" | "parting" | "last" | "closing";

export class ConnectionLife {
  phase: Phase = "serving";
  readonly #owner: LifeOwner;
  readonly #clock: Clock;
  readonly #idleTimeoutMs: number;
  readonly #place: ConnectionPlace;
  readonly #alarm: LazyAlarm;
  #isQuiet = true;
  #sinceMs: number;

  constructor(owner: LifeOwner, clock: Clock, idleTimeoutMs: number, place: ConnectionPlace) {
    this.#owner = owner;
    this.#clock = clock;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#place = place;
    this.#alarm = new LazyAlarm(clock, () => this.#wake());
    this.#sinceMs = clock.monotonicMs();
    this.#alarm.wakeBy(this.#sinceMs + idleTimeoutMs);
  }

  /** The first stream has begun. */
  busy(): void {
    this.#isQuiet = false;
    this.#place.busy();
  }

  /** The last stream has ended. */
  quiet(): void {
    this.#isQuiet = true;
    this.#place.quiet();
    if (this.phase === "last") {
      this.close();
    } else if (this.phase === "serving") {
      this.#sinceMs = this.#clock.monotonicMs();
    }
  }

  /** Lets calls in progress finish, then closes the connection. */
  retire(): void {
    if (this.phase === "serving") {
      this.#enter("parting");
      this.#owner.announceShutdown();
    }
  }

  /** The peer has read the farewell, so everything sent before that has arrived. */
  heard(): void {
    if (this.phase === "parting") {
      this.#enter("last");
      this.#owner.announceLastStream();
      if (this.#isQuiet) {
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
    this.#alarm.cancel();
  }

  #enter(phase: Phase): void {
    this.phase = phase;
    this.#sinceMs = this.#clock.monotonicMs();
    this.#alarm.cancel();
    if (phase !== "last") {
      this.#alarm.wakeBy(this.#sinceMs + FAREWELL_MS);
    }
  }

  #wake(): void {
    if (this.phase === "serving") {
      const atMs = (this.#isQuiet ? this.#sinceMs : this.#clock.monotonicMs()) + this.#idleTimeoutMs;
      if (atMs <= this.#clock.monotonicMs()) {
        this.retire();
      } else {
        this.#alarm.wakeBy(atMs);
      }
    } else if (this.phase === "parting") {
      this.heard();
    } else {
      this.#owner.cut();
    }
  }
}
