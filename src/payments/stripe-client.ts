// What the server asks of Stripe. Everything that it believes about a subscription is read here, from Stripe, never from an event.
import { Stripe } from "stripe";
import { fetch, type RequestInit } from "undici";
import { CardDeclined } from "../account/billing.ts";
import { moneyText } from "../catalogue/money.ts";
import type { Plan } from "../catalogue/plan.ts";
import { isServiceName } from "../catalogue/service-names.ts";
import type { PaymentConfig } from "../config/payments.ts";
import { createAgent, type ProxyConfig } from "../runtime/proxied-agent.ts";
import type { PaymentFacts } from "../store/repositories/payments.ts";

/** The version of Stripe's API that this program is written for. The endpoint for events must have the same. */
const STRIPE_API_VERSION = "2026-08-26.dahlia";

const TIMEOUT_MS = 10_000;
const RETRIES = 1;
// Cardholders have 120 days for a dispute.
const DISPUTE_SECONDS = 120 * 86_400;
const PAGE = 100;
// An event may not be older, so that one that was recorded cannot be sent again later.
const EVENT_AGE_SECONDS = 300;

/** An event, of which only this is used. */
export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** What has changed, as it was then. */
  readonly object: ChangedObject;
}

type ChangedObject =
  | Stripe.Subscription
  | Stripe.Invoice
  | Stripe.Checkout.Session
  | Stripe.Charge
  | Stripe.Dispute
  | Stripe.Refund
  | Stripe.Customer;

/** An invoice that is paid, in its currency's minor unit. */
export interface PaidInvoice {
  readonly accountId: string;
  readonly service: string;
  /** The id of the version of the plan. */
  readonly planId: string;
  readonly paymentId: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly netMinor: number;
  readonly taxMinor: number;
  readonly currency: string;
  readonly url: string;
}

interface StripeClientOptions {
  readonly config: PaymentConfig;
  readonly proxy: ProxyConfig | undefined;
  readonly nowMs: () => number;
}

export class StripeClient {
  readonly #config: PaymentConfig;
  readonly #nowMs: () => number;
  readonly #stripe: Stripe;

  constructor({ config, proxy, nowMs }: StripeClientOptions) {
    const dispatcher = createAgent(proxy, {});
    const { apiUrl } = config;
    this.#config = config;
    this.#nowMs = nowMs;
    this.#stripe = new Stripe(config.secretKey, {
      apiVersion: STRIPE_API_VERSION,
      // Its requests are made by this fetch, so that they go through the proxy as all others do.
      httpClient: Stripe.createFetchHttpClient(((url: string, init: RequestInit) =>
        fetch(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      ...(apiUrl !== undefined && {
        host: apiUrl.hostname,
        port: apiUrl.port === "" ? (apiUrl.protocol === "https:" ? 443 : 80) : apiUrl.port,
        protocol: apiUrl.protocol === "https:" ? "https" : "http",
      }),
    });
  }

  /** The event in this body; undefined if Stripe has not signed it, or not lately. */
  eventOf(body: Uint8Array, signature: string): StripeEvent | undefined {
    try {
      const { id, type, data }: Stripe.Event = this.#stripe.webhooks.constructEvent(
        Buffer.from(body),
        signature,
        this.#config.webhookSecret,
        EVENT_AGE_SECONDS,
        undefined,
        this.#nowMs(),
      );
      return { id, type, object: data.object as ChangedObject };
    } catch {
      return undefined;
    }
  }

  /** The ids of the subscriptions that an event may have changed. */
  async subscriptionsOf({ object }: StripeEvent): Promise<readonly string[]> {
    switch (object.object) {
      case "subscription":
        return [object.id];
      case "invoice":
        return idsOf(object.parent?.subscription_details?.subscription);
      case "checkout.session":
        return idsOf(object.subscription);
      case "charge":
      case "dispute":
      case "refund":
        return this.#subscriptionsOfPayment(idOf(object.payment_intent));
      default:
        return [];
    }
  }

