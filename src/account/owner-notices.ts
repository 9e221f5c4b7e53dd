// Notices by e-mail to the owners of an account: of changes that somebody with a stolen session or password would make.
import type { AdminStore } from "../store/store.ts";
import { type SecurityEvent, securityMail } from "./mail-texts.ts";
import type { MailSending } from "./mailed-links.ts";

interface OwnerNoticesOptions {
  readonly store: Pick<AdminStore, "findAccount" | "listMembers">;
  /** Undefined on a server that does not send mail. */
  readonly mail: MailSending | undefined;
}

/** Sends notices. The change has been made, so it does not fail if they cannot be sent. */
export class OwnerNotices {
  readonly #options: OwnerNoticesOptions;

  constructor(options: OwnerNoticesOptions) {
    this.#options = options;
  }

  /** Tells the primary owner of an account. */
  send(accountId: string, event: SecurityEvent): void {
    const { store, mail } = this.#options;
    mail?.queue.add(async () => {
      const { email = null } = (await store.findAccount(accountId)) ?? {};
      return email === null ? undefined : securityMail(email, event, mail.publicUrl);
    });
  }

  /** Tells all owners of an account, except the person with this id. */
  async sendToOwners(accountId: string, event: SecurityEvent, exceptId?: string): Promise<void> {
    const { store, mail } = this.#options;
    const members = mail === undefined ? [] : await store.listMembers(accountId).catch(() => []);
    for (const { id, email, role } of members) {
      if (role === "owner" && id !== exceptId && email !== null) {
        mail?.queue.add(async () => securityMail(email, event, mail.publicUrl));
      }
    }
  }
}
