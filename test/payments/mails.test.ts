// What customers who pay by card, and operators, are sent by e-mail: from the purchase to the end of the plan, over SMTP.
import { expect, onTestFinished, test } from "vitest";
import type { Plan } from "../../src/catalogue/plan.ts";
import type { Card } from "../../src/sandbox/stripe/stripe-state.ts";
import { advanceTime, START_MS, startGateway } from "../fixtures/gateway.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { startSmtp, subjectOf, textOf } from "../fixtures/servers/smtp.ts";
import { payAt, sendEvents, startStripe, stripeVariables } from "../fixtures/servers/stripe.ts";

const DAY_MS = 86_400_000;
const CUSTOMER = "ada@example.com";
const OPERATOR = "olga@example.com";
const ORIGIN = "https://api.example.com";
const TERMS = "8.00 EUR a month for 20,000 calls per month and 20 requests per second";
const FREE = "You are now on the free plan: 0.00 EUR a month for 1,000 calls per month and 2 requests per second.";

const mail = (to: string, subject: string, text: string, page = "/app/subscriptions") => ({
  to: [to],
  subject,
  text: `${text}\n\n${ORIGIN}${page}\n\nTo choose which e-mails you get, see ${ORIGIN}/app/alerts\n`,
});
const activated = mail(
  CUSTOMER,
  "Farkle: the basic plan is active",
  `The basic plan of Farkle is active: ${TERMS}.\n\nInvoice: INVOICE`,
);
const paid = mail(
  CUSTOMER,
  "Farkle: you paid for the basic plan",
  "We have received 8.00 EUR for another month of your basic plan of Farkle.\n\nInvoice: INVOICE",
);
const ended = (because: string) =>
  mail(CUSTOMER, "Farkle: your basic plan has ended", `Your basic plan of Farkle has ended, because ${because}. ${FREE}`);

interface Life {
  readonly what: string;
  readonly card: Card;
  /** Days after the purchase, and what is done then. */
  readonly days: readonly (readonly [day: number, does?: "cancel" | "refund"])[];
  readonly mails: readonly ReturnType<typeof mail>[];
}

const LIVES: readonly Life[] = [
  { what: "each month that is paid", card: "4242424242424242", days: [[31], [62]], mails: [activated, paid, paid] },
  {
    what: "a payment that failed, and the end of the grace",
    card: "4000000000000341",
    days: [[31], [38]],
    mails: [
      activated,
      mail(
        CUSTOMER,
        "Farkle: your payment failed",
        "The last payment for your basic plan of Farkle failed. You keep the plan until 2026-12-28 12:00 UTC. Please check your card before then.\n\nInvoice: INVOICE",
      ),
      ended("it is no longer paid"),
    ],
  },
  {
    what: "the end after a cancellation",
    card: "4242424242424242",
    days: [[1, "cancel"], [31]],
    mails: [activated, ended("it was cancelled")],
  },
  {
    what: "the end after a refund",
    card: "4242424242424242",
    days: [[1, "refund"]],
    mails: [activated, ended("its payment was refunded")],
  },
  {
    what: "a dispute, of which operators are told too",
    card: "4000000000000259",
    days: [[2]],
    mails: [
      activated,
      ended("its payment was disputed"),
      mail(
        OPERATOR,
        "ada disputes a payment for Farkle",
        "A payment of the account ada for the basic plan of Farkle is disputed, so the plan has ended here and at Stripe. Answer the dispute in Stripe's dashboard.\n\nInvoice: INVOICE",
        "/app/operator",
      ),
    ],
  },
];

test.each(LIVES)("customers are mailed $what", async ({ card, days, mails }) => {
  const smtp = await startSmtp();
  const manual = createManualClock({ nowMs: START_MS });
  // Days pass as when somebody sets the machine's clock, without all that is done in them.
  let aheadMs = 0;
  const clock = { ...manual, nowMs: () => manual.nowMs() + aheadMs };
  const stripe = await startStripe(clock);
  const gateway = await startGateway({
    clock,
    plans: {
      farkle: [
        { name: "free", callsPerMonth: 1000, requestsPerSecond: 2 },
        { name: "basic", callsPerMonth: 20_000, requestsPerSecond: 20, priceMinor: 800 },
      ],
    },
    variables: {
      ...stripeVariables(stripe),
      ...{ QUINTET_SMTP_URL: smtp.url, QUINTET_MAIL_FROM: "no-reply@example.com" },
    },
  });
  onTestFinished(async () => {
    await advanceTime(clock, gateway.close());
    await stripe.close();
    await smtp.close();
  });
  const { store, origin } = gateway;
  for (const [id, name, email] of [
    ["a-1", "ada", CUSTOMER],
    ["a-2", "olga", OPERATOR],
  ] as const) {
    await store.createAccount({ id, name, email });
    await store.setOwnerPassword(id, "none");
    await store.addMailToken({ tokenHash: id, purpose: "verify", email, accountId: id, expiresAtMs: START_MS + 1 });
    await store.verifyEmail(id, undefined);
  }
  await store.setOperator("a-2", true);
  const plan = (await store.offeredPlans()).find(({ name }) => name === "basic") as Plan;
  const metadata = { quintet_account: "a-1", quintet_service: "farkle", quintet_plan: plan.id };
  const { state } = stripe;
  const customer = { id: state.id("cus"), created: state.now, email: CUSTOMER, metadata: {}, card: undefined };
  state.customers.set(customer.id, customer);
  const price = {
    ...{ id: "price_1", created: state.now, lookup_key: plan.id, unit_amount: 800, currency: "eur", product: "prod_1", metadata },
    productName: "farkle basic",
  };
  state.prices.set(price.id, price);
  const urls = { successUrl: "/", cancelUrl: "/", status: "open" as const, subscription: null, hasTax: false };
  const session = {
    id: "cs_1",
    created: state.now,
    customer: customer.id,
    price: price.id,
    metadata,
    subscriptionMetadata: metadata,
  };
  state.sessions.set(session.id, { ...session, ...urls });

  await payAt(stripe, `${stripe.origin}/checkout/cs_1`, origin, card);
  const subscription = [...state.subscriptions.values()][0] as Parameters<typeof state.cancel>[0];
  for (const [day, does] of days) {
    aheadMs = day * DAY_MS;
    if (does === "cancel") {
      subscription.cancelsAtEnd = true;
    } else if (does === "refund") {
      state.refund([...state.charges.values()][0] as Parameters<typeof state.refund>[0]);
    }
    state.tick();
    await sendEvents(stripe, origin);
  }
  await expect.poll(() => clock.advance(1000) ?? smtp.mails.length, { interval: 5 }).toBeGreaterThanOrEqual(mails.length);
  await expect.poll(() => clock.advance(1000) ?? store.waitingDeliveries(1), { interval: 5 }).toBe(0);
  const received = smtp.mails.map((each) => {
    const text = textOf(each).replaceAll(new RegExp(`${stripe.origin}/invoices/in_\\d+`, "g"), "INVOICE");
    return { to: each.to, subject: subjectOf(each), text };
  });
  const byText = (all: readonly { readonly text: string }[]) => all.toSorted((one, other) => (one.text < other.text ? -1 : 1));
  expect(byText(received)).toEqual(byText(mails));
});
