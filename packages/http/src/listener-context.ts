// What all connections of one listener share: its dependencies, and the count of exchanges in progress that a drain waits for.
import { randomUUID } from "node:crypto";
import { ProxyRules } from "./client/peer.ts";
import { NO_PROXIES, type ProxyTrust } from "./client/trusted-proxies.ts";
import { type Clock, systemClock } from "./clock.ts";
import { HeldInput } from "./connection-slots.ts";
import { type FaultHandler, type RequestHandler, respondWithFault } from "./exchange.ts";
import { HttpDate } from "./headers.ts";
import { DEFAULT_LIMITS, type ServerLimits } from "./limits.ts";
import { type Log, NO_LOG } from "./log.ts";
import { BodyBudget } from "./request-body.ts";
import { TurnBudget } from "./turn-budget.ts";
import { UnsentResponses } from "./unsent-responses.ts";

export interface ListenerContextOptions {
  readonly handle: RequestHandler;
  /** Responds to requests that the server refuses; in plain text by default. */
  readonly handleFault?: FaultHandler;
  /** Those that are left out are the DEFAULT_LIMITS. */
  readonly limits?: Partial<ServerLimits>;
  /** The machine's by default. */
  readonly clock?: Clock;
  /** Where request ids come from: version 4 UUIDs. */
  readonly randomness?: Randomness;
  /** Nothing is logged by default. */
  readonly log?: Log;
  /** The trusted proxies; none by default. */
  readonly proxies?: ProxyTrust;
}

interface Randomness {
  uuid(): string;
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

  constructor({
    handle,
    handleFault = respondWithFault,
    limits,
    clock = systemClock,
    randomness = { uuid: randomUUID },
    log = NO_LOG,
    proxies = NO_PROXIES,
  }: ListenerContextOptions) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.clock = clock;
    this.date = new HttpDate(clock);
    const { bodiesBytesMax, heldInputBytesMax } = this.limits;
    this.bodies = new BodyBudget(bodiesBytesMax, { clock, evictableAfterMs: EVICTABLE_AFTER_MS });
    this.unauthenticatedBodies = new BodyBudget(bodiesBytesMax * UNAUTHENTICATED_PART, { clock, evictableAfterMs: 0 });
    this.randomness = randomness;
    this.log = log;
    this.handle = handle;
    this.handleFault = handleFault;
    this.proxies = new ProxyRules(proxies);
    this.turns = new TurnBudget(clock);
    this.heldInput = new HeldInput(heldInputBytesMax);
    this.unsent = new UnsentResponses(this);
  }
}
