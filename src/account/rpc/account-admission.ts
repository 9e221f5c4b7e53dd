// Decides who may call the account services, and how often, from a call's headers alone, before its body is read.

import { hashSecret, LruMap, NetworkThrottle, type RateLimit, Throttle, takeAll } from "@quintet/guard";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { MEMBER_ROLES } from "../../store/owner-records.ts";
import type { Account } from "../../store/records.ts";
import type { AdminStore } from "../../store/store.ts";
import { type AccountMethod, isAllowedWhileSuspended } from "../account-methods.ts";
import {
  accountMismatch,
  accountSuspended,
  operatorRequired,
  ownAccountOnly,
  roleRequired,
  sessionInvalid,
  sessionMissing,
  tooManyAttempts,
  tooManyCalls,
  tooManyPublicCalls,
} from "../refusals.ts";
import type { Sessions } from "../sessions.ts";
import type { AccountCaller, AccountAdmission as Admission } from "./bound-method.ts";
import type { SignedIn } from "./handlers.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

// How often a network may try tokens that belong to no session. Such attempts do not delay a token that is known to be valid.
const UNKNOWN_TOKENS: RateLimit = { burst: 60, everyMs: 1000 };
const TOKENS_MAX = 20_000;

class TokenThrottle {
  readonly #unknown: NetworkThrottle;
  // The tokens known to be valid, by their SHA-256.
  readonly #valid = new LruMap<string, true>(TOKENS_MAX);

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#unknown = new NetworkThrottle(clock, UNKNOWN_TOKENS);
  }

  /**
   * Counts an attempt before the token is looked up, so that many at once cannot all be looked up. Throws a Failure if it exceeds the rate.
   * Returns a function to call if the token turns out to be valid: it refunds the attempt.
   */
  take(token: string, peer: string): () => void {
    if (this.#valid.get(hashSecret(token)) !== undefined) {
      return () => {};
    }
    const attempts = this.#unknown.attempts(peer);
    throwIfLimited(takeAll(attempts), tooManyAttempts);
    return () => {
      this.markValid(token);
      for (const [throttle, network] of attempts) {
        throttle.refund(network);
      }
    };
  }

  /** Records that the token belongs to a session. */
  markValid(token: string): void {
    this.#valid.set(hashSecret(token), true);
  }

  /** Records that the token's session has ended. From now on, the token is like any unknown one. */
  markEnded(token: string): void {
    this.#valid.delete(hashSecret(token));
  }
}

const CALLS_PER_ACCOUNT: RateLimit = { burst: 20, everyMs: 100 };
const CALLS_PER_OPERATOR: RateLimit = { burst: 20, everyMs: 200 };
// A network's limit for public methods.
const PUBLIC_CALLS: RateLimit = { burst: 20, everyMs: 100 };

// How long a body may take to arrive until its caller is looked up again.
const ADMISSION_VALID_MS = 1000;

interface AccountAdmissionOptions {
  readonly store: Pick<AdminStore, "findAccount" | "findMemberRole">;
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** The limits of SignInService. */
  readonly signInThrottle: SignInThrottle;
}

/** Admits calls. Both methods reject with a Failure, or as the store does. */
export class AccountAdmission {
  readonly #store: Pick<AdminStore, "findAccount" | "findMemberRole">;
  readonly #sessions: Sessions;
  readonly #signInThrottle: SignInThrottle;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #accountCalls: Throttle;
  readonly #operatorCalls: Throttle;
  readonly #publicCalls: NetworkThrottle;
  readonly #tokens: TokenThrottle;

  constructor({ store, sessions, clock, signInThrottle }: AccountAdmissionOptions) {
    this.#store = store;
    this.#sessions = sessions;
    this.#signInThrottle = signInThrottle;
    this.#clock = clock;
    this.#accountCalls = new Throttle(clock, CALLS_PER_ACCOUNT);
    this.#operatorCalls = new Throttle(clock, CALLS_PER_OPERATOR);
    this.#publicCalls = new NetworkThrottle(clock, PUBLIC_CALLS);
    this.#tokens = new TokenThrottle(clock);
  }

