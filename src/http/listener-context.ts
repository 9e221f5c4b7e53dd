// What all connections of one listener share: its dependencies, and the count of exchanges in progress that a drain waits for.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { ProxyRules } from "./client/peer.ts";
import { NO_PROXIES, type ProxyTrust } from "./client/trusted-proxies.ts";
import { HeldInput } from "./connection-slots.ts";
import type { FaultHandler, RequestHandler } from "./exchange.ts";
import { HttpDate } from "./headers.ts";
import type { ServerLimits } from "./limits.ts";
import { BodyBudget } from "./request-body.ts";
import { TurnBudget } from "./turn-budget.ts";
import { UnsentResponses } from "./unsent-responses.ts";

export interface ListenerContextOptions {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly handle: RequestHandler;
  readonly handleFault: FaultHandler;
  /** The trusted proxies; none by default. */
  readonly proxies?: ProxyTrust;
}

// The body budget of unauthenticated callers, as a share of the listener's budget.
const UNAUTHENTICATED_PART = 1 / 16;
// How long the body of an authenticated caller may take before it can be evicted. Without this, the slow bodies of a few accounts, each
// within its rate limit, could fill the budget until the body timeout.
const EVICTABLE_AFTER_MS = 1000;

export class ListenerContext {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly handle: RequestHandler;
  readonly handleFault: FaultHandler;
  readonly proxies: ProxyRules;
  /** The budget of authenticated callers. */
  readonly bodies: BodyBudget;
  /** The budget of callers who are not authenticated yet, so that they cannot take room from the others. */
  readonly unauthenticatedBodies: BodyBudget;
  readonly heldInput: HeldInput;
  readonly unsent: UnsentResponses;
  readonly turns: TurnBudget;
  readonly date: HttpDate;
  /** How many exchanges have started and have not sent their whole response. */
  inFlight = 0;
  /** How many exchanges have sent their whole response. */
  responded = 0;
  /** True once a drain has started: each HTTP/1.1 response then closes its connection. */
  draining = false;

  constructor(options: ListenerContextOptions) {
    this.limits = options.limits;
    this.clock = options.clock;
    this.date = new HttpDate(options.clock);
    const { clock } = options;
    this.bodies = new BodyBudget(options.limits.bodiesBytesMax, { clock, evictableAfterMs: EVICTABLE_AFTER_MS });
    this.unauthenticatedBodies = new BodyBudget(options.limits.bodiesBytesMax * UNAUTHENTICATED_PART, {
      clock,
      evictableAfterMs: 0,
    });
    this.randomness = options.randomness;
    this.log = options.log;
    this.handle = options.handle;
    this.handleFault = options.handleFault;
    this.proxies = new ProxyRules(options.proxies ?? NO_PROXIES);
    this.turns = new TurnBudget(clock);
    this.heldInput = new HeldInput(options.limits.heldInputBytesMax);
    this.unsent = new UnsentResponses(options);
  }
}
