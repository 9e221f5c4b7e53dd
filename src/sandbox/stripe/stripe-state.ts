// What the stand-in for Stripe knows: customers with a test card, prices, subscriptions, invoices and charges, and what time does to them.
// It writes them as Stripe's API does, in the version that the server asks for.
import type { Clock } from "../../runtime/clock.ts";

/** A parameter of a request: text, a list, or an object. */
export type Param = string | readonly Param[] | { readonly [name: string]: Param };
export type Form = Readonly<Record<string, Param>>;
type Json = Readonly<Record<string, unknown>>;

/** What Stripe answers when it refuses a request. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly error: Json;

  constructor(status: number, type: string, message: string, more: Json = {}) {
    super(message);
    this.status = status;
    this.error = { type, message, ...more };
  }
}

export const invalid = (message: string, param?: string, code?: string): StripeRefusal =>
  new StripeRefusal(400, "invalid_request_error", message, {
    ...(param !== undefined && { param }),
    ...(code !== undefined && { code }),
  });

const missing = (what: string, id: string): StripeRefusal =>
  new StripeRefusal(404, "invalid_request_error", `No such ${what}: '${id}'`, { code: "resource_missing", param: "id" });

/** Test cards, by their numbers, as Stripe has them. https://docs.stripe.com/testing */
export const CARDS = {
  "4242424242424242": "pays",
  "4000000000000002": "is declined",
  "4000002500003155": "needs 3-D Secure",
  "4000000000000259": "pays, and is disputed a day later",
  "4000000000000341": "pays once, and is declined afterwards",
} as const;
export type Card = keyof typeof CARDS;
const DECLINED: Card = "4000000000000002";
const DECLINED_LATER: Card = "4000000000000341";
const DISPUTED: Card = "4000000000000259";

interface Customer {
  readonly id: string;
  readonly created: number;
  readonly email: string | null;
  readonly metadata: Json;
  card: Card | undefined;
}

interface Price {
  readonly id: string;
  readonly created: number;
  readonly lookup_key: string | null;
  readonly unit_amount: number;
  readonly currency: string;
  readonly product: string;
  readonly productName: string;
  readonly metadata: Json;
}

interface Subscription {
  readonly id: string;
  readonly itemId: string;
  readonly customer: string;
  readonly created: number;
  metadata: Json;
  price: string;
  quantity: number;
  readonly hasTax: boolean;
  status: "active" | "past_due" | "unpaid" | "canceled";
  anchor: number;
  periodStart: number;
  periodEnd: number;
  cancelsAtEnd: boolean;
  canceledAt: number | null;
  cancelReason: "cancellation_requested" | "payment_failed" | null;
  pause: "void" | null;
  latestInvoice: string;
}

interface Invoice {
  readonly id: string;
  readonly subscription: string;
  readonly customer: string;
  readonly created: number;
  /** With the tax. */
  readonly amount: number;
  readonly tax: number;
  readonly currency: string;
  readonly reason: "subscription_create" | "subscription_cycle" | "subscription_update";
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly price: string;
  status: "draft" | "open" | "paid" | "void" | "uncollectible";
  paidAt: number | null;
  attempts: number;
  nextAttempt: number | null;
  charge: Charge | undefined;
}

interface Charge {
  readonly id: string;
  readonly intent: string;
  readonly invoice: string;
  readonly customer: string;
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
  readonly paid: boolean;
  refunded: boolean;
  dispute: number | null;
}

export interface Session {
  readonly id: string;
  readonly created: number;
  readonly customer: string;
  readonly price: string;
  readonly hasTax: boolean;
  readonly metadata: Json;
  readonly subscriptionMetadata: Json;
  readonly successUrl: string;
  readonly cancelUrl: string;
  status: "open" | "complete";
  subscription: string | null;
}

const TAX = 0.19;
const HOUR = 3600;
const DAY = 24 * HOUR;
// Stripe's own default is similar: several attempts within two weeks, then the subscription is cancelled.
const RETRY_AFTER = [3 * DAY, 5 * DAY, 7 * DAY];

