// Where accounts are managed: the handlers of the account services, beside the store. There is one in a process; threads that serve bring
// their calls here.
import { create, type DescMethod, type DescMethodUnary, type DescService, type Message } from "@bufbuild/protobuf";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import type { Plans } from "../../catalogue/plans.ts";
import { hashKey, type KeyPrefix } from "../../guard/keys/key.ts";
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { LruMap } from "../../runtime/lru-map.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { Store } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import { isPublic } from "../access.ts";
import { createPasswords } from "../passwords.ts";
import { activatedByOperator } from "../payments.ts";
import {
  sessionInvalid,
  sessionMissing,
  storeUnavailable,
  tooManyAttempts,
  tooManyCalls,
  tooManyPublicCalls,
} from "../refusals.ts";
import { Sessions } from "../sessions.ts";
import type { UnspentCalls } from "../usage-history.ts";
import { createAccountHandlers } from "./account-handlers.ts";
import type { SignedIn } from "./handlers.ts";
import { NetworkPace } from "./network-pace.ts";
import { createPlanHandlers } from "./plan-handlers.ts";
import { type AnonymousCaller, createSignInHandlers } from "./sign-in-handlers.ts";
import { SignInPace } from "./sign-in-pace.ts";
import { type RateLimit, Throttle, takeAll, throwIfLimited } from "./throttle.ts";

const CALLS_OF_AN_ACCOUNT: RateLimit = { burst: 20, everyMs: 100 };
// Of a network, with tokens that are nobody's. Who has one that was somebody's lately is not held up by them.
const UNKNOWN_TOKENS: RateLimit = { burst: 60, everyMs: 1000 };
const TOKENS_MAX = 20_000;
// Of a network, for what anybody may read.
const PUBLIC_CALLS: RateLimit = { burst: 20, everyMs: 100 };

/** Who calls. */
export interface AccountCaller extends AnonymousCaller {
  /** A session's token; undefined where the service needs none. */
  readonly token: string | undefined;
}

/** The account RPC, as those see it who serve. */
export interface AccountRpc {
  /**
   * Lets a call of this method in, or not, on its head alone: it has to come not too fast, and with a session that lasts where the method
   * needs one. Rejects with a Failure, or as the store does.
   */
  admit(method: DescMethodUnary, requestContext: AccountCaller): Promise<void>;
  /**
   * Calls a method of AccountService or SignInService. A call that was admitted, whose session has to last still, however long its body took. Rejects
   * with a Failure for what a caller should understand.
   */
  call(method: DescMethodUnary, input: Message, requestContext: AccountCaller): Promise<Message>;
}

/** What the account RPC works with. */
export interface AccountRpcDependencies {
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
export function createAccountRpc({ store, plans, clock, randomness, keyPrefix, unspent }: AccountRpcDependencies): AccountRpc {
  const passwords = createPasswords(randomness);
  const sessions = new Sessions({ store, passwords, clock, randomness });
  const pace = new SignInPace(clock);
  const deps = {
    store,
    plans,
    clock,
    randomness,
    unspent,
    ...(keyPrefix !== undefined && { keyPrefix }),
    passwords,
    sessions,
    pace,
    payments: activatedByOperator,
  };
  const calls = new Throttle(clock, CALLS_OF_AN_ACCOUNT);
  const publicCalls = new NetworkPace(clock, PUBLIC_CALLS);
  const unknownTokens = new NetworkPace(clock, UNKNOWN_TOKENS);
  const knownTokens = new LruMap<string, true>(TOKENS_MAX);
  const signedIn = async (token: string | undefined): Promise<SignedIn> => {
    if (token === undefined) {
      throw new Failure(sessionMissing());
    }
    const session = await sessions.find(token);
    if (session === undefined) {
      throw new Failure(sessionInvalid());
    }
    return { accountId: session.accountId, token };
  };
  const admitSession = async ({ peer, token }: AccountCaller): Promise<void> => {
    const tokenHash = hashKey(token ?? "");
    const tries = knownTokens.get(tokenHash) === undefined ? unknownTokens.tries(peer) : [];
    // Counted before it is looked up, so that many at once are not looked up together.
    throwIfLimited(takeAll(tries), tooManyAttempts);
    const { accountId } = await signedIn(token);
    knownTokens.set(tokenHash, true);
    for (const [throttle, network] of tries) {
      throttle.giveBack(network);
    }
    throwIfLimited(calls.take(accountId), tooManyCalls);
  };
  const ofAccounts = handlersByMethod<SignedIn>(AccountService, createAccountHandlers(deps));
  const ofAnybody = handlersByMethod<undefined>(AccountService, createPlanHandlers(plans));
  const ofStrangers = handlersByMethod<AnonymousCaller>(SignInService, createSignInHandlers(deps));
  const handle = async (method: DescMethod, input: Message, { peer, token }: AccountCaller): Promise<Answer> => {
    const ofStranger = ofStrangers.get(method);
    const ofAll = ofAnybody.get(method);
    const ofAccount = ofAccounts.get(method);
    if (ofStranger !== undefined) {
      return ofStranger(input, { peer });
    }
    if (ofAll !== undefined) {
      return ofAll(input, undefined);
    }
    if (ofAccount !== undefined) {
      return ofAccount(input, await signedIn(token));
    }
    throw new Error(`No account service has the method ${method.name}`);
  };
  return {
    async admit(method, requestContext) {
      if (method.parent === SignInService) {
        pace.takeRequest(requestContext.peer);
      } else if (isPublic(method)) {
        throwIfLimited(takeAll(publicCalls.tries(requestContext.peer)), tooManyPublicCalls);
      } else {
        await admitSession(requestContext);
      }
    },
    async call(method, input, requestContext) {
      try {
        return create(method.output, await handle(method, input, requestContext));
      } catch (error) {
        throw error instanceof StoreUnavailable ? new Failure({ ...storeUnavailable(), cause: error }) : error;
      }
    },
  };
}

function handlersByMethod<Who>(service: DescService, handlers: object): ReadonlyMap<DescMethod, Handler<Who>> {
  const byName = handlers as Readonly<Partial<Record<string, Handler<Who>>>>;
  return new Map(
    service.methods.flatMap((method) => {
      const handler = byName[method.localName];
      return handler === undefined ? [] : [[method, handler] as const];
    }),
  );
}
