// The operators' pages: in every look without a fault, for operators alone, and what is done there is in force for the customer.
import { createClient } from "@connectrpc/connect";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { portalFiles } from "../fixtures/portal-site.ts";
import { startBrowser } from "./chromium.ts";
import { type Customer, furnish, signUp } from "./customer.ts";
import { LOOKS, type OpenPage, openPage, pageFaults } from "./open-page.ts";

const FREE = { name: "free", callsPerMonth: 1000, requestsPerSecond: 50 };
const PRO = { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 50, priceMinor: 1290 };

let browser: Browser;
let gateway: Gateway;
let operator: Customer;
let customer: Customer;
let customerId: string;

beforeAll(async () => {
  portalFiles();
  gateway = await startGateway({ clock: systemClock, plans: { farkle: [FREE, PRO], bitcoin: [FREE, PRO] } });
  browser = await startBrowser();
  operator = await signUp(gateway.origin, "ops@example.com");
  customer = await signUp(gateway.origin, "ada.of.a.rather.long.name@customers.example.com");
  await furnish(customer);
  await gateway.store.setOperator(await idOf(operator), true);
  customerId = await idOf(customer);
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

const idOf = async ({ transport }: Customer): Promise<string> =>
  (await createClient(AccountService, transport).getAccount({})).account?.id ?? "";

const open = (path: string, who: Customer, look: keyof typeof LOOKS = "light"): Promise<OpenPage> =>
  openPage(browser, gateway.origin, path, LOOKS[look], who.token);

const PAGES = [
  { path: () => "/app/operator", ready: "ada.of.a.rather.long.name@customers.example.com" },
  { path: () => "/app/operator?search=nobody", ready: "No such account" },
  { path: () => `/app/operator/accounts/${customerId}`, ready: "What was done to this account" },
  { path: () => `/app/operator/accounts/${customerId}?do=suspend`, ready: "Its calls are refused from the next one on" },
  { path: () => "/app/operator/waiting", ready: "Decline" },
  { path: () => "/app/operator/usage", ready: "No calls this month" },
  { path: () => "/app/operator/server", ready: "Upstreams since the start" },
  { path: () => "/app/operator/audit", ready: "key.revoke" },
  { path: () => "/app/operator/audit?about=quota", ready: "No such entry" },
] as const;

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test.each(PAGES)("the page with $ready has no fault", async ({ path, ready }) => {
    const { page, faults, close } = await open(path(), operator, look);
    await page.getByText(ready).first().waitFor();
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(faults).toEqual([]);
    await close();
  });
});

test.each(["", "/waiting", "/usage", "/server", "/audit", "/accounts/x"])(
  "a customer sees plainly that /app/operator%s is not for them",
  async (path) => {
    const { page, faults, close } = await open(`/app/operator${path}`, customer);
    await page.getByText("You are not an operator of this server.").waitFor();
    expect(await page.getByRole("link", { name: "Operator" }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  },
);

test("an operator finds an account, activates what it waits for, and the customer's page says so", async () => {
  const { page, faults, close } = await open("/app", operator);
  await page.getByRole("link", { name: "Operator", exact: true }).click();
  await page.getByLabel("Search").fill("RATHER.long");
  await page.keyboard.press("Enter");
  await page.getByText("1–1 of 1").waitFor();
  await page.getByRole("link", { name: "Waiting plans" }).click();
  await page.getByRole("button", { name: /^Activate pro of bitcoin for ada/ }).click();
  await page.getByText("Nothing waits").waitFor();
  await page.getByRole("link", { name: "Audit trail" }).click();
  await page.getByText("subscription.activate").waitFor();
  expect(faults).toEqual([]);
  await close();
  const theirs = await open("/app/subscriptions", customer);
  await theirs.page.getByRole("region", { name: "Plans of Bitcoin" }).getByText("in force").waitFor();
  expect(await theirs.page.getByText("waits for activation").count()).toBe(0);
  await theirs.close();
});

test("a suspended account's key is refused from the next call on, and let in again when it is resumed", async () => {
  const { secret } = await createClient(AccountService, customer.transport).createKey({ name: "caller" });
  const call = async () =>
    (await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } })).status;
  const { page, faults, close } = await open(`/app/operator/accounts/${customerId}`, operator);
  expect(await call()).toBe(200);
  await page.getByRole("button", { name: "Suspend" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await page.getByText("Suspended").waitFor();
  expect(await call()).toBe(402);
  const theirs = await open("/app", customer);
  await theirs.page.getByText("This account is suspended").first().waitFor();
  await theirs.close();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Suspend" }).waitFor();
  expect(await call()).toBe(200);
  expect(faults).toEqual([]);
  await close();
});
