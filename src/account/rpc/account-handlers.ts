// The methods that need a session: the account itself, its sessions, keys, subscriptions and usage.

import { type RateLimit, Throttle } from "@quintet/guard";
import type { Plans } from "../../catalogue/plans.ts";
import type { KeyPrefix } from "../../guard/keys/key.ts";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { AdminStore } from "../../store/store.ts";
import type { Billing } from "../billing.ts";
import type { EmailChange, MailSending } from "../mailed-links.ts";
import { OwnerNotices } from "../owner-notices.ts";
import type { Passkeys } from "../passkeys.ts";
import { sessionInvalid, tooManyAttempts, tooManyChanges } from "../refusals.ts";
import type { PriorityOf, Sessions } from "../sessions.ts";
import type { TwoFactorSignIn } from "../two-factor.ts";
import type { UnspentCalls } from "../usage-history.ts";
import { createActivityHandlers } from "./activity-handlers.ts";
import { createAlertHandlers } from "./alert-handlers.ts";
import { createBillingHandlers, failOnPayment } from "./billing-handlers.ts";
import { createEmailHandlers } from "./email-handlers.ts";
import { type AccountHandlers, asOwner, failOnConflict, type RequirePassword, type SignedIn } from "./handlers.ts";
import { createKeyHandlers } from "./key-handlers.ts";
import { createMemberHandlers, requireMayRemove } from "./member-handlers.ts";
import { accountMessage, confirmation, sharedAccountMessage } from "./messages.ts";
import { createPasskeyHandlers } from "./passkey-handlers.ts";
import { createProfileHandlers } from "./profile-handlers.ts";
import { createSettingsHandlers, settingsOf } from "./settings-handlers.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";
import { createSubscriptionHandlers } from "./subscription-handlers.ts";
import { createTwoFactorHandlers } from "./two-factor-handlers.ts";
import { createUsageHandlers } from "./usage-handlers.ts";
import { createWebhookHandlers } from "./webhook-handlers.ts";

/** Guessing the current password must not be faster here than when signing in. */
const GUESSES_PER_ACCOUNT: RateLimit = { burst: 10, everyMs: 10_000 };

/** Each change is announced to every server, and makes each of them look up the account's keys again. */
const CHANGES_PER_ACCOUNT: RateLimit = { burst: 120, everyMs: 1000 };

interface AccountHandlerOptions {
  readonly store: AdminStore;
  readonly sessions: Sessions;
  readonly passkeys: Passkeys;
  readonly twoFactor: TwoFactorSignIn;
  readonly plans: Plans;
  /** Undefined if customers cannot pay by card. */
  readonly billing?: Billing | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The prefix of keys that are created here; `qk_live_` by default. */
  readonly keyPrefix?: KeyPrefix;
  readonly unspent: UnspentCalls;
  readonly signInThrottle: SignInThrottle;
  /** Sends the e-mails that follow the request to change an address. Undefined on a server that does not send mail. */
  readonly sendEmailChange: ((change: EmailChange) => void) | undefined;
  /** How this server sends mail; undefined if it sends none. */
  readonly mail?: MailSending | undefined;
  /** Whether webhooks may go to private addresses. By default they may not. */
  readonly allowsPrivateWebhooks?: boolean;
}

