// Where accounts are managed: the handlers of the account services. A process has one, beside its store; worker threads bring their calls
// here.
import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import type { Plans } from "../../catalogue/plans.ts";
import { hashKey, type KeyPrefix } from "../../guard/keys/key.ts";
import { NetworkPace } from "../../guard/pace/network-pace.ts";
import { type RateLimit, Throttle, takeAll, throwIfLimited } from "../../guard/pace/throttle.ts";
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { LruMap } from "../../runtime/lru-map.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { Account } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import { isForOperators, isForSuspended, isPublic } from "../access.ts";
import type { MailSending } from "../mailed-links.ts";
import { createPasswords } from "../passwords.ts";
import { activatedByOperator } from "../payments.ts";
import {
  accountSuspended,
  operatorRequired,
  sessionInvalid,
  sessionMissing,
  storeUnavailable,
  tooManyAttempts,
  tooManyCalls,
  tooManyPublicCalls,
} from "../refusals.ts";
import type { ServerState } from "../server-state.ts";
import { Sessions } from "../sessions.ts";
import type { UnspentCalls } from "../usage-history.ts";
import type { CallFeed } from "../watch/call-feed.ts";
import { createAccountHandlers } from "./account-handlers.ts";
import { accountMethods, operatorMethods, signInMethods } from "./bind-methods.ts";
import type { AccountCaller, BoundMethod, BoundStream } from "./bound-method.ts";
import type { SignedIn } from "./handlers.ts";
import { createMailHandlers } from "./mail-handlers.ts";
import { createOperatorHandlers } from "./operator-handlers.ts";
import { createPlanHandlers } from "./plan-handlers.ts";
import { createSignInHandlers } from "./sign-in-handlers.ts";
import { SignInPace } from "./sign-in-pace.ts";
import { createWatchHandlers } from "./watch-handlers.ts";

const CALLS_OF_AN_ACCOUNT: RateLimit = { burst: 20, everyMs: 100 };
const CALLS_OF_AN_OPERATOR: RateLimit = { burst: 20, everyMs: 200 };
// For a network, with tokens that nobody has. A token that was good lately is not held up by them.
const UNKNOWN_TOKENS: RateLimit = { burst: 60, everyMs: 1000 };
const TOKENS_MAX = 20_000;
// For a network, for what anybody may read.
const PUBLIC_CALLS: RateLimit = { burst: 20, everyMs: 100 };

/** The account RPC as the gateway sees it. */
export interface AccountRpc {
  /**
   * Admits a call of this method on its headers alone: it must not come too fast, and it needs a session, or an operator's, where the
   * method does. Rejects with a Failure, or as the store does.
   */
  admit(method: DescMethod, requestContext: AccountCaller): Promise<void>;
  /**
   * Calls a method of AccountService, OperatorService or SignInService that was admitted. The session is checked again, because the body may have
   * taken long to arrive. Rejects with a Failure that the caller can understand.
   */
  call(method: DescMethodUnary, input: Message, requestContext: AccountCaller): Promise<Message>;
  /** The same for a method that answers with a stream. It ends once the signal aborts. */
  stream(
    method: DescMethodServerStreaming,
    input: Message,
    requestContext: AccountCaller,
    signal: AbortSignal,
  ): AsyncIterable<Message>;
}

/** What the account RPC works with. */
export interface AccountRpcDependencies {
  readonly store: Store;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** How keys that are made here begin; `qk_live_` by default. */
  readonly keyPrefix?: KeyPrefix;
  /** How many calls of a month this process has leased and not spent. */
  readonly unspent: UnspentCalls;
  /** Has the calls that are watched. */
  readonly callFeed: CallFeed;
  /** The state of this server, for operators. */
  readonly serverState: () => ServerState;
  /** How mail is sent; undefined where none is. */
  readonly mail?: MailSending | undefined;
}

/** The account RPC of a process. */
export interface OwnAccountRpc extends AccountRpc {
  /** Writes what is kept in memory. Never rejects. */
  close(): Promise<void>;
}

