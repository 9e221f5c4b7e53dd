// Clients that call continuously while servers restart. Each is a real client, configured only with the servers' addresses and the load
// balancing, and reports the results of its calls as its users would see them.
import { setTimeout as passed } from "node:timers/promises";

/** Where a caller finds the servers: these addresses, all under one name and at one port. */
export interface Route {
  readonly hosts: readonly string[];
  readonly port: number;
  /** The port for HTTP/1.1, if that has a separate one. */
  readonly http1Port: number;
  readonly key: string;
  /** The name of the servers in DNS, for a client that looks it up itself, again and again. */
  readonly name?: string;
}

/** The results of a caller's calls. */
export interface Tally {
  /** Calls that succeeded. */
  readonly answered: number;
  /** Calls that exceeded the rate limit: a caller learns when to retry, restart or not. */
  readonly limited: number;
  /** Calls that failed: why → how many. */
  readonly lost: Readonly<Record<string, number>>;
}

/** A running caller. */
export interface Calling {
  /** Lets calls in progress end, and returns the results of all calls. */
  stop(): Promise<Tally>;
}

/** One client program or library. */
export interface Caller {
  readonly name: string;
  /** Starts several loops at once, each making one call after another. */
  start(route: Route): Calling;
}

/** How many loops a caller runs at once. */
export const AT_ONCE = 4;
/** How long each loop pauses after a call: all callers and servers share a machine, and their speed does not matter. */
export const PAUSE_MS = 10;

/** How a call ended: it succeeded, exceeded the rate limit, or was lost, and why. */
export type Outcome = "answered" | "limited" | { readonly lost: string };

/** Adds up how calls ended. */
export class Outcomes implements Tally {
  answered = 0;
  limited = 0;
  readonly lost: Record<string, number> = {};

  add(outcome: Outcome): void {
    if (typeof outcome === "string") {
      this[outcome] += 1;
    } else {
      this.lost[outcome.lost] = (this.lost[outcome.lost] ?? 0) + 1;
    }
  }
}

/** Makes calls in this process until it is stopped. `call` never rejects. */
export function callOn(call: () => Promise<Outcome>, close: () => unknown): Calling {
  const outcomes = new Outcomes();
  let isOver = false;
  const calling = Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) {
      outcomes.add(await call());
      await passed(PAUSE_MS);
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(calling);
      await close();
      return outcomes;
    },
  };
}
