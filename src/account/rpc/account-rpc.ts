// Where accounts are managed: the handlers of the account services. A process has one, beside its store; worker threads bring their calls
// here.
import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { Plans } from "../../catalogue/plans.ts";
import { KEY_PREFIXES, type KeyPrefix } from "../../guard/keys/key.ts";
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { Store } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { MailSending } from "../mailed-links.ts";
import { createPasswords } from "../passwords.ts";
import { activatedByOperator } from "../payments.ts";
import { storeUnavailable } from "../refusals.ts";
import type { ServerState } from "../server-state.ts";
import { Sessions } from "../sessions.ts";
import type { UnspentCalls } from "../usage-history.ts";
import type { CallFeed } from "../watch/call-feed.ts";
import { AccountAdmission } from "./account-admission.ts";
import { createAccountHandlers } from "./account-handlers.ts";
import { type AccountCaller, type BoundMethod, type BoundStream, bindMethods, type Identify } from "./bound-method.ts";
import type { Handlers, SignedIn } from "./handlers.ts";
import { createMailHandlers } from "./mail-handlers.ts";
import { createOperatorHandlers } from "./operator-handlers.ts";
import { createPlanHandlers } from "./plan-handlers.ts";
import { type AnonymousCaller, createSignInHandlers } from "./sign-in-handlers.ts";
import { SignInPace } from "./sign-in-pace.ts";
import { createWatchHandlers } from "./watch-handlers.ts";

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
  /** Writes what is kept in memory, and hears of no more changes. Never rejects. */
  close(): Promise<void>;
}

/** Makes the account RPC. */
export function createAccountRpc(given: AccountRpcDependencies): OwnAccountRpc {
  const { store, plans, clock, randomness, callFeed, mail } = given;
  const passwords = createPasswords(randomness);
  const isSandbox = given.keyPrefix === KEY_PREFIXES.sandbox;
  const sessions = new Sessions({ store, passwords, clock, randomness, isSandbox });
  const pace = new SignInPace(clock);
  const deps = { ...given, passwords, sessions, pace, payments: activatedByOperator };
  const mails = createMailHandlers({ store, passwords, clock, randomness, mail });
  const admission = new AccountAdmission({ store, sessions, clock, pace });
  const identify: Identify<SignedIn> = (method, caller) => admission.identify(method, caller);
  const anonymous: Identify<AnonymousCaller> = (_, { peer, userAgent }) => ({ peer, userAgent });
  const stopListening = store.onChange((accountId) => callFeed.accountChanged(accountId));
  const planHandlers = createPlanHandlers(plans);
  const accountHandlers: Omit<Handlers<typeof AccountService, SignedIn>, keyof typeof planHandlers> = {
    ...createAccountHandlers({ ...deps, sendsMail: mail !== undefined }),
    ...createWatchHandlers({ callFeed, servers: () => store.nodeStatus.aliveNodes, clock }),
    ...mails,
  };
  const signInHandlers: Handlers<typeof SignInService, AnonymousCaller> = {
    ...createSignInHandlers({ ...deps, sendSignUp: mails.sendSignUp, sessionBegan: (token) => admission.sessionBegan(token) }),
    ...mails,
  };
  const methods = new Map<DescMethod, BoundMethod | BoundStream>(
    [
      ...bindMethods(AccountService, accountHandlers, identify),
      ...bindMethods(AccountService, planHandlers, () => undefined),
      ...bindMethods(SignInService, signInHandlers, anonymous),
      ...bindMethods(OperatorService, createOperatorHandlers(deps), identify),
    ].map((bound) => [bound.method, bound]),
  );
  return {
    admit: (method, requestContext) => admission.admit(method, requestContext),
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
    async close() {
      stopListening();
      await sessions.close();
    },
  };
}

const asFailure = (error: unknown): unknown =>
  error instanceof StoreUnavailable ? new Failure({ ...storeUnavailable(), cause: error }) : error;
