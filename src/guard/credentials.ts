// Who a key belongs to, from memory where that is known. Good keys and unknown ones are remembered apart, both bounded, so that made-up
// keys cannot crowd out good ones; all is forgotten whenever anything changes in the store, and an answer that was asked for before a
// change is never used after it. Look-ups are shared and bounded in number: a flood of made-up keys queues and is turned away.
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { type GuardStore, StoreUnavailable } from "../store/store.ts";
import { type Caller, callerOf } from "./access.ts";
import type { Epoch } from "./epoch.ts";
import { hashKey } from "./key.ts";
import type { Plans } from "./plans.ts";
import { RecentMap } from "./recent-map.ts";
import type { StoreBreaker } from "./store-breaker.ts";
import { type WaitingLimits, WaitingRoom } from "./waiting-room.ts";

/** What is known of a key: its caller, that it is nobody's, or nothing because the store cannot be asked. */
export type Found = Caller | "unknown" | "unavailable";

/** Bounds of the look-ups. */
export interface CredentialLimits extends WaitingLimits {
  /** How many keys are remembered, and how many unknown ones. */
  readonly cachedKeysMax: number;
  /** How many look-ups run at once; others wait for their turn. */
  readonly lookUpsMax: number;
}

/** What look-ups work with. */
export interface CredentialMeans {
  readonly store: Pick<GuardStore, "findCredential">;
  readonly breaker: StoreBreaker;
  readonly epoch: Epoch;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly log: Log;
}

/** The keys. */
export class Credentials {
  readonly #means: CredentialMeans;
  readonly #limits: CredentialLimits;
  readonly #callers: RecentMap<string, Caller>;
  readonly #unknown: RecentMap<string, "unknown">;
  readonly #queue: WaitingRoom<"go" | "late">;
  // Callers that wait for a key's look-up.
  readonly #flights = new Map<string, WaitingRoom<Found | "changed">>();
  #running = 0;
  // The epoch that everything remembered is of.
  #seen: number;

  constructor(means: CredentialMeans, limits: CredentialLimits) {
    this.#means = means;
    this.#limits = limits;
    this.#seen = means.epoch.now();
    this.#callers = new RecentMap(limits.cachedKeysMax);
    this.#unknown = new RecentMap(limits.cachedKeysMax);
    this.#queue = new WaitingRoom<"go" | "late">(means.clock, limits, means.breaker, "late");
  }

  /** The epoch that what is remembered is of. */
  get epoch(): number {
    return this.#seen;
  }

  /** What is remembered of a key, and holds at this moment. */
  remembered(key: string): Caller | "unknown" | undefined {
    this.catchUp();
    return this.#callers.get(key) ?? this.#unknown.get(key);
  }

  /** Forgets everything where something has changed since. */
  catchUp(): void {
    const epoch = this.#means.epoch.now();
    if (epoch === this.#seen) {
      return;
    }
    this.#seen = epoch;
    this.#callers.clear();
    this.#unknown.clear();
    for (const flight of [...this.#flights.values()]) {
      flight.answerAll("changed");
    }
    this.#flights.clear();
  }

  /** Looks a well-formed key up. Never rejects. "unavailable" at once while the store is known to be dead. */
  async find(key: string): Promise<Found> {
    const { breaker, clock } = this.#means;
    const untilMs = clock.monotonicMs() + this.#limits.callerWaitMs;
    while (clock.monotonicMs() < untilMs) {
      this.catchUp();
      const hopeless = breaker.isOpen;
      const flight = this.#flights.get(key) ?? this.#takeOff(key);
      if (hopeless || flight === undefined) {
        return "unavailable";
      }
      const found = await flight.wait();
      if (found !== "changed") {
        return found;
      }
    }
    return "unavailable";
  }

  #takeOff(key: string): WaitingRoom<Found | "changed"> | undefined {
    const { breaker, clock } = this.#means;
    if (!breaker.admits()) {
      return undefined;
    }
    const flight = new WaitingRoom<Found | "changed">(clock, this.#limits, breaker, "unavailable");
    this.#flights.set(key, flight);
    void this.#lookUp(key, this.#seen).then((found) => {
      if (this.#flights.get(key) === flight) {
        this.#flights.delete(key);
      }
      flight.answerAll(found);
    });
    return flight;
  }

  async #lookUp(key: string, epoch: number): Promise<Found | "changed"> {
    if (this.#running < this.#limits.lookUpsMax) {
      this.#running++;
    } else if ((await this.#queue.wait()) === "late") {
      return "unavailable";
    }
    try {
      const credential = await this.#means.breaker.ask(() => this.#means.store.findCredential(hashKey(key)));
      if (epoch !== this.#means.epoch.now()) {
        return "changed";
      }
      if (credential === undefined) {
        this.#unknown.set(key, "unknown");
        return "unknown";
      }
      const caller = callerOf(credential, this.#means.plans);
      this.#callers.set(key, caller);
      return caller;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        this.#means.log.error({ err: error }, "A key could not be looked up");
      }
      return "unavailable";
    } finally {
      // Who waits longest takes over this one's place.
      if (this.#queue.size > 0) {
        this.#queue.answerFirst("go");
      } else {
        this.#running--;
      }
    }
  }
}