  /** The subscriptions that this server has sold, whatever their state, a page after this id. Ended ones only if they began lately. */
  async listSubscriptions(
    afterId: string | undefined,
  ): Promise<{ readonly ids: readonly string[]; readonly next: string | undefined }> {
    const page = await this.#stripe.subscriptions.list({ limit: PAGE, ...(afterId !== undefined && { starting_after: afterId }) });
    return {
      ids: page.data.filter(({ metadata }) => metadata[ACCOUNT] !== undefined).map(({ id }) => id),
      next: page.has_more ? page.data.at(-1)?.id : undefined,
    };
  }

  /** What Stripe says about a subscription now; undefined if it has none with this id, or this server has not sold it. */
  async readFacts(id: string): Promise<PaymentFacts | undefined> {
    const subscription = await orIfMissing(this.#stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] }), undefined);
    if (subscription === undefined) {
      return undefined;
    }
    const accountId = subscription.metadata[ACCOUNT];
    const service = subscription.metadata[SERVICE];
    const [item] = subscription.items.data;
    if (accountId === undefined || service === undefined || !isServiceName(service) || item === undefined) {
      return undefined;
    }
    const invoice = subscription.latest_invoice as Stripe.Invoice | null;
    const dueSinceMs = await this.#dueSinceMs(subscription, invoice);
    const cancelsAtMs =
      subscription.cancel_at !== null
        ? subscription.cancel_at * 1000
        : subscription.cancel_at_period_end
          ? item.current_period_end * 1000
          : null;
    const paidUntilMs = item.current_period_end * 1000;
    const untilMs =
      dueSinceMs === null
        ? Math.min(paidUntilMs + this.#config.graceMs, cancelsAtMs ?? Number.POSITIVE_INFINITY)
        : dueSinceMs + this.#config.graceMs;
    // What falls due while nothing is collected is not paid.
    const isWaived = invoice?.status === "void" && subscription.pause_collection !== null;
    const { price } = item;
    return {
      id,
      accountId,
      service,
      item: {
        planId: price.lookup_key ?? "",
        priceMinor: price.unit_amount ?? -1,
        currency: price.currency.toUpperCase(),
        isOneMonth:
          subscription.items.data.length === 1 &&
          item.quantity === 1 &&
          price.recurring?.interval === "month" &&
          price.recurring.interval_count === 1,
      },
      status: subscription.status,
      isPaused: subscription.pause_collection !== null,
      entitledUntilMs: KEEPS_PLAN.includes(subscription.status) && !isWaived ? untilMs : 0,
      // Until Stripe has tried to collect what is due, nothing has failed.
      unpaidSinceMs: isUnpaid(subscription) || invoice?.attempted || invoice?.status === "uncollectible" ? dueSinceMs : null,
      cancelsAtMs,
      endedBecause: await this.#endedBecause(subscription, invoice),
      invoiceUrl: invoice?.hosted_invoice_url ?? null,
      paidMinor: invoice?.amount_paid ?? 0,
      createdAtMs: subscription.created * 1000,
    };
  }

  /** Ends a subscription at once, without giving anything back. */
  async cancel(id: string): Promise<void> {
    // It may have ended already.
    await orIfMissing(this.#stripe.subscriptions.cancel(id, { prorate: false, invoice_now: false }), undefined);
  }

  /** Gives back what was paid last for a subscription, if anything was, and not given back yet. */
  async refund(id: string): Promise<void> {
    const { latest_invoice: invoice } = await this.#stripe.subscriptions.retrieve(id);
    for (const payment of invoice === null ? [] : await this.#paymentsOf(idOf(invoice) ?? "")) {
      const charge = chargeOf(payment);
      if (payment.status === "paid" && charge !== undefined && charge.paid && !charge.refunded) {
        await this.#stripe.refunds.create(
          { charge: charge.id, reason: "duplicate" },
          { idempotencyKey: `quintet-refund-${charge.id}` },
        );
      }
    }
  }

  /** Stops collecting, for as long as an account is suspended. */
  async pause(id: string): Promise<void> {
    await this.#stripe.subscriptions.update(id, { pause_collection: { behavior: "void" } });
  }

  /** Collects again. A month that was not collected is not given: another one begins now, and is paid now. */
  async resume(id: string): Promise<void> {
    const { latest_invoice: invoice } = await this.#stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
    const isUnpaid = (invoice as Stripe.Invoice | null)?.status === "void";
    const change: Stripe.SubscriptionUpdateParams = { pause_collection: "" };
    if (isUnpaid) {
      change.billing_cycle_anchor = "now";
      change.proration_behavior = "none";
    }
    await this.#stripe.subscriptions.update(id, change);
  }

  /** A customer for an account, instead of `former`, if there was one. */
  async createCustomer(accountId: string, email: string | null, former: string | undefined): Promise<string> {
    const { id } = await this.#stripe.customers.create(
      { ...(email !== null && { email }), metadata: { [ACCOUNT]: accountId } },
      { idempotencyKey: `quintet-customer-${accountId}-${email}-${former ?? ""}` },
    );
    return id;
  }

  /**
   * A page on which the customer buys a plan. Its price is that of the plan's version, whatever the caller says. Undefined if Stripe does
   * not have the customer.
   */
  async createCheckout(accountId: string, customer: string, plan: Plan): Promise<string | undefined> {
    const metadata = { [ACCOUNT]: accountId, [SERVICE]: plan.service, [PLAN]: plan.id };
    const { publicUrl, hasTax, hasPromotionCodes } = this.#config;
    const page = `${publicUrl}/app/subscriptions`;
    const price = await this.priceOf(plan);
    const creating = this.#stripe.checkout.sessions.create({
      mode: "subscription",
      customer,
      line_items: [{ price, quantity: 1 }],
      subscription_data: { metadata },
      metadata,
      success_url: `${page}?bought=${plan.service}`,
      cancel_url: page,
      ...(hasTax && { automatic_tax: { enabled: true }, customer_update: { address: "auto" as const } }),
      ...(hasPromotionCodes && { allow_promotion_codes: true }),
    });
    const session = await orIfMissing(creating, undefined);
    return session && (session.url ?? page);
  }

  /** Stripe's page of the customer's cards, invoices and subscriptions. */
  async createPortalSession(customer: string): Promise<string> {
    const session = await this.#stripe.billingPortal.sessions.create({
      customer,
      return_url: `${this.#config.publicUrl}/app/subscriptions`,
    });
    return session.url;
  }

  /** What a change to a plan costs now, in its currency's minor unit. */
  async preview(id: string, plan: Plan): Promise<number> {
    const [price, item] = [await this.priceOf(plan), await this.#itemOf(id)];
    const preview = await this.#stripe.invoices.createPreview({
      subscription: id,
      subscription_details: { items: [{ id: item, price }], proration_behavior: "always_invoice" },
    });
    return preview.total;
  }

  /** Changes a subscription to another plan, and collects or credits the difference at once. Nothing changes if the card is declined. */
  async changePlan(id: string, plan: Plan): Promise<void> {
    const [price, item] = [await this.priceOf(plan), await this.#itemOf(id)];
    try {
      await this.#stripe.subscriptions.update(id, {
        items: [{ id: item, price }],
        proration_behavior: "always_invoice",
        payment_behavior: "error_if_incomplete",
        cancel_at_period_end: false,
        metadata: { [PLAN]: plan.id },
      });
    } catch (error) {
      throw error instanceof Stripe.errors.StripeCardError ? new CardDeclined() : error;
    }
  }

  /** Collects for another plan from the next invoice on. What is paid already stays as it is. */
  async movePlan(id: string, plan: Plan): Promise<void> {
    const [price, item] = [await this.priceOf(plan), await this.#itemOf(id)];
    await this.#stripe.subscriptions.update(id, {
      items: [{ id: item, price }],
      proration_behavior: "none",
      metadata: { [PLAN]: plan.id },
    });
  }

  /** Whether a subscription ends with the period that is paid. */
  async setCancelled(id: string, isCancelled: boolean): Promise<void> {
    await this.#stripe.subscriptions.update(id, { cancel_at_period_end: isCancelled });
  }

  /** The invoices of this server's subscriptions that were written in a span of time and are paid, oldest first. */
  async paidInvoices(fromMs: number, untilMs: number): Promise<readonly PaidInvoice[]> {
    const found: PaidInvoice[] = [];
    const created = { gte: Math.ceil(fromMs / 1000), lt: Math.ceil(untilMs / 1000) };
    for await (const invoice of this.#stripe.invoices.list({ status: "paid", created, limit: PAGE })) {
      const { subscription, metadata } = invoice.parent?.subscription_details ?? {};
      const { [ACCOUNT]: accountId, [SERVICE]: service = "", [PLAN]: planId = "" } = metadata ?? {};
      if (accountId !== undefined) {
        const periods = invoice.lines.data.map(({ period }) => period);
        found.push({
          ...{ accountId, service, planId, paymentId: idOf(subscription) ?? "" },
          fromMs: Math.min(...periods.map(({ start }) => start)) * 1000,
          untilMs: Math.max(...periods.map(({ end }) => end)) * 1000,
          netMinor: invoice.total_excluding_tax ?? invoice.total,
          taxMinor: invoice.total - (invoice.total_excluding_tax ?? invoice.total),
          currency: invoice.currency.toUpperCase(),
          url: invoice.hosted_invoice_url ?? "",
        });
      }
    }
    return found.toReversed();
  }

  /** The price of a version of a plan. It is created the first time, with its product. */
  async priceOf(plan: Plan): Promise<string> {
    return (await this.offerPrice(plan)).id;
  }

  /** The same, and whether it was created now. Rejects if the version's lookup key belongs to another price. */
  async offerPrice(plan: Plan): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const { data } = await this.#stripe.prices.list({ lookup_keys: [plan.id], active: true, limit: 1 });
    const [found] = data;
    const currency = plan.currency.toLowerCase();
    if (found !== undefined) {
      // As when another database sells with the same account at Stripe: who pays that price would get nothing.
      if (found.unit_amount !== plan.priceMinor || found.currency !== currency) {
        throw new Error(
          `The price ${found.id} at Stripe has the lookup key ${plan.id}, but is not ${moneyText(plan.priceMinor, plan.currency)}. Give it another lookup key.`,
        );
      }
      return { id: found.id, isNew: false };
    }
    const metadata = { [SERVICE]: plan.service, [PLAN]: plan.id };
    const price = await this.#stripe.prices.create(
      {
        lookup_key: plan.id,
        currency,
        unit_amount: plan.priceMinor,
        recurring: { interval: "month" },
        product_data: { name: `${plan.service} ${plan.name}`, metadata },
        ...(this.#config.hasTax && { tax_behavior: "exclusive" as const }),
        metadata,
      },
      { idempotencyKey: `quintet-price-${plan.id}-${plan.priceMinor}-${plan.currency}` },
    );
    return { id: price.id, isNew: true };
  }

  async #itemOf(id: string): Promise<string> {
    const { items } = await this.#stripe.subscriptions.retrieve(id);
    return items.data[0]?.id ?? "";
  }

  // Since when something is due that is not paid; null if all is.
  async #dueSinceMs(subscription: Stripe.Subscription, invoice: Stripe.Invoice | null): Promise<number | null> {
    if (!isUnpaid(subscription)) {
      // The renewal's invoice is a draft for an hour, and then open until its first attempt. If the operator marks it as uncollectible, the
      // subscription is active, but nothing was paid.
      const isDue = invoice?.status === "open" || invoice?.status === "draft" || invoice?.status === "uncollectible";
      return isDue && invoice.amount_remaining > 0 ? invoice.created * 1000 : null;
    }
    const open = await this.#stripe.invoices.list({ subscription: subscription.id, status: "open", limit: PAGE });
    const times = open.data.filter((each) => each.amount_remaining > 0).map((each) => each.created);
    return Math.min(...times, invoice?.created ?? subscription.created) * 1000;
  }

  // A dispute of any payment ends a subscription; a full refund does if it is of the last one.
  async #endedBecause(subscription: Stripe.Subscription, invoice: Stripe.Invoice | null): Promise<PaymentFacts["endedBecause"]> {
    const since = Math.floor(this.#nowMs() / 1000) - DISPUTE_SECONDS;
    const customer = idOf(subscription.customer) ?? "";
    let because: PaymentFacts["endedBecause"] = null;
    for await (const charge of this.#stripe.charges.list({ customer, created: { gte: since }, limit: PAGE })) {
      if (charge.disputed || charge.refunded) {
        const invoices = await this.#invoicesOfPayment(idOf(charge.payment_intent));
        const own = invoices.filter((each) => idsOf(each.parent?.subscription_details?.subscription).includes(subscription.id));
        if (charge.disputed && own.length > 0) {
          return "dispute";
        }
        if (charge.refunded && own.some(({ id }) => id === invoice?.id)) {
          because = "refund";
        }
      }
    }
    return because;
  }

  async #paymentsOf(invoice: string): Promise<readonly Stripe.InvoicePayment[]> {
    const expand = ["data.payment.payment_intent.latest_charge"];
    return (await this.#stripe.invoicePayments.list({ invoice, expand, limit: PAGE })).data;
  }

  async #invoicesOfPayment(paymentIntent: string | undefined): Promise<readonly Stripe.Invoice[]> {
    if (paymentIntent === undefined) {
      return [];
    }
    const payment = { type: "payment_intent", payment_intent: paymentIntent } as const;
    const list = this.#stripe.invoicePayments.list({ payment, expand: ["data.invoice"], limit: PAGE });
    const { data } = await orIfMissing(list, { data: [] });
    return data.flatMap(({ invoice }) => (typeof invoice === "string" || invoice.deleted ? [] : [invoice]));
  }

  async #subscriptionsOfPayment(paymentIntent: string | undefined): Promise<readonly string[]> {
    const invoices = await this.#invoicesOfPayment(paymentIntent);
    return invoices.flatMap((invoice) => idsOf(invoice.parent?.subscription_details?.subscription));
  }
}

