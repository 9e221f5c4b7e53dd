// Sends the pending e-mails about alerts. A server claims a few e-mails at a time in the store, and records there how each attempt ended.
// If the server dies before that, another server sends them again, with the same id.

import { moneyText } from "../catalogue/money.ts";
import { SERVICES, type ServiceName } from "../catalogue/service-names.ts";
import type { Mail, MailTransport } from "../mail/mail.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Alert, ClaimedDelivery, DeliveryResult } from "../store/alert-records.ts";
import type { AdminStore } from "../store/store.ts";
import { pauseAfter } from "./backoff.ts";
import { InFlight } from "./in-flight.ts";

// The texts of the e-mails about alerts: plain text, each with a link to the page where the owner can act, and one to the page where such
// e-mails are switched off.
interface Text {
  readonly subject: string;
  readonly text: string;
  /** The page where the owner can act. */
  readonly page: string;
}

const DAY_MS = 86_400_000;

const formatCount = (value: unknown): string => Number(value).toLocaleString("en-US");
const titleOf = (service: unknown): string => SERVICES[service as ServiceName]?.title ?? String(service);
// `2026-11-30 14:05 UTC`
const formatTime = (iso: unknown): string => `${String(iso).slice(0, 16).replace("T", " ")} UTC`;
const monthOf = (month: unknown): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });

function thresholdText({ service, plan, month, percent, used, calls_per_month, resets_at }: Alert["details"]): Text {
  const title = titleOf(service);
  const calls = `${formatCount(used)} of the ${formatCount(calls_per_month)} calls to ${title} that your ${plan} plan includes`;
  if (percent === 100) {
    return {
      subject: `${title}: all calls for ${monthOf(month)} are used up`,
      text: `You have used all ${formatCount(calls_per_month)} calls to ${title} that your ${plan} plan includes in ${monthOf(month)}. Further calls are refused until ${formatTime(resets_at)}. A larger plan allows more calls as soon as it is active.`,
      page: "/app/subscriptions",
    };
  }
  return {
    subject: `${title}: ${percent}% of the calls for ${monthOf(month)} are used`,
    text: `You have used ${calls} in ${monthOf(month)}. When all are used, calls are refused until ${formatTime(resets_at)}.`,
    page: "/app/subscriptions",
  };
}

// `24.00 EUR a month for 2,000,000 calls per month and 40 requests per second`
const termsText = ({ price_minor, currency, calls_per_month, requests_per_second }: Alert["details"]): string =>
  `${moneyText(Number(price_minor), String(currency))} a month for ${formatCount(calls_per_month)} calls per month and ${formatCount(requests_per_second)} requests per second`;

// A line of its own, so that it is easy to click.
const invoiceText = ({ invoice_url }: Alert["details"]): string => (invoice_url === undefined ? "" : `\n\nInvoice: ${invoice_url}`);

function endedText({ because }: Alert["details"]): string {
  switch (because) {
    case "cancelled":
      return "it was cancelled";
    case "dispute":
      return "its payment was disputed";
    case "refund":
      return "its payment was refunded";
    default:
      return "it is no longer paid";
  }
}

function planText(details: Alert["details"]): Text {
  const { event, service, plan, at, current_plan, current_price_minor, current_currency, currency, paid_minor } = details;
  const invoice = invoiceText(details);
  const title = titleOf(service);
  const terms = termsText(details);
  const page = "/app/subscriptions";
  switch (event) {
    case "requested":
      return {
        subject: `${title}: you requested the ${plan} plan`,
        text: `You requested the ${plan} plan of ${title}: ${terms}. We will write to you when it is active. Until then, nothing changes.`,
        page,
      };
    case "activated":
      return {
        subject: `${title}: the ${plan} plan is active`,
        text: `The ${plan} plan of ${title} is active: ${terms}.${invoice}`,
        page,
      };
    case "paid":
      return {
        subject: `${title}: you paid for the ${plan} plan`,
        text: `We have received ${moneyText(Number(paid_minor), String(currency))} for another month of your ${plan} plan of ${title}.${invoice}`,
        page,
      };
    case "moving":
      return {
        subject: `${title}: your plan changes on ${String(at).slice(0, 10)}`,
        text: `Your ${current_plan} plan of ${title} is no longer offered. You pay ${moneyText(Number(current_price_minor), String(current_currency))} a month, and keep the plan until ${formatTime(at)}. From then on, you are on the ${plan} plan: ${terms}. If you do not want that, choose another plan or cancel before then.`,
        page,
      };
    case "unpaid":
      return {
        subject: `${title}: your payment failed`,
        text: `The last payment for your ${plan} plan of ${title} failed. You keep the plan until ${formatTime(at)}. Please check your card before then.${invoice}`,
        page,
      };
    case "ended":
      return current_plan === undefined
        ? {
            subject: `${title}: your ${plan} plan has ended`,
            text: `Your ${plan} plan of ${title} has ended, because ${endedText(details)}. Calls are refused until you choose another plan.`,
            page,
          }
        : {
            subject: `${title}: your ${current_plan} plan has ended`,
            text: `Your ${current_plan} plan of ${title} has ended, because ${endedText(details)}. You are now on the ${plan} plan: ${terms}.`,
            page,
          };
    default:
      return { subject: `${title}: your plan has changed`, text: `You are now on the ${plan} plan of ${title}: ${terms}.`, page };
  }
}