/** Makes the account RPC. */
export function createAccountRpc({ keyPrefix, ...given }: AccountRpcDependencies): OwnAccountRpc {
  const { store, plans, clock, randomness, callFeed, mail } = given;
  const passwords = createPasswords(randomness);
  const sessions = new Sessions({ store, passwords, clock, randomness });
  const pace = new SignInPace(clock);
  const deps = {
    ...given,
    ...(keyPrefix !== undefined && { keyPrefix }),
    passwords,
    sessions,
    pace,
    payments: activatedByOperator,
  };
  const mails = createMailHandlers({ store, passwords, clock, randomness, mail });
  const calls = new Throttle(clock, CALLS_OF_AN_ACCOUNT);
  const publicCalls = new NetworkPace(clock, PUBLIC_CALLS);
  const unknownTokens = new NetworkPace(clock, UNKNOWN_TOKENS);
  const knownTokens = new LruMap<string, true>(TOKENS_MAX);
  const operatorCalls = new Throttle(clock, CALLS_OF_AN_OPERATOR);
  const sessionOf = async ({ token, peer }: AccountCaller): Promise<{ who: SignedIn; account: Account }> => {
    if (token === undefined) {
      throw new Failure(sessionMissing());
    }
    const session = await sessions.find(token);
    const account = session && (await store.findAccount(session.accountId));
    if (account === undefined) {
      throw new Failure(sessionInvalid());
    }
    return { who: { accountId: account.id, token, peer }, account };
  };
  const identify =
    (method: DescMethod) =>
    async (caller: AccountCaller): Promise<SignedIn> => {
      const { who, account } = await sessionOf(caller);
      requireRight(account, method);
      return who;
    };
  const admitSession = async (caller: AccountCaller, method: DescMethod): Promise<void> => {
    const { peer, token } = caller;
    const tokenHash = hashKey(token ?? "");
    const tries = knownTokens.get(tokenHash) === undefined ? unknownTokens.tries(peer) : [];
    // Counted before it is looked up, so that many at once cannot all be looked up.
    throwIfLimited(takeAll(tries), tooManyAttempts);
    const { account } = await sessionOf(caller);
    knownTokens.set(tokenHash, true);
    for (const [throttle, network] of tries) {
      throttle.giveBack(network);
    }
    const ownPace = account.isOperator && isForOperators(method) ? operatorCalls : calls;
    throwIfLimited(ownPace.take(account.id), tooManyCalls);
    requireRight(account, method);
  };
  const watching = createWatchHandlers({ callFeed, servers: () => store.nodeStatus.aliveNodes, clock });
  const { sendSignUp } = mails;
  const handlers = {
    ...createAccountHandlers({ ...deps, sendsMail: mail !== undefined }),
    ...createPlanHandlers(plans),
    ...watching,
    ...mails,
  };
  const signIn = { ...createSignInHandlers({ ...deps, sendSignUp }), ...mails };
  const methods = new Map<DescMethod, BoundMethod | BoundStream>(
    [
      ...Object.values(accountMethods(handlers, identify)),
      ...Object.values(signInMethods(signIn)),
      ...Object.values(operatorMethods(createOperatorHandlers(deps), identify)),
    ].map((bound) => [bound.method, bound]),
  );
  return {
    async admit(method, requestContext) {
      if (method.parent === SignInService) {
        pace.takeRequest(requestContext.peer);
      } else if (isPublic(method)) {
        throwIfLimited(takeAll(publicCalls.tries(requestContext.peer)), tooManyPublicCalls);
      } else {
        await admitSession(requestContext, method);
      }
    },
    async call(method, input, requestContext) {
      const bound = methods.get(method);
      if (bound === undefined || !("call" in bound)) {
        throw new Error(`No account service has the method ${method.name}`);
      }
      try {
        return await bound.call(input, requestContext);
      } catch (error) {
        throw asFailure(error);
      }
    },
    async *stream(method, input, requestContext, signal) {
      const bound = methods.get(method);
      if (bound === undefined || !("stream" in bound)) {
        throw new Error(`No account service has the stream ${method.name}`);
      }
      try {
        yield* bound.stream(input, requestContext, signal);
      } catch (error) {
        throw asFailure(error);
      }
    },
    close: () => sessions.close(),
  };
}

const asFailure = (error: unknown): unknown =>
  error instanceof StoreUnavailable ? new Failure({ ...storeUnavailable(), cause: error }) : error;

// What a session's account must be. Checked with each request, so that a change is in force from the next one on.
function requireRight({ suspended, isOperator }: Account, method: DescMethod): void {
  if (suspended && !isForSuspended(method)) {
    throw new Failure(accountSuspended());
  }
  if (!isOperator && isForOperators(method)) {
    throw new Failure(operatorRequired());
  }
}
