// Limits how many e-mails are sent to an address, whoever requests them. Many providers deliver mail for several spellings of an address to
// one person, so all spellings share a limit: otherwise a stranger could fill a mailbox by requesting e-mails to many spellings of it.

import { type RateLimit, Throttle } from "@quintet/guard";
import { throwIfLimited } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { mailboxOf } from "../../runtime/email.ts";
import type { MailPurpose } from "../../store/owner-records.ts";
import { tooManyMails } from "../refusals.ts";

const MAILS_TO_AN_ADDRESS: RateLimit = { burst: 3, everyMs: 600_000 };

export class MailThrottle {
  readonly #sent: Throttle;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#sent = new Throttle(clock, MAILS_TO_AN_ADDRESS);
  }

  /** Counts an e-mail of this kind to an address in lower case. Throws a Failure if it exceeds the rate. */
  take(kind: MailPurpose | "invitation", email: string): void {
    // Some providers also ignore the dots before the `@`.
    const mailbox = mailboxOf(email);
    const at = mailbox.lastIndexOf("@");
    throwIfLimited(this.#sent.take(`${kind} ${mailbox.slice(0, at).replaceAll(".", "")}${mailbox.slice(at)}`), tooManyMails);
  }
}
