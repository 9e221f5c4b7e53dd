// What all connections of one listener share: its tools, and the count of exchanges under way that a drain waits for.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { BodyBudget } from "./body-budget.ts";
import { ProxyRules } from "./client/peer.ts";
import { NO_PROXIES, type ProxyTrust } from "./client/trusted-proxies.ts";
import type { FaultHandler, RequestHandler } from "./exchange.ts";
import { HttpDate } from "./http-date.ts";
import type { ServerLimits } from "./limits.ts";
import { TurnBudget } from "./turn-budget.ts";
import { UnsentAnswers } from "./unsent-responses.ts";

/** What every connection works with. */
export interface ListenerContextOptions {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly handle: RequestHandler;
  readonly handleFault: FaultHandler;
  /** Which proxies are trusted; none when left out. */
  readonly proxies?: ProxyTrust;
}

// Callers who are not signed in have a body budget of their own: this part of the listener's.
const STRANGERS_PART = 1 / 16;
// A few accounts, each within its rate, can fill the budget with bodies that they send as slowly as the body timeout allows. Within one second
// they cannot.
const KNOWN_BODY_MAKES_WAY_AFTER_MS = 1000;

/** What all connections of a listener share. */
export class ListenerContext {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly handle: RequestHandler;
  readonly handleFault: FaultHandler;
  readonly proxies: ProxyRules;
  /** Of callers who are known. */
  readonly bodies: BodyBudget;
  /** Of callers who are not known yet, so that they leave no less room to the others. */
  readonly strangersBodies: BodyBudget;
  readonly unsent: UnsentAnswers;
  readonly turns: TurnBudget;
  readonly date: HttpDate;
  /** Exchanges that have begun and whose answer has not been sent whole. */
  inFlight = 0;
  /** Exchanges whose answer has been sent whole. */
  answered = 0;
  /** True from the beginning of a drain: answers over HTTP/1.1 close their connection. */
  draining = false;

  constructor(options: ListenerContextOptions) {
    this.limits = options.limits;
    this.clock = options.clock;
    this.date = new HttpDate(options.clock);
    const { clock } = options;
    this.bodies = new BodyBudget(options.limits.bodiesBytesMax, { clock, makesWayAfterMs: KNOWN_BODY_MAKES_WAY_AFTER_MS });
    this.strangersBodies = new BodyBudget(options.limits.bodiesBytesMax * STRANGERS_PART, { clock, makesWayAfterMs: 0 });
    this.randomness = options.randomness;
    this.log = options.log;
    this.handle = options.handle;
    this.handleFault = options.handleFault;
    this.proxies = new ProxyRules(options.proxies ?? NO_PROXIES);
    this.turns = new TurnBudget(clock);
    this.unsent = new UnsentAnswers(options);
  }
}
