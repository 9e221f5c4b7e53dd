// How long a connection stays, and how it ends: when nothing is asked for too long or the listener drains, its peer is told not to ask for
// more, then which of its streams was the last, and then the connection is closed. https://www.rfc-editor.org/rfc/rfc9113#section-6.8
import type { Clock } from "../../runtime/clock.ts";
import type { ConnectionPlace } from "../connection-places.ts";
import { LazyAlarm } from "../lazy-alarm.ts";
import { FAREWELL_MS } from "../linger.ts";

/** What it does to the connection. */
export interface LifeOwner {
  /** Says that it would be better to ask elsewhere, refuses nothing, and asks for a sign that this was heard. */
  sayFarewell(): void;
  /** Says which stream was the last. */
  sayLastStream(): void;
  /** Closes the connection, when what was written has left. */
  close(): void;
  /** Closes it at once. */
  cut(): void;
}

/**
 * `serving`: all is well. `parting`: streams that are on their way are still served. `last`: no further stream is. `closing`: nothing is
 * listened to any more.
 */
export type Phase = "serving" | "parting" | "last" | "closing";

/** The life of one connection. */
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

  /** Lets calls under way end and closes the connection then. */
  retire(): void {
    if (this.phase === "serving") {
      this.#enter("parting");
      this.#owner.sayFarewell();
    }
  }

  /** The peer has heard the farewell: what it sent before is all here. */
  heard(): void {
    if (this.phase === "parting") {
      this.#enter("last");
      this.#owner.sayLastStream();
      if (this.#isQuiet) {
        this.close();
      }
    }
  }

  /** Closes the connection, and cuts it where the peer does not close its end. */
  close(): void {
    if (this.phase !== "closing") {
      this.#enter("closing");
      this.#owner.close();
    }
  }

  /** It is closed. */
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
