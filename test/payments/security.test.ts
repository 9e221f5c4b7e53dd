// What strangers and customers try with payments: none of it buys anything, and no secret of Stripe's appears in a log, a trace or a response.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { Stripe } from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { STAND_IN_KEY, STAND_IN_WEBHOOK_SECRET, type StripeStandIn } from "../../src/sandbox/stripe/stripe-stand-in.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { payAt, sendEvents, startStripe, stripeVariables } from "../fixtures/servers/stripe.ts";
import { rest } from "../system/account-services/clients.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "../system/account-services/person.ts";

const SECRETS = [STAND_IN_KEY, STAND_IN_WEBHOOK_SECRET];
const written: string[] = [];

// Takes traces, as a collector does.
const collector = createServer(async (request, response) => {
  for await (const chunk of request) {
    written.push(String(chunk));
  }
  written.push(JSON.stringify(request.headers));
  response.end("{}");
});
let gateway: Gateway;
let stripe: StripeStandIn;
let person: Person;
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  stripe = await startStripe();
  gateway = await startGateway({
    plans: {
      farkle: [
        { name: "free", callsPerMonth: 1000, requestsPerSecond: 2 },
        { name: "basic", callsPerMonth: 20_000, requestsPerSecond: 20, priceMinor: 800 },
      ],
    },
    log: pino({ level: "trace", base: null }, { write: (line: string) => void written.push(line) }),
    variables: {
      ...stripeVariables(stripe),
      ...{
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
        OTEL_TRACES_SAMPLER: "always_on",
      },
    },
  });
  person = new Person(placeOf(gateway), rest);
});
afterAll(async () => {
  await gateway.close();
  await stripe.close();
  await new Promise((resolve) => collector.close(resolve));
});

async function ask(path: string, body: string, headers: Headers = {}): Promise<{ status: number; text: string }> {
  const type = { "content-type": "application/json" };
  const response = await fetch(`${gateway.origin}${path}`, { method: "POST", headers: { ...type, ...headers }, body });
  const text = await response.text();
  written.push(text, JSON.stringify([...response.headers]));
  return { status: response.status, text };
}

async function customer(name: string): Promise<{ headers: Headers; id: string }> {
  const email = `${name}@example.com`;
  await person.take(METHODS.signUp, { email, password: PASSWORD });
  const headers = await person.signIn(email);
  return { headers, id: (await gateway.store.findOwner(email))?.accountId ?? "" };
}

const planOf = async (id: string) => (await gateway.store.findSubscription(id, "farkle"))?.plan;

test("a purchase names a service and a plan, and nothing else", async () => {
  const { headers, id } = await customer("ada");
  const asked = { service: "farkle", plan: "basic" };
  for (const more of [
    { quantity: 0 },
    { quantity: 1000 },
    { price: "price_1" },
    { currency: "jpy" },
    { customer: "cus_1" },
    { success_url: "/" },
  ]) {
    expect((await ask("/account/v1/billing/checkout", JSON.stringify({ ...asked, ...more }), headers)).status).toBe(400);
  }
  for (const plan of ["free", "pro", "radio/basic/1", "basic/1"]) {
    const { status } = await ask("/account/v1/billing/checkout", JSON.stringify({ ...asked, plan }), headers);
    expect([400, 404]).toContain(status);
  }
  expect([stripe.state.sessions.size, await planOf(id)]).toEqual([0, undefined]);
});

test("another customer's purchase in the return address, and forged and replayed events, give nothing", async () => {
  const [buyer, thief] = [await customer("bob"), await customer("mallory")];
  const { text } = await ask("/account/v1/billing/checkout", JSON.stringify({ service: "farkle", plan: "basic" }), buyer.headers);
  const page = JSON.parse(text).data.url as string;
  await payAt(stripe, page, gateway.origin);
  expect(await planOf(buyer.id)).toBe("basic");
  const session = page.split("/").at(-1);
  await (await fetch(`${gateway.origin}/app/subscriptions?bought=farkle&session_id=${session}`, { headers: thief.headers })).text();
  // An event like the buyer's, for the thief: signed with another secret, with the server's key, or by replaying the old signature.
  const event = JSON.parse(stripe.events[0]?.body ?? "");
  event.data.object.metadata.quintet_account = thief.id;
  const forged = JSON.stringify(event);
  const now = stripe.state.now;
  const sign = (payload: string, secret: string, timestamp: number) =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const original = stripe.events[0]?.body ?? "";
  for (const [body, signature] of [
    [forged, sign(forged, "whsec_guessed00000000", now)],
    [forged, sign(forged, STAND_IN_KEY, now)],
    [forged, sign(original, STAND_IN_WEBHOOK_SECRET, now)],
    [original, sign(original, STAND_IN_WEBHOOK_SECRET, now - 301)],
    [original, "t=1,v1="],
    [`{"secret":"${"x".repeat(300_000)}"}`, sign("x", STAND_IN_WEBHOOK_SECRET, now)],
  ] as const) {
    const { status } = await ask("/webhooks/stripe", body, { "stripe-signature": signature });
    expect([400, 413]).toContain(status);
  }
  // Even one with the right signature gives only what Stripe says when it is asked.
  event.id = "evt_forged";
  const signed = JSON.stringify(event);
  expect((await ask("/webhooks/stripe", signed, { "stripe-signature": sign(signed, STAND_IN_WEBHOOK_SECRET, now) })).status).toBe(
    200,
  );
  expect([await planOf(thief.id), await planOf(buyer.id)]).toEqual([undefined, "basic"]);
});

test("two purchases at once leave one subscription, and the other is paid back", async () => {
  const { headers, id } = await customer("carl");
  const body = JSON.stringify({ service: "farkle", plan: "basic" });
  const pages = await Promise.all([1, 2].map(() => ask("/account/v1/billing/checkout", body, headers)));
  for (const { text } of pages) {
    await payAt(stripe, JSON.parse(text).data.url, gateway.origin);
  }
  await sendEvents(stripe, gateway.origin);
  const own = [...stripe.state.subscriptions.values()].filter(({ metadata }) => metadata.quintet_account === id);
  const charges = [...stripe.state.charges.values()].filter(({ customer: of }) => of === own[0]?.customer);
  expect({
    plan: await planOf(id),
    subscriptions: own.map(({ status }) => status).toSorted(),
    refunded: charges.map(({ refunded }) => refunded).toSorted(),
  }).toEqual({ plan: "basic", subscriptions: ["active", "canceled"], refunded: [false, true] });
});

test("neither Stripe's key nor the webhook's secret is in a log, a trace or a response, also while Stripe is away", async () => {
  const { headers } = await customer("dora");
  stripe.isAway = true;
  const { status, text } = await ask("/account/v1/billing/checkout", JSON.stringify({ service: "farkle", plan: "basic" }), headers);
  stripe.isAway = false;
  expect([status, text]).toEqual([503, expect.stringContaining("PAYMENTS_UNAVAILABLE")]);
  await expect
    .poll(() => gateway.clock.advance(1000) ?? written.some((each) => each.includes("CreateCheckout")), { interval: 5 })
    .toBe(true);
  expect(written.length).toBeGreaterThan(30);
  expect(written.filter((each) => SECRETS.some((secret) => each.includes(secret)))).toEqual([]);
});
