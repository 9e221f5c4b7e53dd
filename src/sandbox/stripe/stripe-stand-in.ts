// A stand-in for Stripe on a loopback port: the part of its API that the server uses, the checkout and portal pages with test cards, and
// signed events that are sent again until they are taken. It refuses what Stripe would refuse: unknown parameters, other keys, other
// versions of the API.
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../runtime/clock.ts";
import { CARDS, type Card, type Form, invalid, type Param, type Session, StripeRefusal, StripeState } from "./stripe-state.ts";

export const STAND_IN_KEY = "sk_test_standin00000000";
export const STAND_IN_WEBHOOK_SECRET = "whsec_standin00000000";
const API_VERSION = "2026-08-26.dahlia";

export interface SentEvent {
  readonly id: string;
  readonly type: string;
  /** The bytes that are signed. */
  readonly body: string;
}

interface StripeStandInOptions {
  readonly clock: Clock;
  /** The server that gets the events; undefined until it listens. Left out for none. */
  readonly serverOrigin?: () => string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const BODY_BYTES_MAX = 65_536;
const RETRIES_MS = [500, 2000, 10_000, 60_000, 600_000];

/** The header with which Stripe signs an event. https://docs.stripe.com/webhooks#verify-manually */
function signatureOf(body: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** The parameters that Stripe knows, of those that the server could send. Objects are allowed by their first name. */
  readonly params: readonly string[];
  readonly run: (state: StripeState, params: Form, id: string) => Json;
}

const textOf = (params: Form, name: string): string | undefined => {
  const value = params[name];
  return typeof value === "string" ? value : undefined;
};

const required = (params: Form, name: string): string => {
  const value = textOf(params, name);
  if (value === undefined || value === "") {
    throw invalid(`Missing required param: ${name}.`, name, "parameter_missing");
  }
  return value;
};

const objectOf = (value: Param | undefined): Form => (typeof value === "object" && !Array.isArray(value) ? (value as Form) : {});
const listOf = (value: Param | undefined): readonly Param[] => (Array.isArray(value) ? value : []);
const LIST_PARAMS = ["limit", "starting_after", "ending_before", "expand", "created"];

// A page of objects, newest first.
function page(
  url: string,
  params: Form,
  all: Iterable<{ readonly id: string; readonly created: number }>,
  json: (id: string) => Json,
): Json {
  const { gte, gt, lte, lt } = objectOf(params.created) as Record<string, string | undefined>;
  const limit = Number(textOf(params, "limit") ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalid("Invalid integer: limit must be from 1 to 100", "limit");
  }
  const sorted = [...all]
    .filter(
      ({ created }) =>
        created >= Number(gte ?? 0) &&
        created > Number(gt ?? -1) &&
        created <= Number(lte ?? Number.POSITIVE_INFINITY) &&
        created < Number(lt ?? Number.POSITIVE_INFINITY),
    )
    .toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
  const after = sorted.findIndex(({ id }) => id === textOf(params, "starting_after")) + 1;
  const data = sorted.slice(after, after + limit);
  return { object: "list", url, has_more: after + limit < sorted.length, data: data.map(({ id }) => json(id)) };
}

const expands = (params: Form, what: string): boolean => listOf(params.expand).includes(what);

function subscriptionParams(state: StripeState, params: Form, id: string): Json {
  const subscription = state.get(state.subscriptions, "subscription", id);
  if (subscription.status === "canceled") {
    throw invalid("A canceled subscription can only update its cancellation_details and metadata.");
  }
  const [item] = listOf(params.items).map(objectOf);
  if (item !== undefined) {
    if (item.id !== subscription.itemId) {
      throw invalid(`No such subscription item: '${item.id}'`, "items[0][id]", "resource_missing");
    }
    const price = state.get(state.prices, "price", required(item, "price"));
    state.changePrice(subscription, price, textOf(params, "proration_behavior") === "always_invoice");
  }
  const cancels = textOf(params, "cancel_at_period_end");
  if (cancels !== undefined) {
    subscription.cancelsAtEnd = cancels === "true";
    subscription.canceledAt = subscription.cancelsAtEnd ? state.now : null;
  }
  subscription.metadata = { ...subscription.metadata, ...objectOf(params.metadata) };
  if (params.pause_collection !== undefined) {
    subscription.pause = params.pause_collection === "" ? null : "void";
  }
  if (textOf(params, "billing_cycle_anchor") === "now") {
    state.restart(subscription);
  } else {
    state.changed(subscription);
  }
  return state.subscriptionJson(subscription, expands(params, "latest_invoice"));
}

function createSession(state: StripeState, params: Form): Json {
  const [item] = listOf(params.line_items).map(objectOf);
  if (required(params, "mode") !== "subscription" || item === undefined || Number(textOf(item, "quantity")) !== 1) {
    throw invalid("Only one subscription can be bought here.", "line_items");
  }
  const price = state.get(state.prices, "price", required(item, "price"));
  const session: Session = {
    ...{ id: state.id("cs_test"), created: state.now, customer: required(params, "customer"), price: price.id, status: "open" },
    hasTax: textOf(objectOf(params.automatic_tax), "enabled") === "true",
    ...{ metadata: objectOf(params.metadata), subscriptionMetadata: objectOf(objectOf(params.subscription_data).metadata) },
    ...{ successUrl: required(params, "success_url"), cancelUrl: required(params, "cancel_url"), subscription: null },
  };
  state.get(state.customers, "customer", session.customer);
  state.sessions.set(session.id, session);
  return state.sessionJson(session);
}

function createPrice(state: StripeState, params: Form): Json {
  const key = textOf(params, "lookup_key") ?? null;
  if (key !== null && state.prices.values().some(({ lookup_key }) => lookup_key === key)) {
    throw invalid(`A price (or prices) already uses the lookup key ${key}.`, "lookup_key");
  }
  const price = {
    ...{ id: state.id("price"), created: state.now, lookup_key: key, unit_amount: Number(required(params, "unit_amount")) },
    ...{ currency: required(params, "currency"), product: state.id("prod"), metadata: objectOf(params.metadata) },
    productName: required(objectOf(params.product_data), "name"),
  };
  state.prices.set(price.id, price);
  return state.priceJson(price);
}

function previewInvoice(state: StripeState, params: Form): Json {
  const subscription = state.get(state.subscriptions, "subscription", required(params, "subscription"));
  const [item] = listOf(objectOf(params.subscription_details).items).map(objectOf);
  const price = state.get(state.prices, "price", required(item ?? {}, "price"));
  const net = state.proration(subscription, price);
  const tax = state.taxOn(subscription, net);
  const invoice = {
    ...{
      id: state.id("upcoming_in"),
      subscription: subscription.id,
      customer: subscription.customer,
      created: state.now,
      amount: net + tax,
      tax,
    },
    ...{ currency: price.currency, reason: "subscription_update" as const, from: state.now, to: subscription.periodEnd },
    ...{ text: `Change to ${price.productName}`, price: price.id, status: "open" as const, paidAt: null, attempts: 0 },
    ...{ nextAttempt: null, charge: undefined },
  };
  return { ...state.invoiceJson(invoice), status: "draft", hosted_invoice_url: null };
}

// The portal's sessions only name their customer, so they need no state.
const portalJson = (state: StripeState, params: Form, origin: string): Json => {
  const customer = state.get(state.customers, "customer", required(params, "customer")).id;
  const back = encodeURIComponent(required(params, "return_url"));
  return {
    ...{
      id: state.id("bps"),
      object: "billing_portal.session",
      configuration: "bpc_1",
      created: state.now,
      customer,
      livemode: false,
    },
    ...{ locale: null, on_behalf_of: null, return_url: textOf(params, "return_url"), flow: null, customer_account: null },
    url: `${origin}/portal/${customer}?back=${back}`,
  };
};

const routesOf = (origin: () => string): readonly Route[] => [
  {
    ...{ method: "POST", path: /^\/v1\/customers$/, params: ["email", "name", "metadata"] },
    run(state, params) {
      const email = textOf(params, "email") ?? null;
      const customer = { id: state.id("cus"), created: state.now, email, metadata: objectOf(params.metadata), card: undefined };
      state.customers.set(customer.id, customer);
      return state.customerJson(customer);
    },
  },
  {
    ...{ method: "GET", path: /^\/v1\/prices$/, params: [...LIST_PARAMS, "lookup_keys", "active"] },
    run: (state, params) =>
      page(
        "/v1/prices",
        params,
        state.prices
          .values()
          .filter(({ lookup_key }) => params.lookup_keys === undefined || listOf(params.lookup_keys).includes(lookup_key ?? "")),
        (id) => state.priceJson(state.get(state.prices, "price", id)),
      ),
  },
  {
    ...{ method: "POST", path: /^\/v1\/prices$/ },
    params: ["lookup_key", "currency", "unit_amount", "recurring", "product_data", "tax_behavior", "metadata", "nickname"],
    run: createPrice,
  },
  {
    ...{ method: "POST", path: /^\/v1\/checkout\/sessions$/ },
    params: [
      ...["mode", "customer", "line_items", "subscription_data", "success_url", "cancel_url", "metadata", "automatic_tax"],
      ...["allow_promotion_codes", "customer_update", "billing_address_collection", "tax_id_collection", "expires_at"],
    ],
    run: createSession,
  },
  {
    ...{ method: "POST", path: /^\/v1\/billing_portal\/sessions$/, params: ["customer", "return_url", "configuration"] },
    run: (state, params) => portalJson(state, params, origin()),
  },
  {
    ...{ method: "GET", path: /^\/v1\/subscriptions$/, params: [...LIST_PARAMS, "customer", "status", "price"] },
    run: (state, params) =>
      page(
        "/v1/subscriptions",
        params,
        state.subscriptions
          .values()
          .filter(
            ({ status }) =>
              params.status === "all" || (params.status === undefined ? status !== "canceled" : status === params.status),
          )
          .filter(({ customer }) => params.customer === undefined || customer === params.customer),
        (id) => state.subscriptionJson(state.get(state.subscriptions, "subscription", id), expands(params, "data.latest_invoice")),
      ),
  },
  {
    ...{ method: "GET", path: /^\/v1\/subscriptions\/([^/]+)$/, params: ["expand"] },
    run: (state, params, id) =>
      state.subscriptionJson(state.get(state.subscriptions, "subscription", id), expands(params, "latest_invoice")),
  },
  {
    ...{ method: "POST", path: /^\/v1\/subscriptions\/([^/]+)$/ },
    params: [
      ...["items", "cancel_at_period_end", "pause_collection", "billing_cycle_anchor", "proration_behavior", "payment_behavior"],
      ...["metadata", "expand"],
    ],
    run: subscriptionParams,
  },
  {
    ...{ method: "DELETE", path: /^\/v1\/subscriptions\/([^/]+)$/, params: ["prorate", "invoice_now", "cancellation_details"] },
    run(state, _, id) {
      const subscription = state.get(state.subscriptions, "subscription", id);
      state.cancel(subscription);
      return state.subscriptionJson(subscription);
    },
  },
  {
    ...{ method: "GET", path: /^\/v1\/invoices$/, params: [...LIST_PARAMS, "customer", "status", "subscription"] },
    run: (state, params) =>
      page(
        "/v1/invoices",
        params,
        state.invoices
          .values()
          .filter((each) => params.subscription === undefined || each.subscription === params.subscription)
          .filter((each) => params.customer === undefined || each.customer === params.customer)
          .filter((each) => params.status === undefined || each.status === params.status),
        (id) => state.invoiceJson(state.get(state.invoices, "invoice", id)),
      ),
  },
  {
    ...{ method: "POST", path: /^\/v1\/invoices\/create_preview$/, params: ["subscription", "subscription_details"] },
    run: previewInvoice,
  },
  {
    ...{ method: "GET", path: /^\/v1\/invoice_payments$/, params: [...LIST_PARAMS, "invoice", "payment", "status"] },
    run(state, params) {
      const { payment_intent: intent } = objectOf(params.payment);
      const found = [...state.invoices.values()].flatMap((invoice) => {
        const charge = invoice.charge;
        const isWanted =
          (params.invoice === undefined || params.invoice === invoice.id) && (intent === undefined || intent === charge?.intent);
        return charge === undefined || !isWanted ? [] : [{ id: invoice.id, created: charge.created, invoice, charge }];
      });
      const expanded = {
        charge: expands(params, "data.payment.payment_intent.latest_charge"),
        invoice: expands(params, "data.invoice"),
      };
      return page("/v1/invoice_payments", params, found, (id) => {
        const one = found.find((each) => each.id === id);
        return one === undefined ? {} : state.invoicePaymentJson(one.invoice, one.charge, expanded);
      });
    },
  },
  {
    ...{ method: "GET", path: /^\/v1\/charges$/, params: [...LIST_PARAMS, "customer", "payment_intent"] },
    run: (state, params) =>
      page(
        "/v1/charges",
        params,
        state.charges.values().filter((each) => params.customer === undefined || each.customer === params.customer),
        (id) => state.chargeJson(state.get(state.charges, "charge", id)),
      ),
  },
  {
    ...{ method: "POST", path: /^\/v1\/refunds$/, params: ["charge", "payment_intent", "reason", "amount", "metadata"] },
    run: (state, params) => state.refund(state.get(state.charges, "charge", required(params, "charge"))),
  },
];

/** Reads `a[b]=c&list[0]=d` as Stripe does. */
function parseParams(text: string): Form {
  const root: Record<string, unknown> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const path = [...key.matchAll(/[^[\]]+|\[\]/g)].map(([part]) => (part === "[]" ? "+" : part));
    let at = root;
    for (const part of path.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    const last = path.at(-1) ?? "";
    at[last === "+" ? String(Object.keys(at).length) : last] = value;
  }
  return withLists(root) as Form;
}

function withLists(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value).map(([name, each]) => [name, withLists(each)] as const);
  return entries.length > 0 && entries.every(([name], index) => name === String(index))
    ? entries.map(([, each]) => each)
    : Object.fromEntries(entries);
}

