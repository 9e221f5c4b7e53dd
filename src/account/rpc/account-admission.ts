// Who may call the account services, and how often. That is decided on a call's headers alone, before its body is read.
import type { DescMethod } from "@bufbuild/protobuf";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { NetworkPace } from "../../guard/pace/network-pace.ts";
import { type RateLimit, Throttle, takeAll, throwIfLimited } from "../../guard/pace/throttle.ts";
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Account } from "../../store/records.ts";
import type { AdminStore } from "../../store/store.ts";
import { isForOperators, isForSuspended, isPublic } from "../access.ts";
import {
  accountSuspended,
  operatorRequired,
  sessionInvalid,
  sessionMissing,
  tooManyCalls,
  tooManyPublicCalls,
} from "../refusals.ts";
import type { Sessions } from "../sessions.ts";
import type { AccountCaller } from "./bound-method.ts";
import type { SignedIn } from "./handlers.ts";
import type { SignInPace } from "./sign-in-pace.ts";
import { TokenPace } from "./token-pace.ts";

const CALLS_OF_AN_ACCOUNT: RateLimit = { burst: 20, everyMs: 100 };
const CALLS_OF_AN_OPERATOR: RateLimit = { burst: 20, everyMs: 200 };
// For a network, for what anybody may read.
const PUBLIC_CALLS: RateLimit = { burst: 20, everyMs: 100 };

/** What the admission works with. */
export interface AccountAdmissionDependencies {
  readonly store: Pick<AdminStore, "findAccount">;
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** The limits of SignInService. */
  readonly pace: SignInPace;
}

/** Admits calls. Both methods reject with a Failure, or as the store does. */
export class AccountAdmission {
  readonly #store: Pick<AdminStore, "findAccount">;
  readonly #sessions: Sessions;
  readonly #pace: SignInPace;
  readonly #accountCalls: Throttle;
  readonly #operatorCalls: Throttle;
  readonly #publicCalls: NetworkPace;
  readonly #tokens: TokenPace;

  constructor({ store, sessions, clock, pace }: AccountAdmissionDependencies) {
    this.#store = store;
    this.#sessions = sessions;
    this.#pace = pace;
    this.#accountCalls = new Throttle(clock, CALLS_OF_AN_ACCOUNT);
    this.#operatorCalls = new Throttle(clock, CALLS_OF_AN_OPERATOR);
    this.#publicCalls = new NetworkPace(clock, PUBLIC_CALLS);
    this.#tokens = new TokenPace(clock);
  }

  /** Admits a call: it must not come too fast, and it needs a session, or an operator's, where the method does. */
  async admit(method: DescMethod, caller: AccountCaller): Promise<void> {
    if (method.parent === SignInService) {
      this.#pace.takeRequest(caller.peer);
    } else if (isPublic(method)) {
      throwIfLimited(takeAll(this.#publicCalls.tries(caller.peer)), tooManyPublicCalls);
    } else {
      await this.#admitSession(method, caller);
    }
  }

  /** Whose session calls a method that needs one. Counts nothing. */
  async identify(method: DescMethod, caller: AccountCaller): Promise<SignedIn> {
    const { token, account } = await this.#sessionOf(caller);
    requireRight(account, method);
    return { accountId: account.id, token, peer: caller.peer };
  }

  /** A session with this token has begun. */
  sessionBegan(token: string): void {
    this.#tokens.isGood(token);
  }

  async #admitSession(method: DescMethod, caller: AccountCaller): Promise<void> {
    const wasGood = this.#tokens.take(caller.token ?? "", caller.peer);
    const { account } = await this.#sessionOf(caller);
    wasGood();
    const calls = account.isOperator && isForOperators(method) ? this.#operatorCalls : this.#accountCalls;
    throwIfLimited(calls.take(account.id), tooManyCalls);
    requireRight(account, method);
  }

  async #sessionOf({ token }: AccountCaller): Promise<{ readonly token: string; readonly account: Account }> {
    if (token === undefined) {
      throw new Failure(sessionMissing());
    }
    const session = await this.#sessions.find(token);
    const account = session && (await this.#store.findAccount(session.accountId));
    if (account === undefined) {
      this.#tokens.isOver(token);
      throw new Failure(sessionInvalid());
    }
    return { token, account };
  }
}

// What a session's account must be. Checked with each request, so that a change is in force from the next one on.
function requireRight({ suspended, isOperator }: Account, method: DescMethod): void {
  if (suspended && !isForSuspended(method)) {
    throw new Failure(accountSuspended());
  }
  if (!isOperator && isForOperators(method)) {
    throw new Failure(operatorRequired());
  }
}
