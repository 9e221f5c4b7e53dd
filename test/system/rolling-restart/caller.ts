// Those who call all the time while servers restart. Each is a real client, with nothing set up but where the servers are and how the
// calls are spread over them, and tells what became of its calls as its users would see it.
import { setTimeout as passed } from "node:timers/promises";

/** Where a caller finds the servers: all under one name, whose addresses these are, at one port. */
export interface Route {
  readonly hosts: readonly string[];
  readonly port: number;
  /** The port for HTTP/1.1, where that has one of its own. */
  readonly http1Port: number;
  readonly key: string;
}

/** What became of a caller's calls. */
export interface Tally {
  /** Calls that were answered well. */
  readonly answered: number;
  /** Calls that were refused for the rate of a second: a caller is told when to try again, restart or not. */
  readonly limited: number;
  /** Calls that were not answered well: why → how many. */
  readonly lost: Readonly<Record<string, number>>;
}

/** A caller at work. */
export interface Calling {
  /** Lets calls under way end, and answers what became of all of them. */
  stop(): Promise<Tally>;
}

/** One client program or library. */
export interface Caller {
  readonly name: string;
  /** Begins to call, from several places at once, one call after the other in each. */
  start(route: Route): Calling;
}

/** From how many places at once a caller calls. */
export const AT_ONCE = 4;
/** How long each of them pauses after a call: all callers and servers share a machine, and the question is not how fast they are. */
export const PAUSE_MS = 10;

/** How a call ended: answered well, refused for the rate, or lost, and why. */
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

/** Makes calls in this process, until it is told to stop. `call` never rejects. */
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
