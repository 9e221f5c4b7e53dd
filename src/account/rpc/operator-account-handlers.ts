// What operators do with accounts: find and read them, suspend and resume them, and help owners who cannot sign in.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Store } from "../../store/store.ts";
import { twoFactorResetMail } from "../mail-texts.ts";
import type { MailSending } from "../mailed-links.ts";
import { stateForbids } from "../refusals.ts";
import { type Handlers, pageOf, type SignedIn } from "./handlers.ts";
import { accountMessage, confirmation, keyMessage, listedSubscription, memberMessage } from "./messages.ts";
import type { OperatorAccess } from "./operator-access.ts";

const PAGE_LIMIT = 50;

type OperatorAccountHandlers = Pick<
  Handlers<typeof OperatorService, SignedIn>,
  "listAccounts" | "getAccount" | "updateAccount" | "resetTwoFactor"
>;

/** The handlers. `who` is an operator. */
export function createOperatorAccountHandlers({
  store,
  clock,
  mail,
  access: { storeForChange, requireAccount },
}: {
  readonly store: Store;
  readonly clock: Clock;
  /** Undefined on a server that does not send mail. */
  readonly mail?: MailSending | undefined;
  readonly access: OperatorAccess;
}): OperatorAccountHandlers {
  return {
    async listAccounts({ search, onlySuspended = false, onlyOperators = false, limit = PAGE_LIMIT, offset }) {
      const { total, accounts } = await store.accountPage({ search: search.trim(), onlySuspended, onlyOperators, limit, offset });
      return { ...pageOf(accounts.length, total, offset), results: accounts.map(accountMessage) };
    },
    async getAccount({ accountId }) {
      const account = await requireAccount(accountId);
      const [subscriptions, payments, keys, uses, members, twoFactor, passkeys] = await Promise.all([
        store.listSubscriptions(accountId),
        store.livePayments(accountId),
        store.listKeys(accountId),
        store.keyUses(accountId),
        store.listMembers(accountId),
        store.findTwoFactor(accountId),
        store.passkeysOf(accountId),
      ]);
      const nowMs = clock.nowMs();
      return {
        account: accountMessage(account),
        subscriptions: subscriptions.map((each) =>
          listedSubscription(
            each,
            payments.find(({ isGranted, subscriptionId }) => isGranted && subscriptionId === each.id),
          ),
        ),
        keys: keys.map((key) => keyMessage(key, nowMs, { lastUsedAtMs: uses.get(key.id) })),
        members: members.map(memberMessage),
        passkeys: passkeys.length,
        ...(twoFactor?.onSinceMs !== undefined && {
          twoFactorSince: timestampFromMs(twoFactor.onSinceMs),
          recoveryCodesLeft: twoFactor.recoveryCodesLeft,
        }),
      };
    },
    async updateAccount({ accountId, suspended = false }, who) {
      const beginMs = clock.monotonicMs();
      if (suspended && accountId === who.accountId) {
        throw new Failure(stateForbids("account_id", "This is your own account. Another operator can suspend it."));
      }
      await requireAccount(accountId);
      const account = await storeForChange(who).setSuspended(accountId, suspended);
      const change = await store.acknowledged();
      const refusedEverywhereAfterMs = Math.ceil(clock.monotonicMs() - beginMs);
      return {
        account: accountMessage(account),
        ...confirmation(change),
        ...(suspended && change.isComplete && { refusedEverywhereAfterMs }),
      };
    },
    async resetTwoFactor({ accountId }, who) {
      if (accountId === who.accountId) {
        // Otherwise, whoever steals an operator's session could turn it off.
        throw new Failure(
          stateForbids("account_id", "This is your own account. Turn two-factor authentication off at /app/account."),
        );
      }
      const account = await requireAccount(accountId);
      if (!(await storeForChange(who).removeTwoFactor(accountId))) {
        throw new Failure(stateForbids("account_id", "The account has neither two-factor authentication nor passkeys."));
      }
      const { email } = account;
      const mailSent = email !== null && mail?.queue.add(() => Promise.resolve(twoFactorResetMail(email, mail.publicUrl))) === true;
      return { account: accountMessage(account), mailSent };
    },
  };
}
