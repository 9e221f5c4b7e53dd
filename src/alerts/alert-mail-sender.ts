// Sends the pending e-mails about alerts. A server claims a few e-mails at a time in the store, and records there how each attempt ended.
// If the server dies before that, another server sends them again, with the same id.
import type { MailTransport } from "../mail/mail.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { ClaimedDelivery, DeliveryResult } from "../store/alert-records.ts";
import type { AdminStore } from "../store/store.ts";
import { pauseAfter } from "./backoff.ts";
import { InFlight } from "./in-flight.ts";
import { alertMail } from "./mail-texts.ts";

/** How a server sends e-mails about alerts. */
export interface AlertMail {
  readonly transport: Pick<MailTransport, "send">;
  /** The origin of the links. */
  readonly publicUrl: string;
}

interface AlertMailSenderOptions {
  readonly store: Pick<AdminStore, "claimDeliveries" | "endAttempt">;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "unit">;
  readonly log: Pick<Log, "warn">;
  /** Undefined if no mail is sent. */
  readonly mail: AlertMail | undefined;
}

const CONCURRENCY_MAX = 8;
/** Longer than any attempt may take. */
const LEASE_MS = 120_000;

/** The outcomes of attempts since the start. */
export interface DeliveryCounts {
  delivered: number;
  retried: number;
  failed: number;
}

/** The result of an attempt. `isFinal`: another attempt would be pointless. */
type Attempt = { readonly isDelivered: boolean; readonly isFinal: boolean; readonly result: string };

export class AlertMailSender {
  readonly counts: DeliveryCounts = { delivered: 0, retried: 0, failed: 0 };
  readonly #options: AlertMailSenderOptions;
  readonly #inProgress = new InFlight<ClaimedDelivery>();

  constructor(options: AlertMailSenderOptions) {
    this.#options = options;
  }

  /** Claims deliveries and begins to send them. Returns whether more may be due. Rejects as the store does. */
  async next(): Promise<boolean> {
    const free = CONCURRENCY_MAX - this.#inProgress.size;
    if (free === 0) {
      return true;
    }
    const claimed = await this.#options.store.claimDeliveries(free, LEASE_MS);
    for (const delivery of claimed) {
      this.#inProgress.add(delivery, this.#send(delivery));
    }
    return claimed.length === free;
  }

  /** Resolves when nothing is being sent any more, after `withinMs` at the latest. */
  async close(withinMs: number): Promise<void> {
    await this.#inProgress.end(withinMs, this.#options.clock);
  }

  // Never rejects. If the result cannot be recorded, the delivery is sent again later.
  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { store, log } = this.#options;
    try {
      const result = this.#resultOf(delivery, await this.#attempt(delivery));
      this.counts[result.state === "waiting" ? "retried" : result.state] += 1;
      await store.endAttempt(delivery, result);
    } catch (error) {
      log.warn({ err: error, delivery: delivery.id }, "the result of a delivery could not be recorded; it will be sent again");
    }
  }

  #resultOf({ attempt }: ClaimedDelivery, { isDelivered, isFinal, result }: Attempt): DeliveryResult {
    if (isDelivered) {
      return { state: "delivered", result };
    }
    const pauseMs = isFinal ? undefined : pauseAfter(attempt, this.#options.randomness);
    return pauseMs === undefined
      ? { state: "failed", result }
      : { state: "waiting", retryAtMs: this.#options.clock.nowMs() + pauseMs, result };
  }

  async #attempt({ alert, email }: ClaimedDelivery): Promise<Attempt> {
    const { mail } = this.#options;
    // Another server may be set up to send mail.
    if (mail === undefined) {
      return { isDelivered: false, isFinal: false, result: "NO_MAIL" };
    }
    if (email === undefined) {
      return { isDelivered: false, isFinal: true, result: "NO_ADDRESS" };
    }
    const sent = await mail.transport.send(alertMail(alert, email, mail.publicUrl));
    return sent.outcome === "sent"
      ? { isDelivered: true, isFinal: true, result: "SENT" }
      : { isDelivered: false, isFinal: sent.outcome === "refused", result: sent.code };
  }
}