// What a subscription at Stripe says about itself.
const ACCOUNT = "quintet_account";
const SERVICE = "quintet_service";
const PLAN = "quintet_plan";

// https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses
const KEEPS_PLAN = ["active", "trialing", "past_due"] satisfies Stripe.Subscription.Status[] as string[];

// After its last attempt Stripe cancels the subscription, leaves it past due, or marks it as unpaid, as the operator has chosen there.
const isUnpaid = ({ status, cancellation_details: cancelled }: Stripe.Subscription): boolean =>
  status === "past_due" || status === "unpaid" || cancelled?.reason === "payment_failed";

// What a request returns, or the other value if Stripe does not have what it names.
async function orIfMissing<Result, Other>(request: Promise<Result>, other: Other): Promise<Result | Other> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === "resource_missing") {
      return other;
    }
    throw error;
  }
}

const idOf = (reference: string | { readonly id: string } | null | undefined): string | undefined =>
  typeof reference === "string" ? reference : reference?.id;

const idsOf = (reference: string | { readonly id: string } | null | undefined): readonly string[] => {
  const id = idOf(reference);
  return id === undefined ? [] : [id];
};

function chargeOf({ payment }: Stripe.InvoicePayment): Stripe.Charge | undefined {
  const intent = payment.payment_intent;
  const charge = typeof intent === "object" ? intent.latest_charge : undefined;
  return typeof charge === "object" && charge !== null ? charge : undefined;
}
