// Limits how many e-mails are sent to an address, whoever requests them. Many providers deliver mail for several spellings of an address to
// one person, so all spellings share a limit: otherwise a stranger could fill a mailbox by requesting e-mails to many spellings of it.
import type { Clock } from "../../runtime/clock.ts";
import type { MailPurpose } from "../../store/owner-store.ts";
import { type RateLimit, Throttle, throwIfLimited } from "../../throttle/throttle.ts";
import { tooManyMails } from "../refusals.ts";

const MAILS_TO_AN_ADDRESS: RateLimit = { burst: 3, everyMs: 600_000 };

export class MailThrottle {
  readonly #sent: Throttle;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#sent = new Throttle(clock, MAILS_TO_AN_ADDRESS);
  }

  /** Counts an e-mail of this kind to an address in lower case. Throws a Failure if it exceeds the rate. */
  take(kind: MailPurpose | "invitation", email: string): void {
    throwIfLimited(this.#sent.take(`${kind} ${mailboxOf(email)}`), tooManyMails);
  }
}

// The address without its tag (`name+tag@`, https://www.rfc-editor.org/rfc/rfc5233) and without dots before the `@`, which some providers
// ignore. People whose addresses differ only in the tag or the dots share a limit.
function mailboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  // An address that begins with a plus sign, such as `+name@`, has no tag.
  const [name] = email.slice(0, at).split(/(?<!^)\+/);
  return (name ?? "").replaceAll(".", "") + email.slice(at);
}
