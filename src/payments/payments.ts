// Payments by card. Whatever is heard from Stripe, by an event or by asking, leads to one function, `reconcile`, which reads the
// subscription from Stripe and gives the account what is paid. So an event only says that it is time to look: it may be lost, doubled, late
// or out of order.
import { type Billing, BillingConflict } from "../account/billing.ts";
import { isFree, type Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { PaymentConfig } from "../config/payments.ts";
import { startBackgroundJob } from "../runtime/background-job.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProxyConfig } from "../runtime/proxied-agent.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Payment, PaymentAction, PaymentStore } from "../store/repositories/payments.ts";
import { StripeClient } from "./stripe-client.ts";

interface CardPaymentsOptions {
  readonly config: PaymentConfig;
  readonly proxy: ProxyConfig | undefined;
  readonly store: PaymentStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** What becomes of an event: `handled` now or before, `refused` because its signature or its age is wrong, or to be sent again `later`. */
export type EventOutcome = "handled" | "refused" | "later";

// Others change the same payment at the same time, or Stripe has something to do: each round reads it again.
const ROUNDS_MAX = 8;
const FAILED_MAX = 3;
const DUE_MS = 5000;
const DUE_MAX = 100;
const HOUR_MS = 3_600_000;
const PAUSE_MS = 50;

export class CardPayments implements Billing {
  readonly stripe: StripeClient;
  readonly #options: CardPaymentsOptions;
  #closeJobs: (() => Promise<void>)[] = [];

  constructor(options: CardPaymentsOptions) {
    this.#options = options;
    this.stripe = new StripeClient({ ...options, nowMs: () => options.clock.nowMs() });
  }

  /** Begins to compare all payments with Stripe, now and every hour, and to end what is due. */
  begin(): void {
    const { clock, log } = this.#options;
    const job = { clock, log, firstMs: 0, pauseMs: PAUSE_MS };
    let next: Position | undefined;
    this.#closeJobs = [
      startBackgroundJob({
        ...job,
        everyMs: HOUR_MS,
        failure: "payments cannot be compared with Stripe; trying again",
        work: async () => {
          const position = next;
          // After a failure the next run begins again.
          next = undefined;
          next = await this.reconcileSome(position);
          return next !== undefined;
        },
      }),
      startBackgroundJob({
        ...job,
        everyMs: DUE_MS,
        failure: "plans that are no longer paid cannot be ended; trying again",
        work: () => this.endDue(),
      }),
    ];
  }

  async close(): Promise<void> {
    await Promise.all(this.#closeJobs.map((close) => close()));
  }

  /** Handles an event with this body and this `stripe-signature` header. */
  readonly receive = async (sent: { readonly body: Uint8Array; readonly signature: string }): Promise<EventOutcome> => {
    const { store, log } = this.#options;
    const event = this.stripe.eventOf(sent.body, sent.signature);
    if (event === undefined) {
      return "refused";
    }
    try {
      if (await store.receiveEvent(event.id, event.type)) {
        for (const id of await this.stripe.subscriptionsOf(event)) {
          await this.reconcile(id);
        }
        await store.eventHandled(event.id);
      }
      return "handled";
    } catch (error) {
      log.warn(
        { err: error, event: event.id, type: event.type },
        "an event from Stripe could not be handled; Stripe sends it again",
      );
      return "later";
    }
  };

  /**
   * Reads a subscription from Stripe and gives the account what is paid. False if Stripe has no such subscription of an account here.
   * Rejects if Stripe or the store does not answer.
   */
  async reconcile(id: string): Promise<boolean> {
    const { store, randomness, log, config } = this.#options;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const version = await store.paymentVersion(id);
      const facts = await this.stripe.readFacts(id);
      if (facts === undefined) {
        return false;
      }
      const input = { version, fallsToFree: config.fallsToFree, newId: randomness.uuid() };
      const { outcome, action, next } = await store.applyPayment(facts, input);
      if (outcome === "unknown") {
        log.warn(
          { subscription: id, account: facts.accountId },
          "Stripe has a subscription of an account that does not exist here",
        );
        return false;
      }
      if (outcome === "applied") {
        if (action === "none") {
          return true;
        }
        await this.#act(id, action, next);
      }
    }
    throw new Error(`The payment ${id} changes all the time`);
  }

