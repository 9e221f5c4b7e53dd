// AccountService as a whole: the account itself and its session, and with them keys, subscriptions and usage.
import type { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import type { Clock } from "../clock.ts";
import type { Plans } from "../guard/plans.ts";
import { Failure, invalidArgument } from "../problem/problem.ts";
import type { Randomness } from "../randomness.ts";
import type { AdminStore } from "../store/store.ts";
import type { Handlers } from "./handlers.ts";
import { createKeyHandlers } from "./key-handlers.ts";
import { accountMessage } from "./messages.ts";
import type { Payments } from "./payments.ts";
import { sessionInvalid } from "./refusals.ts";
import type { Sessions } from "./sessions.ts";
import { createSubscriptionHandlers } from "./subscription-handlers.ts";
import { createUsageHandlers } from "./usage-handlers.ts";
import type { SignedIn } from "./visitor.ts";

/** What the handlers work with. */
export interface AccountDeps {
  readonly store: AdminStore;
  /** Loads them when they are first asked for. */
  readonly sessions: () => Promise<Sessions>;
  readonly plans: Plans;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The handlers of AccountService. */
export function createAccountHandlers(deps: AccountDeps): Handlers<typeof AccountService, SignedIn> {
  const { store, sessions } = deps;
  return {
    ...createKeyHandlers(deps),
    ...createSubscriptionHandlers(deps),
    ...createUsageHandlers(deps),
    async getAccount(_, { accountId }) {
      const account = await store.findAccount(accountId);
      if (account === undefined) {
        throw new Failure(sessionInvalid());
      }
      return { account: accountMessage(account) };
    },
    async changePassword({ currentPassword, newPassword }, session) {
      if (!(await (await sessions()).changePassword(session, currentPassword, newPassword))) {
        throw new Failure(invalidArgument([{ field: "current_password", description: "is not the password as it is" }]));
      }
      return {};
    },
    async signOut(_, { token }) {
      await (await sessions()).end(token);
      return {};
    },
  };
}
