// How often somebody may try to sign in or to sign up. An attacker's attempts must not shut out everybody else, nor the owner of one
// account. So networks are counted together with the wider networks around them; a network from which an owner recently signed in has a
// separate limit for that owner's e-mail address; and every other network has a few attempts with that address that nobody else can use up.

import { LruMap, NetworkThrottle, networksOf, type RateLimit, Throttle, takeAll } from "@quintet/guard";
import { throwIfLimited } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { HashPriority } from "../password-queue.ts";
import { tooManyAttempts } from "../refusals.ts";

const SIGN_UPS_PER_NETWORK: RateLimit = { burst: 10, everyMs: 10_000 };
const REQUESTS_PER_NETWORK: RateLimit = { burst: 30, everyMs: 1000 };
// How long a network's attempts are remembered for the order of password checks: one minute for each attempt. That is longer than the
// interval of the limit: otherwise networks that keep to the limit would soon look like new ones.
const ATTEMPTS_REMEMBERED: RateLimit = { burst: 1, everyMs: 60_000 };
const SIGN_INS_PER_EMAIL_AND_NETWORK: RateLimit = { burst: 10, everyMs: 10_000 };
const SHARED_SIGN_INS_PER_EMAIL: RateLimit = { burst: 50, everyMs: 3000 };
// A network from which nobody recently signed in with the e-mail address has these few attempts even if other networks have used up the
// shared attempts.
const FIRST_SIGN_INS_PER_EMAIL: RateLimit = { burst: 2, everyMs: 1_800_000 };
// How often a network may learn that an e-mail address is taken: the only response that reveals something about other people.
const TAKEN_RESPONSES_PER_NETWORK: RateLimit = { burst: 3, everyMs: 600_000 };

const SUCCESSES_MAX = 20_000;
const SUCCESS_REMEMBERED_MS = 30 * 86_400_000;

/** The rate limits of SignInService. */
export class SignInThrottle {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #signUps: NetworkThrottle;
  readonly #takenResponses: NetworkThrottle;
  readonly #requests: NetworkThrottle;
  readonly #recentAttempts: NetworkThrottle;
  readonly #signIns: Throttle;
  readonly #firstSignIns: Throttle;
  readonly #sharedSignIns: Throttle;
  // When somebody last signed in: by network, and by network and e-mail address.
  readonly #successes = new LruMap<string, number>(SUCCESSES_MAX);

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#signUps = new NetworkThrottle(clock, SIGN_UPS_PER_NETWORK);
    this.#takenResponses = new NetworkThrottle(clock, TAKEN_RESPONSES_PER_NETWORK);
    this.#requests = new NetworkThrottle(clock, REQUESTS_PER_NETWORK);
    this.#recentAttempts = new NetworkThrottle(clock, ATTEMPTS_REMEMBERED);
    this.#signIns = new Throttle(clock, SIGN_INS_PER_EMAIL_AND_NETWORK);
    this.#firstSignIns = new Throttle(clock, FIRST_SIGN_INS_PER_EMAIL);
    this.#sharedSignIns = new Throttle(clock, SHARED_SIGN_INS_PER_EMAIL);
  }

  /** Counts a request before its body is read. Throws a Failure if it exceeds the rate. */
  takeRequest(peer: string): void {
    // A network from which somebody recently signed in does not share its limit with its neighbours.
    const isKnown = this.#hasSucceeded(networksOf(peer)[0]);
    const levels = isKnown ? "own" : "all";
    throwIfLimited(takeAll(this.#requests.attempts(peer, levels)), tooManyAttempts);
    this.#recentAttempts.count(peer, levels);
  }

  /** Counts an attempt to sign up. Throws a Failure if it exceeds the rate. */
  trySignUp(peer: string): void {
    const waits = this.#takenResponses.attempts(peer).map(([throttle, network]) => throttle.waitMs(network));
    throwIfLimited(Math.max(...waits), tooManyAttempts);
    throwIfLimited(takeAll(this.#signUps.attempts(peer)), tooManyAttempts);
  }

  /** Counts an attempt to sign in with an e-mail address. Throws a Failure if it exceeds the rate. */
  trySignIn(peer: string, email: string): void {
    const own = pairOf(peer, email);
    const first = `${networksOf(peer).at(-1)} ${email}`;
    const attempts: [Throttle, string][] = [[this.#signIns, own]];
    if (!this.#hasSucceeded(own)) {
      const isFirst = this.#firstSignIns.waitMs(first) === 0;
      attempts.push(isFirst ? [this.#firstSignIns, first] : [this.#sharedSignIns, email]);
    }
    throwIfLimited(takeAll(attempts), tooManyAttempts);
  }

  /** Decides whose password is checked first: callers who recently signed in, then callers with the fewest attempts. */
  priorityOf(peer: string, email: string): HashPriority {
    const isKnown = this.#hasSucceeded(pairOf(peer, email));
    return { isKnown, recentAttempts: this.#recentAttempts.recentAttempts(peer) };
  }

  /** Records that somebody has signed in or up with the e-mail address. */
  recordSuccess(peer: string, email: string): void {
    const now = this.#clock.monotonicMs();
    this.#successes.set(networksOf(peer)[0], now);
    this.#successes.set(pairOf(peer, email), now);
  }

  /** Records that the caller has learnt that the e-mail address is taken. */
  recordTaken(peer: string): void {
    this.#takenResponses.count(peer);
  }

  #hasSucceeded(who: string): boolean {
    const atMs = this.#successes.get(who);
    return atMs !== undefined && this.#clock.monotonicMs() - atMs < SUCCESS_REMEMBERED_MS;
  }
}

const pairOf = (peer: string, email: string): string => `${networksOf(peer)[0]} ${email}`;