function textOf({ type, details, level, createdAtMs }: Alert): Text {
  switch (type) {
    case "quota.threshold":
      return thresholdText(details);
    case "quota.forecast": {
      const { service, plan, month, used, calls_per_month, calls_per_day, runs_out_at, resets_at } = details;
      const title = titleOf(service);
      return {
        subject: `${title}: you will probably run out of calls in ${monthOf(month)}`,
        text: `You have used ${formatCount(used)} of the ${formatCount(calls_per_month)} calls to ${title} that your ${plan} plan includes in ${monthOf(month)}. At ${formatCount(calls_per_day)} a day, the average of recent days, they will run out around ${String(runs_out_at).slice(0, 10)}. After that, calls are refused until ${formatTime(resets_at)}.`,
        page: "/app/subscriptions",
      };
    }
    case "key.expiring": {
      const { name, last_four, expires_at } = details;
      const isSoon = Date.parse(String(expires_at)) - createdAtMs <= DAY_MS;
      return {
        subject: `The key "${name}" expires within ${level === 1 ? "a day" : `${level} days`}`,
        text: `Your key "${name}", which ends in ${last_four}, expires on ${formatTime(expires_at)}. Calls with it are refused from then on. Rotate it${isSoon ? " now" : ""} to get a new key with the same services, and use the new key wherever you use this one.`,
        page: "/app/keys",
      };
    }
    case "calls.failing": {
      const { service, since, calls, failed, percent, usual_percent } = details;
      const title = titleOf(service);
      return {
        subject: `${title}: ${percent}% of your calls fail`,
        text: `Since ${formatTime(since)}, ${formatCount(failed)} of your ${formatCount(calls)} calls to ${title} have failed: ${percent}%, compared with ${usual_percent}% in the two hours before. The usage page shows the reasons.`,
        page: "/app/usage",
      };
    }
    case "plan.changed":
      return planText(details);
    case "plan.requested": {
      const { account, service, plan } = details;
      return {
        subject: `${account} requests the ${plan} plan of ${titleOf(service)}`,
        text: `The account ${account} requests the ${plan} plan of ${titleOf(service)}: ${termsText(details)}. It waits until you activate or decline it.`,
        page: "/app/operator/waiting",
      };
    }
    case "plan.disputed": {
      const { account, service, plan } = details;
      return {
        subject: `${account} disputes a payment for ${titleOf(service)}`,
        text: `A payment of the account ${account} for the ${plan} plan of ${titleOf(service)} is disputed, so the plan has ended here and at Stripe. Answer the dispute in Stripe's dashboard.${invoiceText(details)}`,
        page: "/app/operator",
      };
    }
    case "webhook.failing": {
      const { url, since, error, disabled } = details;
      const failing = `Nothing has been delivered to your webhook endpoint ${url} since ${formatTime(since)}. The last error was: ${error}`;
      return disabled === 1
        ? {
            subject: "Your webhook endpoint was disabled",
            text: `${failing} The endpoint is disabled now, and nothing more is sent to it until you enable it. You can then replay failed deliveries from the last 7 days.`,
            page: "/app/alerts",
          }
        : {
            subject: "Your webhook endpoint has been failing for a day",
            text: `${failing} We gave up on a delivery. Later alerts are still sent. If nothing can be delivered for five days, the endpoint is disabled. You can replay failed deliveries from the last 7 days.`,
            page: "/app/alerts",
          };
    }
  }
}

/** The e-mail about an alert. `publicUrl`: the origin of its links. */
function alertMail(alert: Alert, to: string, publicUrl: string): Mail {
  const { subject, text, page } = textOf(alert);
  return {
    to,
    subject,
    text: `${text}

${publicUrl}${page}

To choose which e-mails you get, see ${publicUrl}/app/alerts
`,
    messageId: `<${alert.id}@${new URL(publicUrl).hostname}>`,
  };
}

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
