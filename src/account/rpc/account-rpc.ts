// The account RPC: the handlers of the account services. A process has one, next to its store; worker threads send their calls here.

import type { Message, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { BillingService } from "../../../gen/quintet/account/v1/billing_pb.js";
import { KeyService } from "../../../gen/quintet/account/v1/key_pb.js";
import { MemberService } from "../../../gen/quintet/account/v1/member_pb.js";
import { ProfileService } from "../../../gen/quintet/account/v1/profile_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { type MeasurementSchema, ServiceCondition, StatusService } from "../../../gen/quintet/account/v1/status_pb.js";
import { UsageService } from "../../../gen/quintet/account/v1/usage_pb.js";
import { WebhookService } from "../../../gen/quintet/account/v1/webhook_pb.js";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { Plans } from "../../catalogue/plans.ts";
import { SERVICE_NAMES } from "../../catalogue/service-names.ts";
import type { IdentityProviderConfig } from "../../config/identity-providers.ts";
import { KEY_PREFIXES, type KeyPrefix } from "../../guard/keys/key.ts";
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { ProxyConfig } from "../../runtime/proxied-agent.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import { hasEnded } from "../../store/incident-records.ts";
import type { Store } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import { accountMethodOf } from "../account-methods.ts";
import type { Billing } from "../billing.ts";
import { IdentityProviders } from "../identity-providers.ts";
import type { MailSending } from "../mailed-links.ts";
import { Passkeys } from "../passkeys.ts";
import { createPasswords, type PasswordCost } from "../passwords.ts";
import { storeUnavailable } from "../refusals.ts";
import type { ServerState } from "../server-state.ts";
import { Sessions } from "../sessions.ts";
import { type Condition, createStatusReader, type Measurement, type StatusStore } from "../status.ts";
import { TwoFactorSignIn } from "../two-factor.ts";
import type { UnspentCalls } from "../usage-history.ts";
import type { CallFeed } from "../watch/call-feed.ts";
import { AccountAdmission } from "./account-admission.ts";
import { createAccountHandlers } from "./account-handlers.ts";
import {
  type AccountCall,
  type AccountCaller,
  type BoundMethod,
  bindMethods,
  type AccountAdmission as CallerAdmission,
  type Identify,
} from "./bound-method.ts";
import { createCallLogHandlers } from "./call-log-handlers.ts";
import type { AccountHandlers, Handlers, SignedIn } from "./handlers.ts";
import { incidentMessage } from "./incident-messages.ts";
import { createMailHandlers } from "./mail-handlers.ts";
import { planMessage } from "./messages.ts";
import { createOperatorHandlers } from "./operator-handlers.ts";
import { type AnonymousCaller, createSignInHandlers } from "./sign-in-handlers.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";
import { createWatchHandlers } from "./watch-handlers.ts";

// The method that returns the services' status, which anybody may call.
const CONDITIONS: Readonly<Record<Condition, ServiceCondition>> = {
  operational: ServiceCondition.OPERATIONAL,
  degraded: ServiceCondition.DEGRADED,
  failing: ServiceCondition.FAILING,
  quiet: ServiceCondition.QUIET,
};

function createStatusHandlers(options: {
  readonly store: StatusStore;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
}): Pick<Handlers<typeof StatusService, unknown>, "getStatus"> {
  const read = createStatusReader(options);
  return {
    async getStatus({ onlyOpenIncidents }) {
      const { measuredAtMs, fromDay, services, incidents } = await read();
      const nowMs = options.clock.nowMs();
      const shown = onlyOpenIncidents ? incidents.filter((incident) => !hasEnded(incident, nowMs)) : incidents;
      return {
        measuredAt: timestampFromMs(measuredAtMs),
        fromDay,
        incidents: shown.map((incident) => incidentMessage(incident, nowMs)),
        services: (onlyOpenIncidents ? [] : services).map(({ service, calls, source }) => ({
          service,
          calls: measurementMessage(calls),
          ...(source !== undefined && { source: measurementMessage(source) }),
        })),
      };
    },
  };
}

const measurementMessage = ({
  condition,
  availability,
  medianMs,
  p95Ms,
  days,
}: Measurement): MessageInitShape<typeof MeasurementSchema> => ({
  condition: CONDITIONS[condition],
  ...(availability !== undefined && { availability }),
  ...(medianMs !== undefined && { medianMs }),
  ...(p95Ms !== undefined && { p95Ms }),
  days: days.map((day) => ({
    day: day.day,
    availability: day.availability,
    ...(day.medianMs !== undefined && { medianMs: day.medianMs }),
  })),
});

/** The account RPC as the gateway sees it. */
export interface AccountRpc {
  /**
   * Admits a call to the method with this full name, by its headers alone: it must be within the rate limit, and must have a session, or an
   * operator's session, if the method needs one. Returns whom it has admitted, for `call`. Rejects with a Failure, or as the store does.
   */
  admit(method: string, caller: AccountCaller): Promise<CallerAdmission | undefined>;
  /**
   * Makes a call that was admitted, and returns the output message. If its body took long to arrive, the session is checked again. Rejects
   * with a Failure that the caller can understand.
   */
  call(call: AccountCall): Promise<Message>;
  /** Makes a call to a streaming method, and yields its output messages. The stream ends once the signal aborts. */
  stream(call: AccountCall, signal: AbortSignal): AsyncIterable<Message>;
}

interface AccountRpcOptions {
  readonly store: Store;
  readonly plans: Plans;
  /** Undefined if customers cannot pay by card. */
  readonly billing?: Billing | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The prefix of keys that are created here; `qk_live_` by default. */
  readonly keyPrefix?: KeyPrefix;
  /** How many of a month's calls this process has leased and not spent. */
  readonly unspent: UnspentCalls;
  /** Passes calls to the streams that watch them. */
  readonly callFeed: CallFeed;
  /** Whether webhooks may go to private addresses. By default they may not. */
  readonly allowsPrivateWebhooks?: boolean;
  readonly serverState: () => ServerState;
  /** How mail is sent; undefined if no mail is sent. */
  readonly mail?: MailSending | undefined;
  /** The origin of the pages; undefined if the operator has set none. */
  readonly publicUrl?: string | undefined;
  /** The providers with which people may sign in; by default none. */
  readonly identityProviders?: readonly IdentityProviderConfig[];
  /** The proxy through which they are asked. */
  readonly proxy?: ProxyConfig | undefined;
  /** How expensive the hash of a password is; by default the server's cost. */
  readonly passwordCost?: PasswordCost | undefined;
}

export interface OwnAccountRpc extends AccountRpc {
  /** Writes the session uses that are kept in memory, and stops listening for changes. Never rejects. */
  close(): Promise<void>;
}

export function createAccountRpc(given: AccountRpcOptions): OwnAccountRpc {
  const { store, plans, clock, randomness, callFeed, mail } = given;
  const passwords = createPasswords(randomness, given.passwordCost);
  const isSandbox = given.keyPrefix?.startsWith(KEY_PREFIXES.sandbox) === true;
  const sessions = new Sessions({ store, passwords, clock, randomness, isSandbox });
  const signInThrottle = new SignInThrottle(clock);
  const twoFactor = new TwoFactorSignIn({ store, clock, randomness });
  const passkeys = new Passkeys({ store, clock, randomness, publicUrl: given.publicUrl });
  const { identityProviders: providers = [], publicUrl, proxy } = given;
  const identityProviders = new IdentityProviders({ providers, publicUrl, proxy, randomness });
  const options = { ...given, passwords, sessions, twoFactor, passkeys, identityProviders, signInThrottle };
  const mails = createMailHandlers({ store, passwords, clock, randomness, mail });
  const admission = new AccountAdmission({ store, sessions, clock, signInThrottle });
  const identify: Identify<SignedIn> = (method, caller) => admission.identify(method, caller);
  const anonymous: Identify<AnonymousCaller> = (_, { peer, userAgent }) => ({ peer, userAgent });
  const stopListening = store.onChange((accountId) => callFeed.accountChanged(accountId));
  const publicHandlers: Handlers<typeof StatusService, undefined> = {
    ...createPlanHandlers(plans),
    ...createStatusHandlers({ store, clock }),
  };
  const accountHandlers: AccountHandlers = {
    ...createAccountHandlers({ ...options, sendEmailChange: mails.sendEmailChange }),
    ...createWatchHandlers({ callFeed, servers: () => store.nodeStatus.aliveNodes, clock }),
    ...createCallLogHandlers({ store, clock }),
    ...mails,
  };
  const signInHandlers: Handlers<typeof SignInService, AnonymousCaller> = {
    ...createSignInHandlers({
      ...options,
      sendSignUp: mails.sendSignUp,
      sessionStarted: (token) => admission.sessionStarted(token),
    }),
    ...mails,
  };
  const methods = new Map<string, BoundMethod>(
    [
      ...bindMethods(AccountService, accountHandlers, identify),
      ...bindMethods(BillingService, accountHandlers, identify),
      ...bindMethods(KeyService, accountHandlers, identify),
      ...bindMethods(UsageService, accountHandlers, identify),
      ...bindMethods(WebhookService, accountHandlers, identify),
      ...bindMethods(MemberService, accountHandlers, identify),
      ...bindMethods(ProfileService, accountHandlers, identify),
      ...bindMethods(StatusService, publicHandlers, () => undefined),
      ...bindMethods(SignInService, signInHandlers, anonymous),
      ...bindMethods(OperatorService, createOperatorHandlers(options), identify),
    ].map((bound) => [bound.method.fullName, bound]),
  );
  return {
    admit: (method, caller) => admission.admit(accountMethodOf(method), caller),
    async call({ method, input, caller }) {
      const { call } = methods.get(method) ?? {};
      if (call === undefined) {
        throw new Error(`No account service has the method ${method}`);
      }
      try {
        return await call(input, caller);
      } catch (error) {
        throw asFailure(error);
      }
    },
    async *stream({ method, input, caller }, signal) {
      const { stream } = methods.get(method) ?? {};
      if (stream === undefined) {
        throw new Error(`No account service has the stream ${method}`);
      }
      try {
        yield* stream(input, caller, signal);
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

// The method that lists plans, which anybody may call.
export function createPlanHandlers(plans: Plans): Pick<Handlers<typeof StatusService, unknown>, "listPlans"> {
  return {
    async listPlans({ service }) {
      const results = SERVICE_NAMES.filter((name) => service === "" || service === name).flatMap((name) => plans.of(name));
      return { results: results.map(planMessage) };
    },
  };
}
