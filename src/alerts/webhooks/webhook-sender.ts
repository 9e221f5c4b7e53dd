// Sends the pending deliveries to webhook endpoints. A server claims a few deliveries of several accounts at a time in the store, and
// records there how each attempt ended. If the server dies before that, another server sends them again, with the same `webhook-id`.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import { type ClaimedWebhook, TEST_EVENT, type WebhookResult, webhookPayload } from "../../store/alert-records.ts";
import type { AdminStore } from "../../store/store.ts";
import type { DeliveryCounts } from "../alert-mail-sender.ts";
import { pauseAfter } from "../backoff.ts";
import { InFlight } from "../in-flight.ts";
import { post, type WebhookRequests, type WebhookResponse } from "./request.ts";
import { signedHeaders } from "./signature.ts";

interface WebhookSenderOptions {
  readonly store: AdminStore;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "unit">;
  readonly log: Pick<Log, "warn">;
  readonly requests: WebhookRequests;
  /** Whether this server sends mail. */
  readonly mails: boolean;
}

const CONCURRENCY_MAX = 16;
// At most this many requests per account at a time, so that the slow endpoints of one account do not keep other accounts waiting.
const PER_ACCOUNT_MAX = 2;
/** Longer than any attempt may take. */
const LEASE_MS = 120_000;

/** The outcomes of attempts since the start, and how many endpoints were disabled because they failed or were gone. */
export interface WebhookCounts extends DeliveryCounts {
  disabled: number;
}

export class WebhookSender {
  readonly counts: WebhookCounts = { delivered: 0, retried: 0, failed: 0, disabled: 0 };
  readonly #options: WebhookSenderOptions;
  readonly #inProgress = new InFlight<ClaimedWebhook>();
  readonly #closing = new AbortController();

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /** Claims deliveries and begins to send them. Returns whether more may be due. Rejects as the store does. */
  async next(): Promise<boolean> {
    const limit = CONCURRENCY_MAX - this.#inProgress.size;
    if (limit === 0) {
      return true;
    }
    const exceptAccountIds = [...new Set(this.#inProgress.items.map(({ accountId }) => accountId))];
    const claimed = await this.#options.store.claimWebhooks({
      ...{ limit, leaseMs: LEASE_MS, perAccountMax: PER_ACCOUNT_MAX, exceptAccountIds },
    });
    for (const webhook of claimed) {
      this.#inProgress.add(webhook, this.#send(webhook));
    }
    return claimed.length > 0;
  }

  /**
   * Lets requests in progress finish, for `withinMs` at most. A request that is cut off is sent again, by another server or after the next
   * start.
   */
  async close(withinMs: number): Promise<void> {
    await this.#inProgress.end(withinMs, this.#options.clock);
    this.#closing.abort();
  }

  // Never rejects. If the result cannot be recorded, the delivery is sent again later.
  async #send(webhook: ClaimedWebhook): Promise<void> {
    const { store, clock, requests, log, mails } = this.#options;
    const atMs = clock.nowMs();
    const startedMs = clock.monotonicMs();
    const body = webhookPayload(webhook.event);
    try {
      const headers = signedHeaders({ id: webhook.event.id, atMs, body }, webhook.endpoint.secrets);
      const response = await post(webhook.endpoint.url, headers, body, { ...requests, clock, signal: this.#closing.signal });
      if (this.#closing.signal.aborted) {
        return;
      }
      const outcome = this.#outcomeOf(webhook, response);
      this.counts[outcome.state === "waiting" ? "retried" : outcome.state] += 1;
      const durationMs = Math.round(clock.monotonicMs() - startedMs);
      const wasDisabled = await store.endWebhookAttempt(webhook, { ...response, ...outcome, atMs, durationMs }, { mails });
      this.counts.disabled += wasDisabled ? 1 : 0;
    } catch (error) {
      log.warn({ err: error, delivery: webhook.id }, "the result of a webhook could not be recorded; it will be sent again");
    }
  }

  #outcomeOf(
    { event, attempt }: ClaimedWebhook,
    { error, httpStatus }: WebhookResponse,
  ): Pick<WebhookResult, "state" | "retryAtMs" | "isGone"> {
    if (error === undefined) {
      return { state: "delivered", isGone: false };
    }
    const isGone = httpStatus === 410;
    const pauseMs = isGone || event.type === TEST_EVENT ? undefined : pauseAfter(attempt, this.#options.randomness);
    return pauseMs === undefined
      ? { state: "failed", isGone }
      : { state: "waiting", retryAtMs: this.#options.clock.nowMs() + pauseMs, isGone };
  }
}