export class StripeStandIn {
  /** All events so far, in order. */
  readonly events: SentEvent[] = [];
  /** All requests to the API, in order, for comparison with Stripe's own rules. */
  readonly requests: { readonly method: string; readonly path: string; readonly body: string; readonly response: Json }[] = [];
  readonly state: StripeState;
  /** Whether requests get no answer, as if Stripe were away. */
  isAway = false;
  origin = "";
  readonly #options: StripeStandInOptions;
  readonly #routes: readonly Route[];
  readonly #answers = new Map<string, { readonly text: string; readonly json: Json }>();
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch(() => response.destroy());
  });
  #isClosed = false;

  constructor(options: StripeStandInOptions) {
    this.#options = options;
    this.#routes = routesOf(() => this.origin);
    this.state = new StripeState(
      options.clock,
      () => this.origin,
      (type, object) => this.#emit(type, object),
    );
  }

  /** Starts it on a free port of 127.0.0.1. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #emit(type: string, object: Json): void {
    const id = this.state.id("evt");
    const body = JSON.stringify({
      ...{ id, object: "event", api_version: API_VERSION, created: this.state.now, livemode: false, pending_webhooks: 1, type },
      ...{ data: { object }, request: null },
    });
    const event = { id, type, body };
    this.events.push(event);
    void this.#send(event, 0);
  }

  // Sends an event, and again later until it is taken. Never rejects.
  async #send(event: SentEvent, attempt: number): Promise<void> {
    const origin = this.#options.serverOrigin?.();
    if (this.#options.serverOrigin === undefined || this.#isClosed) {
      return;
    }
    try {
      const signature = signatureOf(event.body, STAND_IN_WEBHOOK_SECRET, this.#options.clock.nowMs());
      const headers = { "content-type": "application/json; charset=utf-8", "stripe-signature": signature };
      const response = await fetch(`${origin}/webhooks/stripe`, { method: "POST", headers, body: event.body });
      await response.arrayBuffer();
      if (response.ok) {
        return;
      }
    } catch {
      // The server is not there: it gets the event later.
    }
    const waitMs = RETRIES_MS[attempt];
    if (waitMs !== undefined) {
      this.#options.clock.after(waitMs, () => void this.#send(event, attempt + 1));
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? "/", "http://stripe");
    const body = await bodyOf(request);
    if (this.isAway) {
      request.socket.destroy();
      return;
    }
    this.state.tick();
    if (pathname.startsWith("/v1/")) {
      this.#handleApi(request, response, pathname, search.slice(1), body);
      return;
    }
    const { status, location, html } = this.#page(request.method ?? "", pathname, search, new URLSearchParams(body));
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...(location !== undefined && { location }) });
    response.end(html);
  }

  #handleApi(request: IncomingMessage, response: ServerResponse, path: string, query: string, body: string): void {
    const method = request.method ?? "";
    const { status, json } = this.#answer(request, method, path, method === "GET" || body === "" ? query : body);
    this.requests.push({ method, path: query === "" ? path : `${path}?${query}`, body, response: json });
    response.writeHead(status, { "content-type": "application/json", "request-id": this.state.id("req") });
    response.end(JSON.stringify(json));
  }

  #answer(request: IncomingMessage, method: string, path: string, text: string): { readonly status: number; readonly json: Json } {
    try {
      if (request.headers.authorization !== `Bearer ${STAND_IN_KEY}`) {
        throw new StripeRefusal(401, "invalid_request_error", "Invalid API Key provided");
      }
      if (request.headers["stripe-version"] !== API_VERSION) {
        throw invalid(`This stand-in speaks version ${API_VERSION} of the API.`);
      }
      const route = this.#routes.find((each) => each.method === method && each.path.test(path));
      if (route === undefined) {
        throw new StripeRefusal(404, "invalid_request_error", `Unrecognized request URL (${method}: ${path}).`);
      }
      const params = parseParams(text);
      const unknown = Object.keys(params).find((name) => !route.params.includes(name));
      if (unknown !== undefined) {
        throw invalid(`Received unknown parameter: ${unknown}`, unknown, "parameter_unknown");
      }
      const key = method === "POST" ? request.headers["idempotency-key"]?.toString() : undefined;
      const before = key === undefined ? undefined : this.#answers.get(key);
      if (before !== undefined && before.text !== `${path} ${text}`) {
        throw new StripeRefusal(
          400,
          "idempotency_error",
          "Keys for idempotent requests can only be used with the same parameters.",
        );
      }
      const json = before?.json ?? route.run(this.state, params, decodeURIComponent(route.path.exec(path)?.[1] ?? ""));
      if (key !== undefined) {
        this.#answers.set(key, { text: `${path} ${text}`, json });
      }
      return { status: 200, json };
    } catch (error) {
      if (error instanceof StripeRefusal) {
        return { status: error.status, json: { error: error.error } };
      }
      throw error;
    }
  }

  // The pages for customers. A card's number is all that they ask for.
  #page(method: string, path: string, search: string, form: URLSearchParams): Page {
    const [, kind, id = ""] = path.split("/");
    try {
      if (kind === "checkout") {
        return this.#checkoutPage(method, this.state.get(this.state.sessions, "checkout session", id), form);
      }
      if (kind === "portal") {
        return this.#portalPage(method, id, new URLSearchParams(search).get("back") ?? "/", form);
      }
      if (kind === "invoices") {
        const { amount, currency, status, text } = this.state.get(this.state.invoices, "invoice", id);
        return page200(`<h1>Invoice ${id}</h1><p>${escaped(text)}: ${amount / 100} ${currency}, ${status}</p>`);
      }
      return { status: 404, html: "" };
    } catch (error) {
      return { status: 404, html: escaped(String(error)) };
    }
  }

  #checkoutPage(method: string, session: Session, form: URLSearchParams): Page {
    const price = this.state.get(this.state.prices, "price", session.price);
    if (session.status === "complete") {
      return { status: 303, location: session.successUrl, html: "" };
    }
    const card = cardOf(form);
    const confirm = card === "4000002500003155" && form.get("confirmed") !== "yes";
    const isPaid = method === "POST" && card !== undefined && !confirm && this.state.completeCheckout(session, card);
    if (isPaid) {
      return { status: 303, location: session.successUrl, html: "" };
    }
    const note =
      method !== "POST"
        ? ""
        : card === undefined
          ? "This is no test card."
          : confirm
            ? "Your bank asks you to confirm."
            : "Your card was declined.";
    return page200(`<h1>${escaped(price.productName)}</h1>
      <p>${price.unit_amount / 100} ${price.currency.toUpperCase()} a month</p><p role="alert">${note}</p>
      <form method="post">${cardField(card)}${confirm ? '<input type="hidden" name="confirmed" value="yes">' : ""}
      <button>${confirm ? "Confirm" : "Subscribe"}</button></form><p><a href="${escaped(session.cancelUrl)}">Back</a></p>`);
  }

  #portalPage(method: string, customerId: string, back: string, form: URLSearchParams): Page {
    const customer = this.state.get(this.state.customers, "customer", customerId);
    const card = cardOf(form);
    if (method === "POST" && card !== undefined) {
      this.state.useCard(customerId, card);
    }
    const own = [...this.state.subscriptions.values()].filter((each) => each.customer === customerId && each.status !== "canceled");
    const changed = own.find((each) => each.id === form.get("cancel") || each.id === form.get("renew"));
    if (method === "POST" && changed !== undefined) {
      changed.cancelsAtEnd = form.has("cancel");
      this.state.changed(changed);
    }
    const row = (id: string, cancels: boolean, name: string): string =>
      `<form method="post"><p>${escaped(name)}${cancels ? ", ends with the period" : ""}
      <button name="${cancels ? "renew" : "cancel"}" value="${id}">${cancels ? "Renew" : "Cancel"}</button></p></form>`;
    const invoices = [...this.state.invoices.values()].filter((each) => each.customer === customerId);
    return page200(`<h1>Subscriptions</h1>
      ${own.map((each) => row(each.id, each.cancelsAtEnd, this.state.prices.get(each.price)?.productName ?? "")).join("")}
      <h2>Card</h2><form method="post">${cardField(customer.card)}<button>Use this card</button></form>
      <h2>Invoices</h2><ul>${invoices.map(({ id, status }) => `<li><a href="/invoices/${id}">${id}</a> ${status}</li>`).join("")}</ul>
      <p><a href="${escaped(back)}">Back</a></p>`);
  }
}

interface Page {
  readonly status: number;
  readonly location?: string;
  readonly html: string;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const page200 = (html: string): Page => ({
  status: 200,
  html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stand-in for Stripe</title><body>${html}</body></html>`,
});

function cardOf(form: URLSearchParams): Card | undefined {
  const number = form.get("card")?.replaceAll(" ", "") ?? "";
  return number in CARDS ? (number as Card) : undefined;
}

const cardField = (
  value: Card | undefined,
): string => `<label>Test card <input name="card" list="cards" value="${value ?? ""}" required></label>
  <datalist id="cards">${Object.entries(CARDS)
    .map(([number, effect]) => `<option value="${number}">${effect}</option>`)
    .join("")}</datalist>`;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) {
      throw new Error("too long");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