  async checkout({ id, email }: { readonly id: string; readonly email: string | null }, plan: Plan): Promise<string> {
    const { store } = this.#options;
    if ((await this.#livePayment(id, plan.service)) !== undefined) {
      throw new BillingConflict(`The account pays for a plan of ${plan.service} by card already: change that plan instead.`);
    }
    const known = await store.paymentCustomer(id);
    const page = known && (await this.stripe.createCheckout(id, known, plan));
    if (page !== undefined) {
      return page;
    }
    // There is none yet, or somebody has deleted it at Stripe.
    const customer = await store.addPaymentCustomer(id, await this.stripe.createCustomer(id, email, known), known);
    const another = await this.stripe.createCheckout(id, customer, plan);
    if (another === undefined) {
      throw new Error(`Stripe does not know the customer ${customer}, which was created now`);
    }
    return another;
  }

  async portal(accountId: string): Promise<string> {
    const customer = await this.#options.store.paymentCustomer(accountId);
    if (customer === undefined) {
      throw new BillingConflict("The account has not bought anything by card.");
    }
    return this.stripe.createPortalSession(customer);
  }

  async preview(accountId: string, plan: Plan): Promise<number> {
    const payment = await this.#livePayment(accountId, plan.service);
    if (payment === undefined) {
      throw new BillingConflict(`The account's plan of ${plan.service} is not paid by card.`);
    }
    return payment.planId === plan.id ? 0 : this.stripe.preview(payment.id, plan);
  }

  async change(accountId: string, plan: Plan): Promise<boolean> {
    const payment = await this.#livePayment(accountId, plan.service);
    if (payment === undefined) {
      return false;
    }
    if (isFree(plan) || payment.planId === plan.id) {
      await this.stripe.setCancelled(payment.id, isFree(plan));
    } else {
      await this.stripe.changePlan(payment.id, plan);
    }
    await this.reconcile(payment.id);
    return true;
  }

  async end(accountId: string, service?: ServiceName): Promise<void> {
    for (const payment of await this.#options.store.livePayments(accountId)) {
      if (service === undefined || payment.service === service) {
        await this.stripe.cancel(payment.id);
        await this.reconcile(payment.id);
      }
    }
  }

  // Only one that gives the plan: what remains of a failed purchase does not keep anybody from buying again.
  async #livePayment(accountId: string, service: ServiceName): Promise<Payment | undefined> {
    const live = await this.#options.store.livePayments(accountId);
    return live.find((each) => each.service === service && each.isGranted);
  }

  async #act(id: string, action: Exclude<PaymentAction, "none">, next: Plan | undefined): Promise<void> {
    switch (action) {
      case "refund":
        // In this order: a subscription that has ended is not looked at again.
        await this.stripe.refund(id);
        await this.stripe.cancel(id);
        break;
      case "cancel":
        await this.stripe.cancel(id);
        break;
      case "pause":
        await this.stripe.pause(id);
        break;
      case "resume":
        await this.stripe.resume(id);
        break;
      case "move":
        await (next && this.stripe.movePlan(id, next));
        break;
    }
  }

  /** Ends what is no longer paid, and passes on to Stripe what has become of accounts. Returns whether there may be more. */
  async endDue(): Promise<boolean> {
    const { store, randomness, config } = this.#options;
    const ids = await store.duePayments(DUE_MAX);
    let failure: unknown;
    for (const id of ids) {
      const isRead = await this.reconcile(id).catch((error: unknown) => {
        failure = error;
        return false;
      });
      if (!isRead) {
        await store.endOverdue(id, { fallsToFree: config.fallsToFree, newId: randomness.uuid() });
      }
    }
    if (failure !== undefined) {
      throw failure;
    }
    return ids.length === DUE_MAX;
  }

  /**
   * Compares some payments with Stripe: first all that Stripe lists, then those that it does not list because they have ended there.
   * Returns where to continue; undefined at the end.
   */
  async reconcileSome(position: Position | undefined): Promise<Position | undefined> {
    const { store, log } = this.#options;
    const reconcileAll = async (ids: readonly string[]): Promise<void> => {
      let failed = 0;
      for (const id of ids) {
        try {
          await this.reconcile(id);
          failed = 0;
        } catch (error) {
          failed++;
          log.warn({ err: error, subscription: id }, "a payment cannot be compared with Stripe");
          // One that cannot be read must not keep the others from being read, but Stripe may be away.
          if (failed === FAILED_MAX) {
            throw error;
          }
        }
      }
    };
    const compared = position?.compared ?? new Set();
    if (position?.kind !== "known") {
      const { ids, next } = await this.stripe.listSubscriptions(position?.afterId);
      await reconcileAll(ids);
      for (const id of ids) {
        compared.add(id);
      }
      return { compared, ...(next === undefined ? { kind: "known", afterId: "" } : { kind: "listed", afterId: next }) };
    }
    const ids = await store.livePaymentIds(position.afterId, DUE_MAX);
    await reconcileAll(ids.filter((id) => !compared.has(id)));
    const afterId = ids.at(-1);
    return ids.length < DUE_MAX || afterId === undefined ? undefined : { kind: "known", afterId, compared };
  }
}

/** How far all payments have been compared, and which of those that Stripe lists. */
type Position = { readonly kind: "listed" | "known"; readonly afterId: string; readonly compared: Set<string> };
