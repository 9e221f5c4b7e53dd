// The call log as a customer searches it: what it says about a call, filters, parameters on request, and how much fits on a phone.
import { randomUUID } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { KeyService } from "../../gen/quintet/account/v1/key_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import type { LoggedCall } from "../../src/store/usage-records.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, signUp } from "./customer.ts";
import { LOOKS, layoutShift, openPage, pageFaults } from "./open-page.ts";

const LISTED_EVERY_MS = 600;

let browser: Browser;
let gateway: Gateway;
let customer: Customer;
let secret: string;
beforeAll(async () => {
  gateway = await startGateway({
    clock: systemClock,
    plans: { farkle: [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 100 }] },
  });
  browser = await sharedBrowser();
});
// Each test, and each further attempt, has its own, whose log is empty.
beforeEach(async () => {
  customer = await signUp(gateway, "ada");
  const account = accountClient(customer.transport);
  await account.setSubscription({ service: "farkle", plan: "free" });
  ({ secret } = await account.createKey({ name: "shop" }));
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

// Returns the request's id once the call is in the log.
async function score(query: string, key = secret): Promise<string> {
  const { headers } = await fetch(`${gateway.origin}/farkle/v1/score?${query}`, { headers: { "x-gateway-key": key } });
  const requestId = headers.get("x-request-id") ?? "";
  const account = accountClient(customer.transport);
  // No faster than an account may list them, or the page would be refused.
  await expect.poll(async () => (await account.listCalls({ requestId })).results.length, { interval: LISTED_EVERY_MS }).toBe(1);
  return requestId;
}

// A call to Farkle with the customer's key.
async function callAt(startedAtMs: number): Promise<LoggedCall> {
  const [key] = (await createClient(KeyService, customer.transport).listKeys({})).results;
  return {
    ...{ accountId: customer.id, id: randomUUID(), requestId: randomUUID(), keyId: key?.id ?? "", keyLastFour: "1234" },
    ...{ startedAtMs, service: "farkle", method: "quintet.farkle.v1.FarkleService/Score", protocol: "rest", httpStatus: 200 },
    ...{ outcome: "OK", isRefused: false, isDryRun: false, durationMs: 1, requestBytes: 0, responseBytes: 90 },
    ...{ leftOut: 0, parameters: undefined },
  };
}

const rows = (page: Page) => page.getByRole("list", { name: "Calls, newest first" }).getByRole("listitem");

test("before the first call it says where calls can be made", async () => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/calls", LOOKS.light, customer.token);
  await page.getByRole("heading", { name: "No calls yet" }).waitFor();
  expect([await pageFaults(page), faults]).toEqual([{ sideways: 0, serious: [] }, []]);
  await close();
});

test("a call is found by its request id, and by its outcome", async () => {
  const good = await score("dice=1,5");
  await score("dice=0");
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/calls", LOOKS.light, customer.token);
  await expect.poll(() => rows(page).count()).toBe(2);
  await page.getByLabel("Outcome").selectOption("Failed");
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(await rows(page).first().textContent()).toContain("INVALID_ARGUMENT");
  await page.getByLabel("Outcome").selectOption("All");
  await page.getByLabel("Request ID").fill(` ${good} `);
  // What is typed stays when the list is read again.
  await Promise.all([
    page.waitForResponse((response) => response.url().includes("ListCalls")),
    page.getByRole("button", { name: "Refresh" }).click(),
  ]);
  await page.getByRole("main").getByRole("button", { name: "Search", exact: true }).click();
  await expect.poll(() => rows(page).count()).toBe(1);
  await rows(page).first().locator("summary").click();
  await rows(page).first().getByText(good).waitFor();
  await page.getByLabel("Request ID").fill("nobody's");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Clear filters" }).click();
  await expect.poll(() => rows(page).count()).toBe(2);
  await page.getByLabel("Reason").fill("not found");
  await page.keyboard.press("Enter");
  await page.getByText("Reason must be OK or a reason").waitFor();
  expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
  await close();
});

test("calls are found by their method and by when they were made", async () => {
  const nowMs = systemClock.nowMs();
  const hourMs = 3_600_000;
  await gateway.store.logCalls([
    await callAt(nowMs - hourMs),
    { ...(await callAt(nowMs - 2 * hourMs)), service: "radio", method: "quintet.radio.v1.RadioService/SearchStations" },
    { ...(await callAt(nowMs - 26 * hourMs)), service: "radio", method: "quintet.radio.v1.RadioService/GetStation" },
  ]);
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/calls", LOOKS.light, customer.token);
  const methods = page.getByLabel("Method");
  await methods.selectOption("radio/GetStation");
  await page.getByText("GetStation").filter({ visible: true }).first().waitFor();
  await expect.poll(() => rows(page).getByRole("group").count()).toBe(1);
  // The methods of another service are no longer offered, so the chosen one is given up.
  await page.getByLabel("Service").selectOption("Farkle");
  await expect.poll(() => methods.locator("option").allTextContents()).toEqual(["All methods", "Score"]);
  await expect.poll(() => rows(page).getByRole("group").allTextContents()).toEqual([expect.stringContaining("farkle/Score")]);
  await page.goto("/app/calls");
  await expect.poll(() => rows(page).getByRole("group").count()).toBe(3);
  const localTime = (ms: number): Promise<string> =>
    page.evaluate((at) => {
      const date = new Date(at);
      return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    }, ms);
  await page.getByLabel("From").fill(await localTime(nowMs - 3 * hourMs));
  await expect.poll(() => rows(page).getByRole("group").count()).toBe(2);
  await page.getByLabel("Before").fill(await localTime(nowMs - 5 * hourMs));
  await page.getByText("This time must be later than the one in “From”").waitFor();
  expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
  await close();
});

test.each(Object.entries(LOOKS))("%s: parameters are shown once they are logged, and the page has no problems", async (_, look) => {
  const { page, close } = await openPage(browser, gateway.origin, "/app/calls", look, customer.token);
  await page.getByRole("button", { name: "Log parameters", exact: true }).click();
  await page.getByRole("button", { name: "Stop logging parameters" }).waitFor();
  const requestId = await score("dice=4,4,4");
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.goto(`${gateway.origin}/app/calls?request=${requestId}`);
  await rows(page).first().locator("summary").click();
  await page.getByText('{"dice":[4,4,4]}').waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  expect(await layoutShift(page)).toBeLessThan(0.1);
  await page.getByRole("button", { name: "Stop logging parameters" }).click();
  await page.getByRole("button", { name: "Log parameters", exact: true }).waitFor();
  await close();
});

test("Live shows earlier calls", async () => {
  await score("dice=6");
  await score("dice=5");
  const { page, close } = await openPage(browser, gateway.origin, "/app/live", LOOKS.light, customer.token);
  await expect.poll(() => rows(page).count()).toBe(2);
  await fetch(`${gateway.origin}/farkle/v1/score?dice=2`, { headers: { "x-gateway-key": secret } });
  await expect.poll(() => rows(page).count()).toBe(3);
  await close();
});

test.each(["/app/calls", "/app/live"])("calls of earlier days have their day above them at %s", async (path) => {
  const nowMs = systemClock.nowMs();
  const earlierMs = nowMs - 50 * 3_600_000;
  await gateway.store.logCalls(await Promise.all([nowMs, earlierMs, earlierMs - 1000].map(callAt)));
  const { page, faults, close } = await openPage(browser, gateway.origin, path, LOOKS.light, customer.token);
  await expect.poll(() => rows(page).count()).toBe(4);
  const texts = await rows(page).allTextContents();
  expect(texts.map((text) => text.includes("farkle/Score"))).toEqual([true, false, true, true]);
  expect(texts[1]).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/);
  expect([await pageFaults(page), faults]).toEqual([{ sideways: 0, serious: [] }, []]);
  await close();
});
