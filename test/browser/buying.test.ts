// A customer buys a plan by card in a browser, at the stand-in for Stripe: signs up, pays, calls at the plan's rate, moves to a larger
// plan at the price that was shown, and ends it.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { StripeStandIn } from "../../src/sandbox/stripe/stripe-stand-in.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { freePort } from "../fixtures/servers/server-process.ts";
import { stripeVariables } from "../fixtures/servers/stripe.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { PASSWORD, randomEmail, signUp } from "./customer.ts";
import { LOOKS, openPage, pageFaults } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
let stripe: StripeStandIn;
beforeAll(async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  stripe = new StripeStandIn({ clock: systemClock, serverOrigin: () => origin });
  await stripe.listen();
  gateway = await startGateway({
    clock: systemClock,
    plans: {
      farkle: [
        { name: "free", callsPerMonth: 1000, requestsPerSecond: 2 },
        { name: "basic", callsPerMonth: 20_000, requestsPerSecond: 20, priceMinor: 800 },
        { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 50, priceMinor: 2400 },
      ],
    },
    variables: { ...stripeVariables(stripe), QUINTET_PORT: String(port), QUINTET_PUBLIC_URL: origin },
  });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
  await stripe.close();
});

test("a customer buys a plan, calls at its rate, changes it for the price shown, and ends it", async () => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/plans#farkle", LOOKS.light);
  await page.getByRole("link", { name: "Buy Basic" }).click();
  await page.getByLabel("E-mail address").fill(randomEmail("ada"));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  const dialog = page.getByRole("dialog", { name: "Farkle: choose a plan" });
  await dialog.getByText("You pay on Stripe's page").waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await dialog.getByRole("button", { name: "Buy Basic, €8 a month" }).click();

  await page.getByLabel("Test card").fill("4000000000000002");
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("Your card was declined.").waitFor();
  await page.getByLabel("Test card").fill("4242424242424242");
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("Your Basic plan for Farkle is active.").waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await page.getByRole("button", { name: "Dismiss" }).click();
  expect(new URL(page.url()).search).toBe("");

  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "Create key" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("laptop");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByText("Try Farkle", { exact: true }).waitFor();
  const key = /qk_live_\w{38}/.exec((await page.getByRole("dialog").textContent()) ?? "")?.[0] ?? "";
  const { status, headers } = await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": key } });
  expect({ status, limits: headers.get("ratelimit-policy") }).toEqual({
    status: 200,
    limits: expect.stringMatching(/^"second";q=20;.*"month";q=20000;/),
  });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "I have saved it" }).click();

  await page.getByRole("link", { name: "Subscriptions" }).click();
  await page.getByRole("button", { name: "Switch plan: Farkle" }).click();
  await dialog.getByText(/^Your card is charged €16 now, for the rest of the paid month\./).waitFor();
  await dialog.getByRole("button", { name: "Switch to Pro" }).click();
  await page.getByText("You're on the Pro plan for Farkle.").waitFor();
  await page.getByRole("button", { name: "Switch plan: Farkle" }).click();
  await dialog.getByRole("radio", { name: "Free" }).check();
  await dialog.getByText("You keep Pro until the end of the paid month. It is not charged again.").waitFor();
  await dialog.getByRole("button", { name: "Switch to Free" }).click();
  await page.getByText("Your Pro plan for Farkle will not be renewed.").waitFor();
  await page.getByText(/^You keep your plan until /).waitFor();

  await page.getByRole("button", { name: "Cards and invoices" }).click();
  await page.getByRole("heading", { name: "Invoices" }).waitFor();
  await page.getByRole("link", { name: "Back" }).click();
  await page.getByRole("heading", { name: "Subscriptions" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a purchase of which the server hears nothing is waited for, and then said to be unconfirmed", async () => {
  const customer = await signUp(gateway, "bob");
  const { page, faults, close } = await openPage(browser, gateway.origin, "/plans", LOOKS.light, customer.token);
  await page.clock.install();
  await page.goto("/app/subscriptions?bought=farkle");
  await page.getByText("Waiting for your payment for Farkle to be confirmed…").waitFor();
  await page.clock.fastForward(30_000);
  await page.getByText("Your payment for Farkle is not confirmed yet. Look here again later.").waitFor();
  await page.getByRole("button", { name: "Cards and invoices" }).click();
  await page.getByText("The account has not bought anything by card.").waitFor();
  expect(faults).toEqual([]);
  await close();
});
