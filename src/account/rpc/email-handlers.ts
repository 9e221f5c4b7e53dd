// The method that changes the account's e-mail address.

import { hashSecret } from "@quintet/guard";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { AdminStore } from "../../store/store.ts";
import { StoreConflict } from "../../store/store-errors.ts";
import { requireEmail } from "../accounts.ts";
import type { EmailChange } from "../mailed-links.ts";
import { sessionInvalid } from "../refusals.ts";
import type { TwoFactorSignIn } from "../two-factor.ts";
import { type AccountHandlers, asOwner, type RequirePassword } from "./handlers.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

interface EmailHandlerOptions {
  readonly store: AdminStore;
  readonly twoFactor: TwoFactorSignIn;
  readonly signInThrottle: Pick<SignInThrottle, "trySignUp" | "recordTaken">;
  /** Sends the e-mails that follow the request. Undefined on a server that does not send mail. */
  readonly sendEmailChange: ((change: EmailChange) => void) | undefined;
  readonly requirePassword: RequirePassword;
}

export const createEmailHandlers = ({
  store,
  twoFactor,
  signInThrottle,
  sendEmailChange,
  requirePassword,
}: EmailHandlerOptions): Pick<AccountHandlers, "changeEmail"> => ({
  async changeEmail({ newEmail, password, code }, who) {
    const { accountId, peer, token } = who;
    const to = requireEmail(newEmail, "new_email");
    await requirePassword(who, password);
    const from = (await store.findAccount(accountId))?.email?.toLowerCase();
    if (from === undefined) {
      throw new Failure(sessionInvalid());
    }
    if (from === to) {
      throw refused("is already the account's address");
    }
    await twoFactor.requireIfOn(accountId, code, asOwner(store, who));
    if (sendEmailChange !== undefined) {
      // Whether the address is taken is looked up when the e-mail is sent, so that the response does not reveal it.
      sendEmailChange({ accountId, from, to });
      return { mailSent: true };
    }
    // Without mail, a changed address is not verified, just like the address of a new account, so the limit for sign-ups applies.
    signInThrottle.trySignUp(peer);
    try {
      await asOwner(store, who).changeOwnerEmail(accountId, { to, currentTokenHash: hashSecret(token) });
    } catch (error) {
      if (error instanceof StoreConflict) {
        signInThrottle.recordTaken(peer);
        throw refused("cannot be used for this account. Choose another address");
      }
      throw error;
    }
    return {};
  },
});

const refused = (description: string): Failure => new Failure(invalidArgument([{ field: "new_email", description }]));
