// What a server does for alerts while it runs: it checks the calls that were counted and the keys that will expire, and sends what is due.
// All servers on one database do this at the same time, each for a different part of the accounts.
import { startBackgroundJob } from "../runtime/background-job.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { AdminStore } from "../store/store.ts";
import { type AlertMail, AlertMailSender, type DeliveryCounts } from "./alert-mail-sender.ts";
import { ALERT_RULES } from "./alert-rules.ts";
import { KeyExpiryAlerts } from "./key-expiry.ts";
import type { WebhookRequests } from "./webhooks/request.ts";
import { type WebhookCounts, WebhookSender } from "./webhooks/webhook-sender.ts";

interface AlertsOptions {
  readonly store: AdminStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** How many subscriptions are checked in one transaction. */
  readonly checksMax: number;
  /** The outcomes whose calls were refunded. */
  readonly refunded: readonly string[];
  /** Undefined if no mail is sent. */
  readonly mail: AlertMail | undefined;
  /** How requests are sent to customers' endpoints. */
  readonly webhooks: WebhookRequests;
}

export interface Alerts {
  /** The outcomes of e-mails since the start. */
  readonly counts: Readonly<DeliveryCounts>;
  /** The outcomes of deliveries to webhook endpoints since the start. */
  readonly webhookCounts: Readonly<WebhookCounts>;
  /** Starts nothing new, and lets deliveries in progress finish, for at most this long. Never rejects. */
  close(withinMs: number): Promise<void>;
}

const CHECK_EVERY_MS = 5000;
const SEND_EVERY_MS = 3000;
const KEYS_EVERY_MS = 600_000;
// The pause between two transactions, so that calls need not wait.
const PAUSE_MS = 50;
/**
 * How many subscriptions are checked in one transaction. On the embedded database, calls wait until it ends; on PostgreSQL, the aggregation
 * of counts does.
 */
export const CHECKS_MAX = { embedded: 50, postgresql: 100 };

export function beginAlerts(options: AlertsOptions): Alerts {
  const { store, clock, randomness, log, checksMax, refunded, mail, webhooks } = options;
  const mails = mail !== undefined;
  const sender = new AlertMailSender({ store, clock, randomness, log, mail });
  const webhookSender = new WebhookSender({ store, clock, randomness, log, requests: webhooks, mails });
  const keys = new KeyExpiryAlerts(store, { mails });
  const shared = { clock, log, pauseMs: PAUSE_MS };
  const stops = [
    startBackgroundJob({
      ...shared,
      everyMs: CHECK_EVERY_MS,
      failure: "calls cannot be checked for alerts; trying again",
      work: async () => (await store.checkAlerts(ALERT_RULES, { refunded, mails, limit: checksMax })) === checksMax,
    }),
    startBackgroundJob({
      ...shared,
      everyMs: KEYS_EVERY_MS,
      failure: "keys cannot be checked for alerts; trying again",
      work: () => keys.next(clock.nowMs()),
    }),
    startBackgroundJob({
      ...shared,
      everyMs: SEND_EVERY_MS,
      failure: "alerts cannot be sent; trying again",
      work: () => sender.next(),
    }),
    startBackgroundJob({
      ...shared,
      everyMs: SEND_EVERY_MS,
      failure: "webhooks cannot be sent; trying again",
      work: () => webhookSender.next(),
    }),
  ];
  return {
    counts: sender.counts,
    webhookCounts: webhookSender.counts,
    async close(withinMs) {
      await Promise.all(stops.map((stop) => stop()));
      await Promise.all([sender.close(withinMs), webhookSender.close(withinMs)]);
    },
  };
}
