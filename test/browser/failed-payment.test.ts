// A card that fails, in a browser against the sandbox: a customer signs up, buys a plan and calls at its rate; a month later the card is
// declined, the plan is kept for the grace, and then the free one follows. Time passes at the sandbox's control server.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { freePort } from "../fixtures/servers/server-process.ts";
import { linkOf, type SmtpServer, startSmtp, subjectOf, textOf } from "../fixtures/servers/smtp.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { signUp as newCustomer, PASSWORD, randomEmail } from "./customer.ts";
import { LOOKS, openPage, pageFaults } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
let sandbox: Sandbox;
let smtp: SmtpServer;
beforeAll(async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  sandbox = await startSandbox({ clock: systemClock, controlPort: 0, serverOrigin: () => origin });
  smtp = await startSmtp();
  gateway = await startGateway({
    clock: sandbox.clock,
    plans: {
      farkle: [
        { name: "free", callsPerMonth: 1000, requestsPerSecond: 2 },
        { name: "basic", callsPerMonth: 20_000, requestsPerSecond: 20, priceMinor: 800 },
      ],
    },
    variables: {
      ...sandbox.stripe.variables,
      ...{ QUINTET_PORT: String(port), QUINTET_PUBLIC_URL: origin },
      ...{ QUINTET_SMTP_URL: smtp.url, QUINTET_MAIL_FROM: "no-reply@example.com" },
    },
  });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
  await sandbox.close();
  await smtp.close();
});

const DAY_MS = 86_400_000;

/** Lets days pass, at Stripe and here. Returns the time that it is then. */
async function pass(days: number): Promise<number> {
  const response = await fetch(`${sandbox.control.origin}/clock`, { method: "PUT", body: JSON.stringify({ days }) });
  expect(response.status).toBe(200);
  return Date.parse(((await response.json()) as { now: string }).now);
}

// The subject of the next mail, and what it says, without the links.
async function nextMail(email: string): Promise<readonly [string, string]> {
  const mail = await smtp.nextMail(email);
  return [subjectOf(mail), textOf(mail).split("\n")[0] ?? ""];
}

async function policyOf(key: string): Promise<string | undefined> {
  const response = await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": key } });
  return `${response.status} ${/^"second";q=\d+/.exec(response.headers.get("ratelimit-policy") ?? "")?.[0]}`;
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto("/app/subscriptions");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Farkle" }).waitFor();
}

async function signUp(page: Page): Promise<string> {
  const email = randomEmail("ada");
  await page.getByRole("link", { name: "Buy Basic" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.goto(linkOf(await smtp.nextMail(email)));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create my account" }).click();
  return email;
}

async function pay(page: Page, card: string): Promise<void> {
  await page.getByRole("button", { name: "Buy Basic, €8 a month" }).click();
  await page.getByLabel("Test card").fill(card);
  await page.getByRole("button", { name: "Subscribe" }).click();
}

test("a plan whose card fails is kept for the grace, then the free plan follows, and the invoices say so", async () => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/plans#farkle", LOOKS.light);
  const email = await signUp(page);
  await pay(page, "4000000000000341");
  await page.getByText("Your Basic plan for Farkle is active.").waitFor();
  expect(await nextMail(email)).toEqual([
    "Farkle: the basic plan is active",
    "The basic plan of Farkle is active: 8.00 EUR a month for 20,000 calls per month and 20 requests per second.",
  ]);
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "Create key" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("laptop");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page
    .getByRole("dialog")
    .getByText(/qk_live_\w{38}/)
    .first()
    .waitFor();
  const key = /qk_live_\w{38}/.exec((await page.getByRole("dialog").textContent()) ?? "")?.[0] ?? "";
  expect(await policyOf(key)).toBe('200 "second";q=20');

  const failed = await pass(31);
  const [subject, text] = await nextMail(email);
  const until = /^The last payment for your basic plan of Farkle failed. You keep the plan until (.*) UTC. Please check/.exec(
    text,
  )?.[1];
  expect(subject).toBe("Farkle: your payment failed");
  // The grace of seven days began when the month ended, at most three days ago.
  const graceDays = (Date.parse(`${until}Z`) - failed) / DAY_MS;
  expect([graceDays > 3, graceDays <= 7]).toEqual([true, true]);
  await signIn(page, email);
  await page.getByText(/^You keep your plan until /).waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  expect(await policyOf(key)).toBe('200 "second";q=20');

  const usage = await page.evaluate(async () => (await fetch("/account/v1/usage")).json());
  // The mail says it to the minute.
  expect(Math.abs(Date.parse(usage.data.standings[0].payment_grace_ends_at) - Date.parse(`${until}Z`))).toBeLessThan(60_000);
  const operator = await newCustomer(gateway, "olga");
  await gateway.store.setOperator(operator.id, true);
  const theirs = await openPage(browser, gateway.origin, "/app", LOOKS.light);
  await signIn(theirs.page, operator.email);
  const account = await gateway.store.findOwner(email);
  await theirs.page.goto(`/app/operator/accounts/id/${account?.accountId}`);
  await theirs.page.getByText(/^Failed, kept until /).waitFor();
  await theirs.page.getByRole("link", { name: "Invoice" }).waitFor();
  expect(await pageFaults(theirs.page)).toEqual({ sideways: 0, serious: [] });
  await theirs.page.goto(`/app/operator/audit?account=${account?.accountId}&action=payment`);
  await theirs.page
    .getByText(/farkle\/basic\/1, 8\.00 EUR a month, is past_due; unpaid since /)
    .first()
    .waitFor();
  expect(await theirs.page.getByRole("link", { name: "invoice" }).count()).toBe(2);
  expect(theirs.faults).toEqual([]);
  await theirs.close();

  await pass(7);
  expect(await nextMail(email)).toEqual([
    "Farkle: your basic plan has ended",
    "Your basic plan of Farkle has ended, because it is no longer paid. You are now on the free plan: 0.00 EUR a month for 1,000 calls per month and 2 requests per second.",
  ]);
  await signIn(page, email);
  await expect.poll(() => policyOf(key)).toBe('200 "second";q=2');
  await page.getByRole("button", { name: "Cards and invoices" }).click();
  await page.getByRole("heading", { name: "Invoices" }).waitFor();
  expect((await page.getByRole("listitem").allTextContents()).map((each) => each.replace(/^\S+ /, ""))).toEqual(["paid", "open"]);
  await page.getByRole("listitem").first().getByRole("link").click();
  await page.getByText("1 × farkle basic (at 8 eur / month): 8 eur, paid").waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a card whose bank asks to confirm buys a plan, and a payment that the bank takes back later ends it", async () => {
  for (const card of ["4000002500003155", "4000000000000259"]) {
    const { page, faults, close } = await openPage(browser, gateway.origin, "/plans#farkle", LOOKS.light);
    const email = await signUp(page);
    await pay(page, card);
    if (card === "4000002500003155") {
      await page.getByText("Your bank asks you to confirm.").waitFor();
      await page.getByRole("button", { name: "Confirm" }).click();
    }
    await page.getByText("Your Basic plan for Farkle is active.").waitFor();
    expect(await nextMail(email)).toEqual(["Farkle: the basic plan is active", expect.any(String)]);
    await pass(2);
    if (card === "4000000000000259") {
      expect(await nextMail(email)).toEqual(["Farkle: your basic plan has ended", expect.any(String)]);
      await page.reload();
      await page.getByText("1,000 calls").first().waitFor();
    } else {
      await page.reload();
      await page.getByText("20,000 calls").first().waitFor();
    }
    expect(faults).toEqual([]);
    await close();
  }
});
