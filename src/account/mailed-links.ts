// Mailed links: to set a forgotten password, and to verify an address. A link contains a token, which works once and only for a short time.
// It is in the fragment, which browsers never send to a server. Whether an address has an account is looked up just before the e-mail is
// sent, after the response: neither the response nor the time that it takes reveals it.

import { hashSecret } from "@quintet/guard";
import type { Mail } from "../mail/mail.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { Failure } from "../problem/failure.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { MailPurpose } from "../store/owner-records.ts";
import type { Account } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import { StoreConflict } from "../store/store-errors.ts";
import {
  accountExistsMail,
  addressTakenMail,
  changeEmailMail,
  emailChangedMail,
  emailChangeRequestedMail,
  resetMail,
  signUpMail,
  verifyMail,
} from "./mail-texts.ts";
import { mailQueueFull } from "./refusals.ts";
import { generateToken } from "./tokens.ts";

const HOUR_MS = 3_600_000;
const LIFETIME_MS: Readonly<Record<MailPurpose, number>> = {
  reset: HOUR_MS,
  verify: 24 * HOUR_MS,
  sign_up: 24 * HOUR_MS,
  change_email: 24 * HOUR_MS,
};
const PAGES: Readonly<Record<MailPurpose, string>> = {
  reset: "/app/reset",
  verify: "/app/verify",
  sign_up: "/app/finish",
  change_email: "/app/change-email",
};

/** How a server sends mail. */
export interface MailSending {
  readonly queue: Pick<MailQueue, "add">;
  /** The origin of the links. */
  readonly publicUrl: string;
}

/** A change of an account's address. Both addresses are in lower case. */
export interface EmailChange {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
}

interface MailedLinksOptions extends MailSending {
  readonly store: AdminStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Pick<Randomness, "bytes">;
}

/**
 * Sends links. Each method returns immediately, and throws a Failure if too many e-mails are queued. E-mail addresses are in lower case.
 */
export class MailedLinks {
  readonly #options: MailedLinksOptions;

  constructor(options: MailedLinksOptions) {
    this.#options = options;
  }

  /** Sends a link to set a password, if the address has an account. */
  sendReset(email: string): void {
    this.#send(async () => {
      const account = await this.#options.store.findAccount(email);
      return account && resetMail(email, await this.#link({ purpose: "reset", email, accountId: account.id }));
    });
  }

  /** Sends a link to verify an account's address. */
  sendVerification({ id: accountId }: Pick<Account, "id">, email: string): void {
    this.#send(async () => verifyMail(email, await this.#link({ purpose: "verify", email, accountId })));
  }

  /**
   * Sends a link that creates an account or, if the address already has one, an e-mail that says so. `next` is the path of the page to open
   * afterwards, or empty.
   */
  sendSignUp(email: string, next: string): void {
    this.#send(async () => {
      const { store, publicUrl } = this.#options;
      const account = await store.findAccount(email);
      return account === undefined
        ? signUpMail(email, await this.#link({ purpose: "sign_up", email, accountId: null }, next))
        : accountExistsMail(email, publicUrl);
    });
  }

  /** Sends a link to the new address or, if the address is taken, an e-mail that says so. Also notifies the current address. */
  sendEmailChange({ accountId, from, to }: EmailChange): void {
    const { store, publicUrl } = this.#options;
    this.#send(async () => emailChangeRequestedMail(from, to, publicUrl));
    this.#send(async () => {
      const taken = await store.findAccount(to);
      return taken === undefined
        ? changeEmailMail(to, await this.#link({ purpose: "change_email", email: to, accountId }))
        : addressTakenMail(to, publicUrl);
    });
  }

  /** Sends a notice to an account's former address. Nothing is sent if too many e-mails are queued. */
  sendEmailChanged({ from, to }: Omit<EmailChange, "accountId">): void {
    const { queue, publicUrl } = this.#options;
    queue.add(async () => emailChangedMail(from, to, publicUrl));
  }

  #send(draft: () => Promise<Mail | undefined>): void {
    if (!this.#options.queue.add(() => draft().catch(ignoreDeletedAccount))) {
      throw new Failure(mailQueueFull());
    }
  }

  async #link(token: Omit<Parameters<AdminStore["addMailToken"]>[0], "tokenHash" | "expiresAtMs">, next = ""): Promise<string> {
    const { store, clock, randomness, publicUrl } = this.#options;
    const secret = generateToken(randomness);
    const { purpose } = token;
    await store.addMailToken({ ...token, tokenHash: hashSecret(secret), expiresAtMs: clock.nowMs() + LIFETIME_MS[purpose] });
    // The page that creates the account needs the address to sign the owner in.
    const signInParameters = purpose === "sign_up" ? { email: token.email, ...(next !== "" && { next }) } : {};
    return `${publicUrl}${PAGES[purpose]}#${new URLSearchParams({ token: secret, ...signInParameters })}`;
  }
}

// The account was deleted while the e-mail was queued, so nothing is sent, and trying again would not help.
function ignoreDeletedAccount(error: unknown): undefined {
  if (!(error instanceof StoreConflict)) {
    throw error;
  }
}
