// The methods that send links by mail or accept their tokens. They are rate-limited by network, and by the e-mail address that mail would
// go to, whether there is an account or not.

import { hashSecret, NetworkThrottle, type RateLimit, takeAll } from "@quintet/guard";
import type { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { MailToken } from "../../store/owner-records.ts";
import type { AdminStore } from "../../store/store.ts";
import { FreePlanTaken, StoreConflict } from "../../store/store-errors.ts";
import { accountNameOf, requireEmail } from "../accounts.ts";
import { type EmailChange, MailedLinks, type MailSending } from "../mailed-links.ts";
import { OwnerNotices } from "../owner-notices.ts";
import { requireGoodPassword } from "../password-rules.ts";
import type { Passwords } from "../passwords.ts";
import { noMail, sessionInvalid, stateForbids, tooManyMails } from "../refusals.ts";
import type { AccountHandlers, Handlers } from "./handlers.ts";
import { MailThrottle } from "./mail-throttle.ts";
import { MEMBER_ROLE_MESSAGES } from "./messages.ts";
import type { AnonymousCaller } from "./sign-in-handlers.ts";

const RESETS_PER_NETWORK: RateLimit = { burst: 10, everyMs: 60_000 };
// Tokens cannot be guessed; this bounds the work that guesses cause.
const TOKENS_PER_NETWORK: RateLimit = { burst: 20, everyMs: 3000 };

interface MailHandlerOptions {
  readonly store: AdminStore;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Undefined on a server that does not send mail. */
  readonly mail: MailSending | undefined;
}

type MailHandlers = Pick<
  Handlers<typeof SignInService, AnonymousCaller>,
  "requestPasswordReset" | "resetPassword" | "verifyEmail" | "getInvitation"
> &
  Pick<AccountHandlers, "sendVerification"> & {
    /** Sends the e-mail that follows a sign-up to an address in lower case. Undefined on a server that does not send mail. */
    readonly sendSignUp: ((email: string, next: string) => void) | undefined;
    /** Sends the e-mails that follow the request to change an address. Undefined on a server that does not send mail. */
    readonly sendEmailChange: ((change: EmailChange) => void) | undefined;
  };

export function createMailHandlers({ store, passwords, clock, randomness, mail }: MailHandlerOptions): MailHandlers {
  const links = mail && new MailedLinks({ ...mail, store, clock, randomness });
  const notices = new OwnerNotices({ store, mail });
  const mailThrottle = new MailThrottle(clock);
  const resetThrottle = new NetworkThrottle(clock, RESETS_PER_NETWORK);
  const tokenThrottle = new NetworkThrottle(clock, TOKENS_PER_NETWORK);
  const asVisitor = (origin: string) => store.by({ kind: "visitor", name: "", origin });
  return {
    sendSignUp:
      links &&
      ((email, next) => {
        mailThrottle.take("sign_up", email);
        links.sendSignUp(email, next);
      }),
    sendEmailChange:
      links &&
      ((change) => {
        // Otherwise an account could have e-mails sent to any number of strangers.
        mailThrottle.take("change_email", change.from);
        mailThrottle.take("change_email", change.to);
        links.sendEmailChange(change);
      }),
    async requestPasswordReset({ email: given }, { peer }) {
      const email = requireEmail(given);
      if (links === undefined) {
        throw new Failure(noMail());
      }
      throwIfLimited(takeAll(resetThrottle.attempts(peer)), tooManyMails);
      mailThrottle.take("reset", email);
      links.sendReset(email);
      return {};
    },
    async resetPassword({ token, newPassword }, { peer }) {
      throwIfLimited(takeAll(tokenThrottle.attempts(peer)), tooManyMails);
      const tokenHash = hashSecret(token);
      const found = await store.findMailToken(tokenHash);
      if (found?.purpose !== "reset") {
        throw invalidLink();
      }
      requireGoodPassword("new_password", newPassword, found.email);
      const passwordHash = await passwords.hash(newPassword);
      if (!(await falseOnConflict(() => asVisitor(peer).resetPassword(tokenHash, passwordHash)))) {
        throw invalidLink();
      }
      notices.send(found.accountId ?? "", { kind: "passwordChanged" });
      return {};
    },
    async verifyEmail({ token, password }, { peer }) {
      throwIfLimited(takeAll(tokenThrottle.attempts(peer)), tooManyMails);
      const tokenHash = hashSecret(token);
      const found = await store.findMailToken(tokenHash);
      // Only where invitations go by mail does their link prove whose address it is.
      const invitation = found === undefined && links !== undefined ? await store.findInvitation(tokenHash) : undefined;
      if (invitation !== undefined) {
        const invited = await newAccountFor(invitation.email, password);
        if (!(await falseOnConflict(() => asVisitor(peer).verifyEmail(tokenHash, invited)))) {
          throw new Failure(invalidArgument([{ field: "email", description: HAS_ACCOUNT }]));
        }
        return {};
      }
      if (found === undefined) {
        throw invalidLink();
      }
      const created = found.purpose === "sign_up" ? await newAccountFor(found.email, password) : undefined;
      if (found.purpose === "verify" || found.purpose === "change_email") {
        await requireOwnPassword(found.accountId, password);
      }
      if (found.purpose === "change_email") {
        await changeEmail(tokenHash, found, peer);
        return {};
      }
      if (!(await falseOnConflict(() => asVisitor(peer).verifyEmail(tokenHash, created)))) {
        throw invalidLink();
      }
      return {};
    },
    async getInvitation({ token }, { peer }) {
      throwIfLimited(takeAll(tokenThrottle.attempts(peer)), tooManyMails);
      const found = await store.findInvitation(hashSecret(token));
      if (found === undefined) {
        throw new Failure(invalidArgument([{ field: "token", description: INVALID_INVITATION }]));
      }
      const { email, role, invitedBy, accountId } = found;
      return {
        ...{ email, role: MEMBER_ROLE_MESSAGES[role] },
        ...{ invitedBy: await personNameOf(store, invitedBy), account: await personNameOf(store, accountId) },
      };
    },
    async sendVerification(_, { accountId }) {
      if (links === undefined) {
        throw new Failure(noMail());
      }
      const account = await store.findAccount(accountId);
      if (account === undefined) {
        throw new Failure(sessionInvalid());
      }
      if (account.email === null || account.emailVerifiedAtMs !== undefined) {
        const message = account.email === null ? "The account has no e-mail address." : "The e-mail address is already verified.";
        throw new Failure(stateForbids("account", message));
      }
      const email = account.email.toLowerCase();
      mailThrottle.take("verify", email);
      links.sendVerification(account, email);
      return {};
    },
  };

  // The caller has given the password of the account's owner.
  async function changeEmail(tokenHash: string, { accountId, email: to }: MailToken, peer: string): Promise<void> {
    const asOwner = store.by({ kind: "owner", name: accountId ?? "", origin: peer });
    const from = await falseOnConflict(async () => {
      try {
        return await asOwner.changeEmailByLink(tokenHash);
      } catch (error) {
        throw error instanceof FreePlanTaken ? new Failure(stateForbids("account", error.message)) : error;
      }
    });
    if (from === undefined || from === false) {
      throw invalidLink();
    }
    links?.sendEmailChanged({ from, to });
  }

  // Anybody can sign up with somebody else's address. So the password is not the one typed at sign-up, but one that the e-mail's recipient
  // sets.
  async function newAccountFor(email: string, password: string) {
    requireGoodPassword("password", password, email);
    const name = accountNameOf(email, randomness);
    return { id: randomness.uuid(), name, passwordHash: await passwords.hash(password) };
  }

  // For the same reason, only the account's owner can verify its address, and not just anybody who reads mail there.
  async function requireOwnPassword(accountId: string | null, password: string): Promise<void> {
    const owner = accountId === null ? undefined : await store.findOwnerOf(accountId);
    if (!(await passwords.matches(password, owner?.passwordHash))) {
      throw new Failure(invalidArgument([{ field: "password", description: WRONG_PASSWORD }]));
    }
  }
}

const HAS_ACCOUNT = "already has an account. Sign in to accept the invitation";

/** Why an invitation's token is refused. */
export const INVALID_INVITATION =
  "is not valid: the invitation was used, withdrawn or replaced, or has expired. Ask for another one";

/** The name that people know an account's owner by: an e-mail address, or whatever there is. */
export async function personNameOf(store: Pick<AdminStore, "findAccount">, id: string): Promise<string> {
  const account = await store.findAccount(id);
  return account?.email ?? account?.name ?? id;
}

const WRONG_PASSWORD =
  "is wrong. If somebody else created an account with your address, request a new password: that ends their sessions";

// A conflict means that the account was deleted, or that the address now belongs to another account.
async function falseOnConflict<Result>(change: () => Promise<Result>): Promise<Result | false> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof StoreConflict) {
      return false;
    }
    throw error;
  }
}

const invalidLink = (): Failure =>
  new Failure(
    invalidArgument([{ field: "token", description: "is not valid: the link was used or has expired. Ask for another one" }]),
  );