  /**
   * Admits a call. It must be within the rate limit. If the method needs a session or an operator's session, the call must have one, with
   * the method's role in the account that it names. Returns whom it has admitted; undefined if nobody has to be known.
   */
  async admit(method: AccountMethod, caller: AccountCaller): Promise<Admission | undefined> {
    if (method.access === "nothing") {
      this.#signInThrottle.takeRequest(caller.peer);
      return undefined;
    }
    if (method.access === "public") {
      throwIfLimited(takeAll(this.#publicCalls.attempts(caller.peer)), tooManyPublicCalls);
      return undefined;
    }
    return this.#admitSession(method, caller);
  }

  /**
   * The caller of a method that needs a session, and the account that they act for. Does not count against a limit. Looks nothing up if
   * `admit` has done so a moment ago.
   */
  async identify(method: AccountMethod, caller: AccountCaller): Promise<SignedIn> {
    const { token, peer, idempotencyKey, admission } = caller;
    const isRecent = admission !== undefined && this.#clock.monotonicMs() - admission.atMs < ADMISSION_VALID_MS;
    const { accountId, personId, role } = isRecent ? admission : await this.#lookUp(method, caller);
    return { accountId, personId, role, token: token ?? "", peer, idempotencyKey };
  }

  sessionStarted(token: string): void {
    this.#tokens.markValid(token);
  }

  async #lookUp(method: AccountMethod, caller: AccountCaller): Promise<Omit<Admission, "atMs">> {
    const account = await this.#sessionOf(caller);
    return { ...(await this.#authorise(method, account, caller)), personId: account.id };
  }

  async #admitSession(method: AccountMethod, caller: AccountCaller): Promise<Admission> {
    const confirmToken = this.#tokens.take(caller.token ?? "", caller.peer);
    const atMs = this.#clock.monotonicMs();
    const account = await this.#sessionOf(caller);
    confirmToken();
    const calls = account.isOperator && method.access === "operator" ? this.#operatorCalls : this.#accountCalls;
    throwIfLimited(calls.take(account.id), tooManyCalls);
    return { ...(await this.#authorise(method, account, caller)), personId: account.id, atMs };
  }

  // The only place that decides which account a person may act for. Everything is looked up with each request, so that a change applies
  // from the next one on.
  async #authorise(
    method: AccountMethod,
    own: Account,
    { namedAccount = own.id }: AccountCaller,
  ): Promise<Pick<SignedIn, "accountId" | "role">> {
    if (namedAccount === own.id) {
      requirePermission(own, method);
      return { accountId: own.id, role: "owner" };
    }
    // Other people's accounts are not looked up for a method that never works on them.
    if (method.role === undefined || method.role === "self") {
      throw new Failure(ownAccountOnly());
    }
    if (own.suspended) {
      throw new Failure(accountSuspended());
    }
    const role = await this.#store.findMemberRole(namedAccount, own.id);
    const account = role && (await this.#store.findAccount(namedAccount));
    if (role === undefined || account === undefined) {
      throw new Failure(accountMismatch());
    }
    requirePermission(account, method);
    if (MEMBER_ROLES.indexOf(role) < MEMBER_ROLES.indexOf(method.role)) {
      throw new Failure(roleRequired(method.role, role));
    }
    return { accountId: account.id, role };
  }

  // The account of the session's owner.
  async #sessionOf({ token }: AccountCaller): Promise<Account> {
    if (token === undefined) {
      throw new Failure(sessionMissing());
    }
    const session = await this.#sessions.find(token);
    if (session === undefined) {
      this.#tokens.markEnded(token);
      throw new Failure(sessionInvalid());
    }
    return session.account;
  }
}

// The account must not be suspended, and must be an operator's, if the method requires that.
function requirePermission({ suspended, isOperator }: Account, method: AccountMethod): void {
  if (suspended && !isAllowedWhileSuspended(method)) {
    throw new Failure(accountSuspended());
  }
  if (!isOperator && method.access === "operator") {
    throw new Failure(operatorRequired());
  }
}
