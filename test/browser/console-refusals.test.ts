import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { advanceTime, type Gateway, startGateway } from "../fixtures/gateway.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, signUp } from "./customer.ts";
import { LOOKS, openPage, pageFaults } from "./open-page.ts";

const MINUTE_MS = 60_000;
const FREE = { name: "free", callsPerMonth: 100, requestsPerSecond: 2 };

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closePages(browser));

interface Scene {
  readonly page: Page;
  readonly clock: ManualClock;
  readonly gateway: Gateway;
  readonly customer: Customer;
  /** Sends the form, and resolves with the keys of its calls. */
  send(): Promise<readonly string[]>;
}

async function openConsole(path = "/app/console/farkle/score", subscription: "farkle" | "bitcoin" = "farkle"): Promise<Scene> {
  const clock = createManualClock({ nowMs: Date.now() });
  const gateway = await startGateway({ clock, plans: { farkle: [FREE], bitcoin: [FREE] } });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= advanceTime(clock, gateway.close());
    return closing;
  };
  onTestFinished(close);
  const customer = await signUp(gateway, "ada");
  await accountClient(customer.transport).setSubscription({ service: subscription, plan: "free" });
  const opened = await openPage(browser, gateway.origin, path, LOOKS.light, customer.token);
  onTestFinished(opened.close);
  const { page } = opened;
  const keys: string[] = [];
  page.on("request", (request) => {
    const key = request.headers()["x-gateway-key"];
    if (key !== undefined) {
      keys.push(key);
    }
  });
  return {
    page,
    clock,
    gateway: { ...gateway, close },
    customer,
    async send() {
      const before = keys.length;
      const button = page.getByRole("button", { name: "Send", exact: true });
      await button.click();
      await expect.poll(() => keys.length > before && button.isEnabled()).toBe(true);
      return keys.slice(before);
    },
  };
}

const outcome = (page: Page) => page.getByRole("tabpanel").textContent();

test("a call that was made too soon says when to try again", async () => {
  const { page, send } = await openConsole();
  for (const expected of ["Done", "Done", "RATE_LIMITED · try again in 1 s"]) {
    await send();
    await expect.poll(() => outcome(page)).toContain(expected);
  }
});

test("a call without a subscription links to the subscriptions", async () => {
  const { page, send } = await openConsole("/app/console/bitcoin/get-mayer");
  await send();
  await page.getByRole("link", { name: "SUBSCRIPTION_REQUIRED" }).waitFor();
  expect(await page.getByRole("link", { name: "Your subscriptions" }).getAttribute("href")).toBe("/app/subscriptions");
});

test("a call without a subscription can be subscribed to on the spot, and then succeeds", async () => {
  const { page, send } = await openConsole("/app/console/farkle/score", "bitcoin");
  await send();
  await page.getByRole("button", { name: "Subscribe to Farkle (free)" }).click();
  await page.getByText("You're on the Free plan. Send the call again.").waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await send();
  await expect.poll(() => outcome(page)).toContain("HTTP 200");
});

test.each([
  ["farkle", "Farkle"],
  ["bitcoin", "Bitcoin valuation"],
] as const)("the console of an account with a plan for %s begins with that service", async (service, title) => {
  const { page } = await openConsole("/app/console", service);
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  expect(await page.getByRole("combobox").first().inputValue()).toContain(title);
});

test("a call in all protocols keeps to the rate limit of a free plan", async () => {
  const gateway = await startGateway({ clock: systemClock, plans: { farkle: [FREE] } });
  onTestFinished(gateway.close);
  const customer = await signUp(gateway, "ada");
  await accountClient(customer.transport).setSubscription({ service: "farkle", plan: "free" });
  const { page, close } = await openPage(browser, gateway.origin, "/app/console/farkle/score", LOOKS.light, customer.token);
  onTestFinished(close);
  const statuses: number[] = [];
  page.on("response", (response) => response.request().headers()["x-gateway-key"] && statuses.push(response.status()));
  await page.getByRole("tab", { name: "Compare" }).click();
  await page.getByRole("button", { name: "Send in all protocols" }).click();
  await page.getByText("Every protocol gave the same response").waitFor();
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
});

test("after a quarter of an hour another key is created automatically", async () => {
  const { page, clock, send } = await openConsole();
  const [first = ""] = await send();
  clock.advance(15 * MINUTE_MS);
  await page.clock.setFixedTime(clock.nowMs());
  const [second = "", ...more] = await send();
  await expect.poll(() => outcome(page)).toContain("HTTP 200");
  expect({ isAnother: second !== first, more }).toEqual({ isAnother: true, more: [] });
  await page.getByText(`Key: …${second.slice(-4)}`).waitFor();
});

test("a key that was revoked elsewhere is replaced, and the call is made with the new one", async () => {
  const { page, customer, send } = await openConsole();
  const [first = ""] = await send();
  const account = accountClient(customer.transport);
  const { results } = await account.listKeys({});
  await account.revokeKey({ keyId: results.find(({ lastFour }) => lastFour === first.slice(-4))?.id ?? "" });
  await send();
  await expect.poll(() => outcome(page)).toContain("HTTP 200");
  const [third] = await send();
  expect(third).not.toBe(first);
});

test("without a server the console says so, and keeps what was typed", async () => {
  const { page, gateway, send } = await openConsole();
  await page.getByLabel(/dice/).fill("2\n2");
  await send();
  await gateway.close();
  await send();
  await page
    .getByText("The connection was lost before the response was complete, or the server cannot be reached. Send the call again.")
    .waitFor();
  expect(await page.getByLabel(/dice/).inputValue()).toBe("2\n2");
});
