// What operators count of payments by card, against Stripe's own lists: the export against the invoices, the income against the
// subscriptions.
import { Stripe } from "stripe";
import { expect, onTestFinished, test } from "vitest";
import { Environment } from "../../src/config/environment.ts";
import { readPaymentConfig } from "../../src/config/payments.ts";
import { CardPayments } from "../../src/payments/payments.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { STAND_IN_KEY } from "../../src/sandbox/stripe/stripe-stand-in.ts";
import { createCommandLine } from "../cli/command-line.ts";
import { advanceTime, START_MS, startGateway } from "../fixtures/gateway.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { payAt, sendEvents, startStripe, stripeVariables } from "../fixtures/servers/stripe.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { createMemoryLog } from "../guard/scene.ts";

const DAY_MS = 86_400_000;
const PLANS = [
  { name: "free", callsPerMonth: 1000, requestsPerSecond: 2 },
  { name: "basic", callsPerMonth: 20_000, requestsPerSecond: 20, priceMinor: 800 },
  { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 50, priceMinor: 2400 },
];

test("the export has each of Stripe's paid invoices with its tax, and plans activated by hand; the income is what Stripe collects", async () => {
  const manual = createManualClock({ nowMs: START_MS });
  let aheadMs = 0;
  const clock = { ...manual, nowMs: () => manual.nowMs() + aheadMs };
  const standIn = await startStripe(clock);
  const dataDir = temporaryDirectory();
  const variables = { ...stripeVariables(standIn), QUINTET_STRIPE_TAX: "on" };
  const gateway = await startGateway({ clock, dataDir, plans: { farkle: PLANS, radio: PLANS }, variables });
  onTestFinished(async () => {
    await advanceTime(manual, gateway.close());
    await standIn.close();
  });
  const { store, origin } = gateway;
  const config = readPaymentConfig(new Environment(variables), "https://api.example.com");
  if (config === undefined) {
    throw new Error("no payments");
  }
  const log = createMemoryLog();
  const payments = new CardPayments({ config, proxy: undefined, store, clock, randomness: systemRandomness, log });
  const plan = async (service: string, name: string) => {
    const found = (await store.offeredPlans()).find((each) => each.service === service && each.name === name);
    if (found === undefined) {
      throw new Error(`no ${name}`);
    }
    return found;
  };
  for (const [id, name, email] of [
    ["a-1", "ada", "ada@example.com"],
    ["a-2", "bob", "bob@example.com"],
    ["a-3", "hand", null],
  ] as const) {
    await store.createAccount({ id, name, email });
  }
  // By hand; by card, with a larger plan after ten days; by card, with a card that fails in the second month.
  await store.createSubscription({ id: "s-3", accountId: "a-3", service: "farkle", plan: "pro", state: "active" });
  await payAt(standIn, await payments.checkout({ id: "a-1", email: null }, await plan("farkle", "basic")), origin);
  await payAt(standIn, await payments.checkout({ id: "a-2", email: null }, await plan("radio", "pro")), origin, "4000000000000341");
  for (const [day, does] of [[10, () => plan("farkle", "pro").then((pro) => payments.change("a-1", pro))], [32]] as const) {
    aheadMs = day * DAY_MS;
    standIn.state.tick();
    await does?.();
    await sendEvents(standIn, origin);
  }

  const { run } = createCommandLine({ dataDir, clock });
  const exported = async (month: string, more: Readonly<Record<string, string>> = variables) => {
    const { code, out, err } = await run(`billing export --month ${month}`, more);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out.trimEnd().split("\r\n").slice(1);
  };
  const months = [...(await exported("2026-11")), ...(await exported("2026-12"))];
  const hand = (from: string, until: string, net: string) => `a-3,hand,farkle,farkle/pro/1,${from},${until},${net},,EUR,operator,`;
  expect(months.filter((line) => line.includes(",operator,"))).toEqual([
    hand("2026-11-21T12:00:00.000Z", "2026-12-01T00:00:00.000Z", "7.60"),
    hand("2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "24.00"),
  ]);
  const url = new URL(standIn.origin);
  const stripe = new Stripe(STAND_IN_KEY, {
    host: url.hostname,
    port: url.port,
    protocol: "http",
    apiVersion: "2026-08-26.dahlia",
  });
  const invoices = await stripe.invoices.list({ limit: 100 });
  const amount = (minor: number): string => (minor / 100).toFixed(2);
  const time = (seconds: number): string => new Date(seconds * 1000).toISOString();
  const paid = invoices.data
    .filter(({ status }) => status === "paid")
    .toReversed()
    .map((invoice) => {
      const { subscription, metadata } = invoice.parent?.subscription_details ?? {};
      const { quintet_account: account, quintet_service: service, quintet_plan: version } = metadata ?? {};
      const tax = invoice.total_taxes?.reduce((sum, each) => sum + each.amount, 0) ?? 0;
      const cells = [
        account,
        account === "a-1" ? "ada" : "bob",
        service,
        version,
        time(invoice.period_start),
        time(invoice.period_end),
      ];
      return [...cells, amount(invoice.subtotal), amount(tax), "EUR", subscription, invoice.hosted_invoice_url].join(",");
    });
  expect(paid).toHaveLength(4);
  expect(months.filter((line) => !line.includes(",operator,"))).toEqual(paid);
  expect(paid.map((line) => line.split(",").slice(6, 8).join("+"))).toEqual([
    "8.00+1.52",
    "24.00+4.56",
    "10.67+2.03",
    "24.00+4.56",
  ]);

  // Without Stripe's settings, the shares of the prices.
  expect(await exported("2026-11", {})).toHaveLength(3);

  const live = await stripe.subscriptions.list({ limit: 100 });
  const collected = live.data.map(({ status, items }) => ({ status, minor: items.data[0]?.price.unit_amount ?? 0 }));
  const sum = (all: typeof collected) => ({
    amount_minor: all.reduce((total, { minor }) => total + minor, 0),
    subscriptions: all.length,
  });
  const income = JSON.parse((await run("billing income --month 2026-12 --json")).out).income[0];
  const byHand = { status: "active", minor: 2400 } as const;
  expect({ end: income.end, failed: income.failed }).toEqual({
    end: sum([...collected, byHand]),
    failed: sum(collected.filter(({ status }) => status === "past_due")),
  });
});
