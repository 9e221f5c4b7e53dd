// The plans page as visitors use it: with and without scripts, by keyboard, in their own language, on a phone.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { PASSWORD, randomEmail, signUp } from "./customer.ts";
import { LOOKS, layoutShift, type OpenPage, openPage, pageFaults } from "./open-page.ts";

const FREE = { name: "free", callsPerMonth: 1000, requestsPerSecond: 7 };
const PRO = { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 50, priceMinor: 1250 };
const MEGA = { name: "mega", callsPerMonth: 2_000_000, requestsPerSecond: 90, priceMinor: 4000 };

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const WIDE = { viewport: { width: 1440, height: 900 } };

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ plans: { radio: [FREE, PRO, MEGA], farkle: [FREE, MEGA] } });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

const open = (way: BrowserContextOptions = LOOKS.light, path = "/plans"): Promise<OpenPage> =>
  openPage(browser, gateway.origin, path, way);

const service = (page: Page, name: string) => page.getByRole("radio", { name, exact: true });
const plan = (page: Page, name: string) =>
  page.getByRole("article").filter({ has: page.getByRole("heading", { name, exact: true }) });

test.each([
  ["light at 1440 px", WIDE],
  ["dark at 1440 px", { ...WIDE, colorScheme: "dark" }],
  ["light on a phone of 390 px", PHONE],
  ["dark on a phone of 390 px", { ...PHONE, colorScheme: "dark" }],
] as const)("it has no problems, %s, with a plan that fits and an open question", async (_, way) => {
  const { page, faults, close } = await open(way);
  await page.getByRole("slider").press("ArrowRight");
  await page.getByText("Can I be charged more than the plan's price?").click();
  await page.getByText("Calls over a limit are refused").waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  expect(faults).toEqual([]);
  await close();
});

test.each([
  ["at 1440 px", WIDE],
  ["on a phone", PHONE],
] as const)("nothing moves while it loads, %s", async (_, way) => {
  const { page, close } = await open(way);
  await page.getByRole("status").getByText("calls per month").waitFor();
  expect(await layoutShift(page)).toBeLessThan(0.01);
  await close();
});

test.each([true, false])("a service is chosen by arrow keys, with scripts: %s", async (javaScriptEnabled) => {
  const { page, close } = await open({ javaScriptEnabled });
  await page.getByRole("heading", { name: "Radio stations" }).waitFor();
  await service(page, "Radio stations").focus();
  // Going back from the first one selects the last one.
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("heading", { name: "Farkle" }).waitFor();
  await page.getByRole("heading", { name: "Radio stations" }).waitFor({ state: "hidden" });
  await close();
});

test("without scripts there is no slider, but prices are shown", async () => {
  const { page, close } = await open({ javaScriptEnabled: false });
  await plan(page, "Pro").getByText("12.50 EUR a month").waitFor();
  await plan(page, "Pro").getByText("150.00 EUR a year").waitFor();
  expect(await page.getByRole("slider").count()).toBe(0);
  await close();
});

test("the slider marks the cheapest plan that fits, and says what it costs", async () => {
  const { page, close } = await open();
  const slider = page.getByRole("slider", { name: "How many calls do you make per month?" });
  const result = page.getByRole("status");
  await slider.press("Home");
  await result.getByText("100 calls per month: Free is enough, at €0.").waitFor();
  await slider.fill("60");
  await result.getByText("49,000 calls per month: Pro is enough, at €12.50 a month, €150 a year.").waitFor();
  expect(await plan(page, "Pro").getAttribute("aria-current")).toBe("true");
  expect(await page.locator("[aria-current=true]").filter({ visible: true }).getByRole("link").allTextContents()).toEqual([
    "Request Pro",
  ]);
  await slider.press("End");
  await result.getByText("3,000,000 calls per month: more than the largest plan includes.").waitFor();
  // The other service has other plans.
  await slider.fill("60");
  await service(page, "Farkle").check({ force: true });
  await result.getByText("49,000 calls per month: Mega is enough, at €40 a month, €480 a year.").waitFor();
  await close();
});

test("a service's address opens it, and the address follows what is chosen", async () => {
  const { page, close } = await open(LOOKS.light, "/plans#farkle");
  await page.getByRole("heading", { name: "Farkle" }).waitFor();
  // The heading is shown before the page's script has followed the address.
  await expect.poll(() => service(page, "Farkle").isChecked()).toBe(true);
  // By keyboard: the page may still scroll to the service, away from under a pointer.
  await service(page, "Radio stations").press("Space");
  await expect.poll(() => new URL(page.url()).hash).toBe("#radio");
  await close();
});

test("its buttons lead visitors to the sign-up page, and from there to the chosen plan", async () => {
  const { page, close } = await open();
  const hrefs = async (name: string) => await plan(page, name).filter({ visible: true }).getByRole("link").getAttribute("href");
  const afterSignUp = (name: string) =>
    `/app/sign-up?next=${encodeURIComponent(`/app/subscriptions?do=plan&service=radio&plan=${name}`)}`;
  expect([await hrefs("Free"), await hrefs("Pro")]).toEqual([afterSignUp("free"), afterSignUp("pro")]);
  await plan(page, "Pro").getByRole("link", { name: "Request Pro" }).click();
  await page.getByRole("heading", { name: "Sign up" }).waitFor();
  await page.getByLabel("E-mail address").fill(randomEmail("newcomer"));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Request Pro" }).waitFor();
  await close();
});

test("its buttons lead customers straight to the chosen plan", async () => {
  const customer = await signUp(gateway, "ada");
  const { page, close } = await openPage(browser, gateway.origin, "/app", LOOKS.light, customer.token);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.goto("/plans");
  await plan(page, "Pro").getByRole("link", { name: "Request Pro" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Request Pro" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/app/subscriptions");
  await close();
});

test("a customer's own plan is marked, and leads to the subscriptions", async () => {
  const customer = await signUp(gateway, "grace");
  await accountClient(customer.transport).setSubscription({ service: "radio", plan: "free" });
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app", LOOKS.light, customer.token);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.goto("/plans");
  await plan(page, "Free").getByRole("link", { name: "Your plan" }).waitFor();
  expect(await page.getByRole("link", { name: "Your plan", includeHidden: true }).count()).toBe(1);
  expect(faults).toEqual([]);
  await close();
});

test("a plan that is larger than the largest can be asked for", async () => {
  const { page, close } = await open();
  await page.locator("section[data-service=radio]").getByRole("link", { name: "Ask us" }).click();
  await page.getByRole("heading", { name: "Support", level: 1 }).waitFor();
  await close();
});

test("numbers and money are formatted for the reader's language", async () => {
  const { page, close } = await open({ locale: "de-DE" });
  await plan(page, "Pro").getByText("100.000 calls per month").waitFor();
  await plan(page, "Pro").getByText("12,50 € a month").waitFor();
  await plan(page, "Pro").getByText("150 € a year").waitFor();
  await close();
});