/** The handlers of the services for customers with a session, except those for public methods, mail and streams. */
export function createAccountHandlers(
  options: AccountHandlerOptions,
): Omit<AccountHandlers, "listPlans" | "getStatus" | "watchCalls" | "listCalls" | "sendVerification"> {
  const { store, sessions, twoFactor, clock, signInThrottle, mail } = options;
  const guesses = new Throttle(clock, GUESSES_PER_ACCOUNT);
  const countGuess = ({ personId }: SignedIn): void => throwIfLimited(guesses.take(personId), tooManyAttempts);
  // Anybody can have a session. So checks of passwords count for the network and wait in the queue as they do when somebody signs in.
  const countPasswordCheck = (who: SignedIn): PriorityOf => {
    countGuess(who);
    signInThrottle.takeRequest(who.peer);
    return (email) => signInThrottle.priorityOf(who.peer, email);
  };
  const requirePassword: RequirePassword = async (who, password) => {
    if (!(await sessions.confirms(who.personId, password, countPasswordCheck(who)))) {
      throw new Failure(invalidArgument([{ field: "password", description: "is wrong" }]));
    }
  };
  const notices = new OwnerNotices({ store, mail });
  const changes = new Throttle(clock, CHANGES_PER_ACCOUNT);
  const rateLimited =
    <Input, Output>(handle: (input: Input, who: SignedIn) => Promise<Output>) =>
    async (input: Input, who: SignedIn): Promise<Output> => {
      throwIfLimited(changes.take(who.accountId), tooManyChanges);
      return handle(input, who);
    };
  const keys = createKeyHandlers(options);
  const subscriptions = createSubscriptionHandlers(options);
  const billing = createBillingHandlers(options);
  const settings = createSettingsHandlers(options);
  const webhooks = createWebhookHandlers(options);
  const members = createMemberHandlers({ ...options, notices, requirePassword });
  const removeMember = rateLimited(members.removeMember);
  return {
    ...keys,
    createKey: rateLimited(keys.createKey),
    updateKey: rateLimited(keys.updateKey),
    rotateKey: rateLimited(keys.rotateKey),
    revokeKey: rateLimited(keys.revokeKey),
    ...subscriptions,
    setSubscription: rateLimited(subscriptions.setSubscription),
    cancelSubscription: rateLimited(subscriptions.cancelSubscription),
    createCheckout: rateLimited(billing.createCheckout),
    createPortalSession: rateLimited(billing.createPortalSession),
    previewChange: rateLimited(billing.previewChange),
    ...createUsageHandlers(options),
    ...createProfileHandlers(options),
    ...createActivityHandlers(options),
    ...createAlertHandlers(options),
    updateAccount: rateLimited(settings.updateAccount),
    ...webhooks,
    createWebhookEndpoint: rateLimited(webhooks.createWebhookEndpoint),
    updateWebhookEndpoint: rateLimited(webhooks.updateWebhookEndpoint),
    rotateWebhookSecret: rateLimited(webhooks.rotateWebhookSecret),
    deleteWebhookEndpoint: rateLimited(webhooks.deleteWebhookEndpoint),
    ...members,
    changeMemberRole: rateLimited(members.changeMemberRole),
    removeMember: async (input, who) => {
      // Whoever may not remove members must not use up the account's rate either.
      requireMayRemove(input, who);
      return removeMember(input, who);
    },
    ...createEmailHandlers({ ...options, requirePassword }),
    ...createPasskeyHandlers({ ...options, notices, requirePassword }),
    ...createTwoFactorHandlers({ store, twoFactor, notices, countGuess, requirePassword }),
    async getAccount(_, { accountId, personId, role }) {
      const signedIn = await store.findAccount(personId);
      const account = accountId === personId ? signedIn : await store.findAccount(accountId);
      if (account === undefined || signedIn === undefined) {
        throw new Failure(sessionInvalid());
      }
      const shown =
        accountId === personId
          ? { account: accountMessage(account) }
          : { account: sharedAccountMessage(account, role), signedIn: accountMessage(signedIn) };
      return { ...shown, ...(mail !== undefined && { sendsMail: true }), settings: await settingsOf(store, accountId) };
    },
    async changePassword({ currentPassword: from, newPassword: to }, who) {
      const { accountId, token } = who;
      const priorityOf = countPasswordCheck(who);
      if (!(await sessions.changePassword(accountId, token, { from, to, priorityOf }, asOwner(store, who)))) {
        throw new Failure(invalidArgument([{ field: "current_password", description: "is wrong" }]));
      }
      notices.send(accountId, { kind: "passwordChanged" });
      return {};
    },
    async deleteAccount({ password, code }, who) {
      const beginMs = clock.monotonicMs();
      await requirePassword(who, password);
      await twoFactor.requireIfOn(who.accountId, code, asOwner(store, who));
      await failOnPayment("account", async () => options.billing?.end(who.accountId));
      await failOnConflict("account", () => asOwner(store, who).deleteAccount(who.accountId));
      const change = await store.acknowledged();
      const refusedAfterMs = Math.ceil(clock.monotonicMs() - beginMs);
      return { ...confirmation(change), ...(change.isComplete && { refusedEverywhereAfterMs: refusedAfterMs }) };
    },
  };
}