export class StripeState {
  readonly customers = new Map<string, Customer>();
  readonly prices = new Map<string, Price>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly invoices = new Map<string, Invoice>();
  readonly charges = new Map<string, Charge>();
  readonly sessions = new Map<string, Session>();
  /** What happens to a subscription after the last attempt to collect. */
  afterRetries: "cancel" | "unpaid" | "past_due" = "cancel";
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #emit: (type: string, object: Json) => void;
  readonly #origin: () => string;
  #number = 0;

  /** `emit` gets every event, in order, with its object as it is at that time. */
  constructor(clock: Pick<Clock, "nowMs">, origin: () => string, emit: (type: string, object: Json) => void) {
    this.#clock = clock;
    this.#origin = origin;
    this.#emit = emit;
  }

  get now(): number {
    return Math.floor(this.#clock.nowMs() / 1000);
  }

  /** A new id, such as `sub_1`. */
  id(prefix: string): string {
    this.#number++;
    return `${prefix}_${String(this.#number).padStart(8, "0")}`;
  }

  /** The object with this id. Throws what Stripe answers if there is none. */
  get<Value>(map: ReadonlyMap<string, Value>, what: string, id: string): Value {
    const found = map.get(id);
    if (found === undefined) {
      throw missing(what, id);
    }
    return found;
  }

  /** Pays for a checkout session with a card, which begins its subscription. False if the card is declined. */
  completeCheckout(session: Session, card: Card): boolean {
    const customer = this.get(this.customers, "customer", session.customer);
    if (card === DECLINED) {
      return false;
    }
    customer.card = card;
    const price = this.get(this.prices, "price", session.price);
    const subscription: Subscription = {
      ...{
        id: this.id("sub"),
        itemId: this.id("si"),
        customer: customer.id,
        created: this.now,
        metadata: session.subscriptionMetadata,
      },
      ...{
        price: price.id,
        quantity: 1,
        hasTax: session.hasTax,
        status: "active",
        anchor: this.now,
        periodStart: this.now,
        periodEnd: monthAfter(this.now, 1),
      },
      ...{ cancelsAtEnd: false, canceledAt: null, cancelReason: null, pause: null, latestInvoice: "" },
    };
    this.subscriptions.set(subscription.id, subscription);
    const invoice = this.#bill(subscription, "subscription_create", price.unit_amount, true);
    session.status = "complete";
    session.subscription = subscription.id;
    this.#emit("customer.subscription.created", this.subscriptionJson(subscription));
    this.#emit("invoice.paid", this.invoiceJson(invoice));
    this.#emit("checkout.session.completed", this.sessionJson(session));
    return true;
  }

  /** Changes the customer's card, and tries again to collect what is open. */
  useCard(customerId: string, card: Card): void {
    const customer = this.get(this.customers, "customer", customerId);
    customer.card = card;
    for (const invoice of this.invoices.values()) {
      if (invoice.customer === customerId && invoice.status === "open") {
        this.#collect(invoice);
      }
    }
  }

  /** Does everything that is due by now: renewals, further attempts, cancellations and disputes. */
  tick(): void {
    for (let due = this.#nextDue(); due !== undefined && due.at <= this.now; due = this.#nextDue()) {
      due.run();
    }
  }

  // The first thing that is due, whenever that is.
  #nextDue(): { readonly at: number; readonly run: () => void } | undefined {
    const due = [
      ...this.subscriptions
        .values()
        .flatMap((each) => (each.status === "canceled" ? [] : [{ at: each.periodEnd, run: () => this.#renew(each) }])),
      ...this.invoices
        .values()
        .flatMap((each) =>
          (each.status === "open" || each.status === "draft") && each.nextAttempt !== null
            ? [{ at: each.nextAttempt, run: () => this.#collect(each) }]
            : [],
        ),
      ...this.charges.values().flatMap((each) => {
        const card = this.customers.get(each.customer)?.card;
        return each.paid && each.dispute === null && card === DISPUTED
          ? [{ at: each.created + DAY, run: () => this.dispute(each.id) }]
          : [];
      }),
    ];
    return due.toSorted((a, b) => a.at - b.at)[0];
  }

  // An invoice for another period is a draft for an hour, unless the period begins `atOnce`.
  #renew(subscription: Subscription, atOnce = false): void {
    if (subscription.cancelsAtEnd) {
      this.cancel(subscription, subscription.periodEnd);
      return;
    }
    const months = 1 + Math.round((subscription.periodEnd - subscription.anchor) / (30.44 * DAY));
    subscription.periodStart = subscription.periodEnd;
    subscription.periodEnd = monthAfter(subscription.anchor, months);
    const price = this.get(this.prices, "price", subscription.price);
    const invoice = this.#bill(subscription, "subscription_cycle", price.unit_amount * subscription.quantity, false);
    const isDue = invoice.status === "open";
    if (isDue && !atOnce) {
      invoice.status = "draft";
      invoice.nextAttempt = invoice.created + HOUR;
    }
    this.#emit("customer.subscription.updated", this.subscriptionJson(subscription));
    if (isDue && atOnce) {
      this.#collect(invoice);
    }
  }

  // Writes an invoice for the current period. A checkout has been paid already, with a card that works at least once.
  #bill(subscription: Subscription, reason: Invoice["reason"], net: number, isPaid: boolean): Invoice {
    const tax = this.taxOn(subscription, net);
    const amount = net + tax;
    const price = this.get(this.prices, "price", subscription.price);
    const invoice: Invoice = {
      ...{
        id: this.id("in"),
        subscription: subscription.id,
        customer: subscription.customer,
        created: Math.min(this.now, subscription.periodStart),
      },
      ...{ amount, tax, currency: price.currency, reason, from: subscription.periodStart, to: subscription.periodEnd },
      ...{ text: `1 × ${price.productName} (at ${price.unit_amount / 100} ${price.currency} / month)`, price: price.id },
      ...{ status: "open", paidAt: null, attempts: 0, nextAttempt: null, charge: undefined },
    };
    if (reason === "subscription_update") {
      Object.assign(invoice, { created: this.now });
    }
    this.invoices.set(invoice.id, invoice);
    subscription.latestInvoice = invoice.id;
    if (subscription.pause !== null) {
      invoice.status = "void";
      this.#emit("invoice.voided", this.invoiceJson(invoice));
    } else if (isPaid || amount <= 0) {
      this.#settle(invoice);
    }
    return invoice;
  }

  taxOn({ hasTax }: Subscription, net: number): number {
    return hasTax ? Math.round(net * TAX) : 0;
  }

  #settle(invoice: Invoice): void {
    invoice.status = "paid";
    invoice.paidAt = this.now;
    invoice.nextAttempt = null;
    if (invoice.amount > 0) {
      invoice.charge = this.#charge(invoice, true);
    }
  }

  #charge(invoice: Invoice, paid: boolean): Charge {
    const charge: Charge = {
      ...{ id: this.id("ch"), intent: invoice.charge?.intent ?? this.id("pi"), invoice: invoice.id, customer: invoice.customer },
      ...{ amount: invoice.amount, currency: invoice.currency, created: this.now, paid, refunded: false, dispute: null },
    };
    this.charges.set(charge.id, charge);
    return charge;
  }

  // Tries to collect an open invoice. After the last attempt the subscription is cancelled.
  #collect(invoice: Invoice): void {
    const subscription = this.get(this.subscriptions, "subscription", invoice.subscription);
    const { card } = this.get(this.customers, "customer", invoice.customer);
    if (subscription.status === "canceled") {
      invoice.nextAttempt = null;
      return;
    }
    if (invoice.status === "draft" && subscription.pause !== null) {
      invoice.status = "void";
      this.#emit("invoice.voided", this.invoiceJson(invoice));
      return;
    }
    const at = invoice.nextAttempt ?? invoice.created;
    invoice.status = "open";
    invoice.attempts++;
    if (card !== undefined && card !== DECLINED && card !== DECLINED_LATER) {
      this.#settle(invoice);
      const isAllPaid = !this.invoices.values().some((each) => each.subscription === subscription.id && each.status === "open");
      if (isAllPaid) {
        subscription.status = "active";
      }
      this.#emit("invoice.paid", this.invoiceJson(invoice));
      this.#emit("customer.subscription.updated", this.subscriptionJson(subscription));
      return;
    }
    invoice.charge = this.#charge(invoice, false);
    const wait = RETRY_AFTER[invoice.attempts - 1];
    invoice.nextAttempt = wait === undefined ? null : at + wait;
    subscription.status = "past_due";
    this.#emit("invoice.payment_failed", this.invoiceJson(invoice));
    this.#emit("customer.subscription.updated", this.subscriptionJson(subscription));
    if (wait !== undefined) {
      return;
    }
    if (this.afterRetries === "cancel") {
      this.cancel(subscription, at, "payment_failed");
    } else {
      subscription.status = this.afterRetries;
      this.changed(subscription);
    }
  }

  /** The merchant gives an open invoice up. With it, nothing is due any more: the subscription is active. */
  giveUp(invoice: Invoice, status: "void" | "uncollectible"): void {
    invoice.status = status;
    invoice.nextAttempt = null;
    const subscription = this.get(this.subscriptions, "subscription", invoice.subscription);
    if (subscription.status !== "canceled") {
      subscription.status = "active";
    }
    this.#emit(`invoice.${status === "void" ? "voided" : "marked_uncollectible"}`, this.invoiceJson(invoice));
    this.changed(subscription);
  }

  cancel(subscription: Subscription, at = this.now, reason: Subscription["cancelReason"] = "cancellation_requested"): void {
    if (subscription.status === "canceled") {
      throw missing("subscription", subscription.id);
    }
    subscription.status = "canceled";
    subscription.canceledAt = at;
    subscription.cancelReason = reason;
    this.#emit("customer.subscription.deleted", this.subscriptionJson(subscription));
  }

  /** The cardholder's bank takes a payment back. */
  dispute(chargeId: string): void {
    const charge = this.get(this.charges, "charge", chargeId);
    charge.dispute = this.now;
    this.#emit("charge.dispute.created", this.disputeJson(charge));
  }

  refund(charge: Charge): Json {
    if (charge.refunded) {
      throw invalid(`Charge ${charge.id} has already been refunded.`, "charge", "charge_already_refunded");
    }
    charge.refunded = true;
    this.#emit("charge.refunded", this.chargeJson(charge));
    return {
      ...{
        id: this.id("re"),
        object: "refund",
        amount: charge.amount,
        currency: charge.currency,
        created: this.now,
        charge: charge.id,
      },
      ...{ payment_intent: charge.intent, status: "succeeded", reason: "duplicate", metadata: {}, receipt_number: null },
      ...{ balance_transaction: null, source_transfer_reversal: null, transfer_reversal: null },
    };
  }

  /** What a change to another price costs now, by the share of the period that is left. May be negative. */
  proration(subscription: Subscription, price: Price): number {
    const old = this.get(this.prices, "price", subscription.price);
    const left = (subscription.periodEnd - this.now) / (subscription.periodEnd - subscription.periodStart);
    return Math.round((price.unit_amount - old.unit_amount) * Math.max(0, Math.min(1, left)));
  }

  changePrice(subscription: Subscription, price: Price, invoicesNow: boolean): void {
    const amount = this.proration(subscription, price);
    const { card } = this.get(this.customers, "customer", subscription.customer);
    if (invoicesNow && amount > 0 && (card === undefined || card === DECLINED || card === DECLINED_LATER)) {
      throw new StripeRefusal(402, "card_error", "Your card was declined.", {
        code: "card_declined",
        decline_code: "generic_decline",
      });
    }
    subscription.price = price.id;
    if (invoicesNow) {
      this.#emit("invoice.paid", this.invoiceJson(this.#bill(subscription, "subscription_update", amount, true)));
    }
    this.changed(subscription);
  }

  /** Begins another month now. */
  restart(subscription: Subscription): void {
    subscription.anchor = this.now;
    subscription.periodEnd = this.now;
    this.#renew(subscription, true);
  }

  changed(subscription: Subscription): void {
    this.#emit("customer.subscription.updated", this.subscriptionJson(subscription));
  }

  customerJson({ id, created, email, metadata }: Customer): Json {
    return {
      ...{ id, object: "customer", created, email, metadata, livemode: false, address: null, balance: 0, currency: null },
      ...{ default_source: null, delinquent: false, description: null, discount: null, invoice_prefix: "STANDIN", name: null },
      ...{ next_invoice_sequence: 1, phone: null, preferred_locales: [], shipping: null, tax_exempt: "none", test_clock: null },
      invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    };
  }

  priceJson(price: Price): Json {
    const { id, created, lookup_key, unit_amount, currency, product, metadata } = price;
    return {
      ...{
        id,
        object: "price",
        active: true,
        billing_scheme: "per_unit",
        created,
        currency,
        custom_unit_amount: null,
        livemode: false,
      },
      ...{ lookup_key, metadata, nickname: null, product, tax_behavior: "unspecified", tiers_mode: null, transform_quantity: null },
      ...{ type: "recurring", unit_amount, unit_amount_decimal: String(unit_amount) },
      recurring: { interval: "month", interval_count: 1, meter: null, usage_type: "licensed" },
    };
  }

  subscriptionJson(each: Subscription, expandsInvoice = false): Json {
    const { id, customer, created, metadata, status, canceledAt, periodStart, periodEnd } = each;
    const price = this.get(this.prices, "price", each.price);
    const invoice = this.get(this.invoices, "invoice", each.latestInvoice);
    const item = {
      ...{
        id: each.itemId,
        object: "subscription_item",
        created,
        current_period_start: periodStart,
        current_period_end: periodEnd,
      },
      ...{ billing_thresholds: null, discounts: [], metadata: {}, price: this.priceJson(price), quantity: each.quantity },
      ...{ subscription: id, tax_rates: [] },
    };
    return {
      ...{ id, object: "subscription", customer, created, metadata, status, livemode: false, currency: price.currency },
      ...{ application: null, application_fee_percent: null, billing_cycle_anchor: each.anchor, billing_cycle_anchor_config: null },
      ...{ billing_thresholds: null, cancel_at: each.cancelsAtEnd ? periodEnd : null, cancel_at_period_end: each.cancelsAtEnd },
      ...{ canceled_at: canceledAt, collection_method: "charge_automatically", days_until_due: null, default_payment_method: null },
      ...{
        default_source: null,
        default_tax_rates: [],
        description: null,
        discounts: [],
        ended_at: canceledAt,
        start_date: created,
      },
      ...{ latest_invoice: expandsInvoice ? this.invoiceJson(invoice) : invoice.id, next_pending_invoice_item_invoice: null },
      ...{ on_behalf_of: null, pause_collection: each.pause === null ? null : { behavior: each.pause, resumes_at: null } },
      ...{
        pending_invoice_item_interval: null,
        pending_setup_intent: null,
        pending_update: null,
        schedule: null,
        test_clock: null,
      },
      ...{ transfer_data: null, trial_end: null, trial_settings: null, trial_start: null, billing_schedules: [] },
      automatic_tax: { enabled: false, disabled_reason: null, liability: null },
      billing_mode: { type: "classic", flexible: null },
      cancellation_details: { comment: null, feedback: null, reason: each.cancelReason },
      invoice_settings: { account_tax_ids: null, issuer: { type: "self" } },
      items: { object: "list", data: [item], has_more: false, url: `/v1/subscription_items?subscription=${id}` },
      payment_settings: {
        payment_method_options: null,
        payment_method_types: null,
        save_default_payment_method: "on_subscription",
      },
    };
  }

  invoiceJson(each: Invoice): Json {
    const { id, customer, created, amount, tax, currency, status } = each;
    const net = amount - tax;
    const taxes = {
      ...{ amount: tax, tax_behavior: "exclusive", tax_rate_details: { tax_rate: "txr_1" }, taxability_reason: "standard_rated" },
      ...{ taxable_amount: net, type: "tax_rate_details" },
    };
    const due = Math.max(0, amount);
    const paid = status === "paid" ? due : 0;
    const subscription = this.get(this.subscriptions, "subscription", each.subscription);
    const isDraft = status === "draft";
    const url = isDraft ? null : `${this.#origin()}/invoices/${id}`;
    const line = {
      ...{
        id: `il_${id.slice(3)}`,
        object: "line_item",
        amount: net,
        currency,
        description: each.text,
        discount_amounts: [],
        discounts: [],
      },
      ...{
        discountable: true,
        invoice: id,
        livemode: false,
        metadata: {},
        period: { start: each.from, end: each.to },
        quantity: 1,
      },
      ...{ parent: null, pretax_credit_amounts: [], pricing: null, subscription: each.subscription, subtotal: net, taxes: [] },
    };
    return {
      ...{ id, object: "invoice", customer, created, currency, status, livemode: false, amount_due: due, amount_paid: paid },
      ...{
        amount_overpaid: 0,
        amount_paid_off_stripe: 0,
        amount_remaining: status === "void" ? 0 : due - paid,
        amount_shipping: 0,
      },
      ...{
        account_country: "DE",
        account_name: "Stand-in",
        account_tax_ids: null,
        application: null,
        attempt_count: each.attempts,
      },
      ...{ attempted: each.attempts > 0 || paid > 0, auto_advance: status === "open", billing_reason: each.reason },
      ...{ collection_method: "charge_automatically", custom_fields: null, customer_address: null, customer_email: null },
      ...{ customer_name: null, customer_phone: null, customer_shipping: null, customer_tax_exempt: "none", customer_tax_ids: [] },
      ...{
        default_payment_method: null,
        default_source: null,
        default_tax_rates: [],
        description: null,
        discounts: [],
        due_date: null,
      },
      ...{
        effective_at: isDraft ? null : created,
        ending_balance: 0,
        footer: null,
        from_invoice: null,
        hosted_invoice_url: url,
        invoice_pdf: url && `${url}.pdf`,
      },
      ...{ issuer: { type: "self" }, last_finalization_error: null, latest_revision: null, metadata: {} },
      ...{
        next_payment_attempt: each.nextAttempt,
        number: isDraft ? null : id.toUpperCase(),
        on_behalf_of: null,
        period_start: each.from,
        period_end: each.to,
      },
      ...{ post_payment_credit_notes_amount: 0, pre_payment_credit_notes_amount: 0, receipt_number: null, rendering: null },
      ...{ shipping_cost: null, shipping_details: null, starting_balance: 0, statement_descriptor: null, subtotal: net },
      ...{
        subtotal_excluding_tax: net,
        test_clock: null,
        total: amount,
        total_discount_amounts: [],
        total_excluding_tax: net,
      },
      ...{ total_pretax_credit_amounts: [], total_taxes: tax === 0 ? [] : [taxes], webhooks_delivered_at: null },
      automatic_tax: { enabled: false, disabled_reason: null, liability: null, provider: null, status: null },
      lines: { object: "list", data: [line], has_more: false, url: `/v1/invoices/${id}/lines` },
      parent: {
        ...{ type: "subscription_details", quote_details: null },
        subscription_details: { subscription: each.subscription, metadata: subscription.metadata },
      },
      payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
      status_transitions: {
        ...{
          finalized_at: isDraft ? null : created,
          marked_uncollectible_at: status === "uncollectible" ? created : null,
          paid_at: each.paidAt,
          voided_at: status === "void" ? created : null,
        },
      },
    };
  }

  /** The payment of an invoice, if there was an attempt. */
  invoicePaymentJson(invoice: Invoice, charge: Charge, expands: { readonly charge: boolean; readonly invoice: boolean }): Json {
    const intent = {
      ...{ id: charge.intent, object: "payment_intent", created: charge.created, livemode: false, amount: charge.amount },
      ...{ currency: charge.currency, customer: charge.customer, status: charge.paid ? "succeeded" : "requires_payment_method" },
      latest_charge: this.chargeJson(charge),
    };
    return {
      ...{ id: `inpay_${charge.intent.slice(3)}`, object: "invoice_payment", created: charge.created, currency: charge.currency },
      ...{ amount_paid: charge.paid ? charge.amount : null, amount_requested: charge.amount, is_default: true, livemode: false },
      ...{ invoice: expands.invoice ? this.invoiceJson(invoice) : invoice.id, status: charge.paid ? "paid" : "open" },
      payment: { type: "payment_intent", payment_intent: expands.charge ? intent : charge.intent },
      status_transitions: { canceled_at: null, paid_at: charge.paid ? charge.created : null },
    };
  }

  chargeJson(charge: Charge): Json {
    const { id, customer, amount, currency, created, paid, refunded } = charge;
    return {
      ...{ id, object: "charge", customer, amount, currency, created, paid, refunded, livemode: false, metadata: {} },
      ...{
        amount_captured: paid ? amount : 0,
        amount_refunded: refunded ? amount : 0,
        captured: paid,
        disputed: charge.dispute !== null,
      },
      ...{ payment_intent: charge.intent, status: paid ? "succeeded" : "failed", receipt_url: null },
      billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    };
  }

  disputeJson(charge: Charge): Json {
    return {
      ...{
        id: `dp_${charge.id.slice(3)}`,
        object: "dispute",
        charge: charge.id,
        payment_intent: charge.intent,
        amount: charge.amount,
      },
      ...{
        currency: charge.currency,
        created: charge.dispute,
        livemode: false,
        metadata: {},
        reason: "fraudulent",
        status: "needs_response",
      },
      ...{ balance_transactions: [], enhanced_eligibility_types: [], is_charge_refundable: false },
      evidence: { enhanced_evidence: {} },
      evidence_details: { due_by: null, has_evidence: false, past_due: false, submission_count: 0, enhanced_eligibility: {} },
    };
  }

  sessionJson(session: Session): Json {
    const { id, created, customer, metadata, status, subscription } = session;
    const price = this.get(this.prices, "price", session.price);
    return {
      ...{
        id,
        object: "checkout.session",
        created,
        customer,
        metadata,
        status,
        subscription,
        livemode: false,
        mode: "subscription",
      },
      ...{ amount_subtotal: price.unit_amount, amount_total: price.unit_amount, currency: price.currency, custom_fields: [] },
      ...{ expires_at: created + DAY, payment_method_types: ["card"], payment_status: status === "complete" ? "paid" : "unpaid" },
      ...{ shipping_options: [], success_url: session.successUrl, cancel_url: session.cancelUrl, client_reference_id: null },
      url: status === "open" ? `${this.#origin()}/checkout/${id}` : null,
      automatic_tax: { enabled: false, liability: null, provider: null, status: null },
      custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    };
  }
}

/** The same day some months later, or the last day of that month. */
function monthAfter(seconds: number, months: number): number {
  const from = new Date(seconds * 1000);
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate();
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + months);
  to.setUTCDate(Math.min(from.getUTCDate(), last));
  return to.getTime() / 1000;
}
