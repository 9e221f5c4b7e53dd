// Where accounts are managed: the handlers of the account services, beside the store. There is one in a process; threads that serve bring
// their calls here.
import { create, type DescMethod, type DescMethodUnary, type DescService, type Message } from "@bufbuild/protobuf";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import type { Clock } from "../../clock.ts";
import type { KeyPrefix } from "../../guard/key.ts";
import type { Plans } from "../../guard/plans.ts";
import { Failure } from "../../problem/problem.ts";
import type { Randomness } from "../../randomness.ts";
import type { StoredSession } from "../../store/owner-store.ts";
import { type Store, StoreUnavailable } from "../../store/store.ts";
import { createPasswords } from "../passwords.ts";
import { activatedByOperator } from "../payments.ts";
import { sessionInvalid, sessionMissing, storeUnavailable, tooManyCalls } from "../refusals.ts";
import { Sessions } from "../sessions.ts";
import type { UnspentCalls } from "../usage-history.ts";
import { createAccountHandlers } from "./account-handlers.ts";
import type { SignedIn } from "./handlers.ts";
import { createSignInHandlers, type Stranger } from "./sign-in-handlers.ts";
import { hold, type Pace, Throttle } from "./throttle.ts";

const CALLS_OF_AN_ACCOUNT: Pace = { burst: 20, everyMs: 100 };

/** Who calls. */
export interface OfficeVisitor extends Stranger {
  /** A session's token; undefined where the service needs none. */
  readonly token: string | undefined;
}

/** The office, as those see it who serve. */
export interface AccountOffice {
  /** Whose session this is; undefined when there is none, or it is over. Rejects as the store does. */
  findSession(token: string): Promise<StoredSession | undefined>;
  /**
   * Calls a method of AccountService or SignInService. The session has to last when the call comes, however long its body took. Rejects
   * with a Failure for what a caller should understand.
   */
  call(method: DescMethodUnary, input: Message, visitor: OfficeVisitor): Promise<Message>;
}

/** What the office works with. */
export interface OfficeDeps {
  readonly store: Store;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** How keys that are made here begin; `qk_live_` by default. */
  readonly keyPrefix?: KeyPrefix;
  /** What this process holds of the months. */
  readonly unspent: UnspentCalls;
}

// As the contract's methods have it, each its own.
type Answer = Record<string, unknown>;
type Handler<Who> = (input: Message, who: Who) => Promise<Answer>;

/** Opens it. */
export function createAccountOffice({ store, plans, clock, randomness, keyPrefix, unspent }: OfficeDeps): AccountOffice {
  const passwords = createPasswords(randomness);
  const sessions = new Sessions({ store, passwords, clock, randomness });
  const deps = {
    store,
    plans,
    clock,
    randomness,
    unspent,
    ...(keyPrefix !== undefined && { keyPrefix }),
    passwords,
    sessions,
    payments: activatedByOperator,
  };
  const calls = new Throttle(clock, CALLS_OF_AN_ACCOUNT);
  const signedIn = async (token: string | undefined): Promise<SignedIn> => {
    if (token === undefined) {
      throw new Failure(sessionMissing());
    }
    const session = await sessions.find(token);
    if (session === undefined) {
      throw new Failure(sessionInvalid());
    }
    hold(calls.take(session.accountId), tooManyCalls);
    return { accountId: session.accountId, token };
  };
  const ofAccounts = handlersByMethod<SignedIn>(AccountService, createAccountHandlers(deps));
  const ofStrangers = handlersByMethod<Stranger>(SignInService, createSignInHandlers(deps));
  const handle = async (method: DescMethod, input: Message, { peer, token }: OfficeVisitor): Promise<Answer> => {
    const ofStranger = ofStrangers.get(method);
    const ofAccount = ofAccounts.get(method);
    if (ofStranger !== undefined) {
      return ofStranger(input, { peer });
    }
    if (ofAccount !== undefined) {
      return ofAccount(input, await signedIn(token));
    }
    throw new Error(`No account service has the method ${method.name}`);
  };
  return {
    findSession: (token) => sessions.find(token),
    async call(method, input, visitor) {
      try {
        return create(method.output, await handle(method, input, visitor));
      } catch (error) {
        throw error instanceof StoreUnavailable ? new Failure({ ...storeUnavailable(), cause: error }) : error;
      }
    },
  };
}

function handlersByMethod<Who>(service: DescService, handlers: object): ReadonlyMap<DescMethod, Handler<Who>> {
  const byName = handlers as Readonly<Record<string, Handler<Who>>>;
  return new Map(service.methods.map((method) => [method, byName[method.localName] as Handler<Who>]));
}
