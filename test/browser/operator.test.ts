// The operators' pages: without problems in any theme, only for operators, and what operators do takes effect for the customer.
import { readFileSync } from "node:fs";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { hashSecret } from "@quintet/guard";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KeyService } from "../../gen/quintet/account/v1/key_pb.js";
import { UsageService } from "../../gen/quintet/account/v1/usage_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, furnish, signIn, signUp } from "./customer.ts";
import { emptyPage, LOOKS, type OpenPage, openPage, pageFaults, takePicture } from "./open-page.ts";

const FREE = { name: "free", callsPerMonth: 1000, requestsPerSecond: 50 };
const PRO = { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 50, priceMinor: 1290 };

let browser: Browser;
let gateway: Gateway;
let operator: Customer;
let customer: Customer;
let customerId: string;

beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock, plans: { farkle: [FREE, PRO], bitcoin: [FREE, PRO] } });
  browser = await sharedBrowser();
  operator = await signUp(gateway, "ops");
  await gateway.store.setOperator(operator.id, true);
  operator = await signIn(gateway, operator);
  ({ customer, customerId } = await makeCustomer());
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

// Tests that change something have their own, so that they can be tried again.
async function makeCustomer(): Promise<{ readonly customer: Customer; readonly customerId: string }> {
  const made = await signUp(gateway, "ada.of.a.rather.long.name");
  await furnish(made);
  return { customer: made, customerId: made.id };
}

const open = (path: string, who: Customer, look: keyof typeof LOOKS = "light"): Promise<OpenPage> =>
  openPage(browser, gateway.origin, path, LOOKS[look], who.token);

const PAGES = [
  { path: () => "/app/operator", ready: "Requests to data sources" },
  { path: () => "/app/operator/accounts", ready: "ada.of.a.rather.long.name" },
  { path: () => "/app/operator/accounts?search=nobody", ready: "No accounts found" },
  { path: () => "/app/operator/accounts?suspended=yes", ready: "No account is suspended." },
  { path: () => `/app/operator/accounts/id/${customerId}`, ready: "Changes to this account" },
  { path: () => `/app/operator/accounts/id/${customerId}?do=suspend`, ready: "Its calls are refused" },
  { path: () => "/app/operator/waiting", ready: "Decline" },
  { path: () => "/app/operator/usage", ready: "No calls in this period" },
  { path: () => "/app/operator/usage?span=12m", ready: "No calls in this period" },
  { path: () => "/app/operator/server", ready: "Data sources since startup" },
  { path: () => "/app/operator/incidents", ready: "Nothing was reported" },
  { path: () => "/app/operator/incidents?do=report", ready: "Affected services" },
  { path: () => "/app/operator/incidents?do=schedule", ready: "Maintenance starts and ends automatically" },
  { path: () => "/app/operator/audit", ready: "revoked key" },
  { path: () => "/app/operator/audit?about=database", ready: "No entries found" },
] as const;

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test.each(PAGES)("the page with $ready has no problems", async ({ path, ready }) => {
    const { page, faults, close } = await open(path(), operator, look);
    await page.getByText(ready).first().waitFor();
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(faults).toEqual([]);
    await close();
  });
});

test.each(["", "/waiting", "/usage", "/server", "/audit", "/accounts/id/x"])(
  "a customer sees plainly that /app/operator%s is not for them",
  async (path) => {
    const { page, faults, close } = await open(`/app/operator${path}`, customer);
    await page.getByText("Only operators of this server can see this page.").waitFor();
    expect(await page.getByRole("region", { name: "Operator" }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  },
);

test.each([
  { path: () => "/app/operator", where: ["Operations", "page"] },
  { path: () => "/app/operator/accounts", where: ["Accounts", "page"] },
  { path: () => `/app/operator/accounts/id/${customerId}`, where: ["Accounts", "true"] },
  { path: () => "/app/operator/waiting", where: ["Plan requests", "page"] },
])("the navigation says where the operator is: $where", async ({ path, where }) => {
  const { page, close } = await open(path(), operator);
  const current = page.getByRole("navigation", { name: "Dashboard" }).locator("[aria-current]");
  await current.waitFor();
  expect([(await current.textContent())?.trim(), await current.getAttribute("aria-current")]).toEqual(where);
  await close();
});

test("an incident is reported, updated, corrected and deleted", async () => {
  const { page, faults, close } = await open("/app/operator/incidents", operator);
  await page.getByRole("button", { name: "Report incident" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Searches are slow");
  await dialog.getByRole("button", { name: "Report incident" }).click();
  await dialog.getByText("Text is required.").waitFor();
  await dialog.getByLabel("Impact").selectOption("Partial outage");
  await dialog.getByLabel("Farkle").check();
  await dialog.getByLabel("Text").fill("A mirror does not respond.\nOthers take over.");
  await takePicture(page, "incident-dialog");
  await dialog.getByRole("button", { name: "Report incident" }).click();
  await page.getByText("“Searches are slow” will be on the status page within a minute.").waitFor();
  const row = page.getByRole("row", { name: /Searches are slow/ });
  await row.getByText("Investigating").waitFor();
  await takePicture(page, "incidents");

  await row.getByRole("button", { name: "Update" }).click();
  await dialog.getByLabel("State").selectOption("Identified");
  await dialog.getByLabel("Text").fill("The mirror is down.");
  await dialog.getByRole("button", { name: "Add update" }).click();
  await row.getByText("Identified").waitFor();
  await row.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Title").fill("Rolls are slow");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("“Rolls are slow” was corrected.").waitFor();
  // The text of the first update, not of the newest, which is offered first.
  const corrected = page.getByRole("row", { name: /Rolls are slow/ });
  await corrected.getByRole("button", { name: "Edit" }).click();
  await dialog.getByRole("button", { name: "Edit the text of an update" }).click();
  await expect.poll(() => dialog.getByLabel("Text").inputValue()).toBe("The mirror is down.");
  await dialog.getByLabel("Update").selectOption({ index: 1 });
  await expect.poll(() => dialog.getByLabel("Text").inputValue()).toContain("A mirror does not respond.");
  await dialog.getByLabel("Text").fill("A mirror does not roll.");
  await takePicture(page, "incident-text");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("The text of “Rolls are slow” was corrected.").waitFor();
  const [incident] = await gateway.store.incidents();
  expect(incident?.updates.map(({ text }) => text)).toEqual(["The mirror is down.", "A mirror does not roll."]);
  expect([incident?.impact, incident?.services, incident?.updates.map(({ state }) => state)]).toEqual([
    "partial_outage",
    ["farkle"],
    ["identified", "investigating"],
  ]);

  const renamed = page.getByRole("row", { name: /Rolls are slow/ });
  await renamed.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nothing was reported").waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("the page for operations says what waits, what failed, how busy the server is, and how each source is", async () => {
  const hour = new Date().toISOString().slice(0, 13);
  const count = { service: "radio", hour, calls: 200, failed: 4, refused: 7, latency: [200] } as const;
  await gateway.store.addHealth([
    { ...count, part: "calls" },
    { ...count, part: "source", calls: 50, failed: 0 },
  ]);
  const { page, faults, close } = await open("/app/operator", operator);
  await page.getByText("4 failed on our side (2%)").first().waitFor();
  const tile = (name: string) => page.locator("dl > div").filter({ hasText: name }).locator("dd").first();
  await expect.poll(() => tile("Plan requests").textContent()).toBe("1");
  await expect.poll(() => tile("Suspended accounts").textContent()).toBe("0");
  await expect.poll(() => tile("CPU cores in use").textContent()).toMatch(/^[\d.]+$/);
  await expect.poll(() => tile("Leased but unused").textContent()).toMatch(/^\d/);
  await expect.poll(() => tile("Missing from the log").textContent()).toBe("0");
  await expect.poll(() => tile("Calls per second").textContent()).toMatch(/^[\d.]+$/);
  await page.getByRole("region", { name: "Requests to data sources" }).getByText("50 requests, 0 failed").waitFor();
  await takePicture(page, "operations");
  await page.getByRole("link", { name: "Review" }).click();
  await page.getByRole("button", { name: /^Activate Pro for Bitcoin valuation/ }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a plan that waits has its two buttons in one row, on a phone too, and a long address has a separate line", async () => {
  for (const look of ["light", "on a phone"] as const) {
    const { page, close } = await open("/app/operator/waiting", operator, look);
    const row = page.getByRole("row").filter({ hasText: customer.email });
    await row.waitFor();
    const tops = await row.getByRole("button").evaluateAll((buttons) => buttons.map((one) => one.getBoundingClientRect().y));
    expect(tops).toEqual([tops[0], tops[0]]);
    await close();
  }
  const { page, close } = await open("/app/operator/accounts", operator, "on a phone");
  const address = page.getByRole("cell", { name: customer.email });
  const [cell, words] = [await address.boundingBox(), await address.locator("div").boundingBox()];
  expect(words?.width).toBeGreaterThan((cell?.width ?? 0) * 0.9);
  await close();
});

test("an operator finds an account, activates the plan that it waits for, and the customer's page says so", async () => {
  const own = await makeCustomer();
  const { page, faults, close } = await open("/app", operator);
  await page.getByRole("link", { name: "Accounts", exact: true }).click();
  await page.getByLabel("Search").fill(own.customer.email.replace("ada", "").toUpperCase());
  await page.keyboard.press("Enter");
  await page.getByText("1–1 of 1").waitFor();
  await page.getByRole("link", { name: "Plan requests" }).click();
  const request = page.getByRole("row").filter({ hasText: own.customer.email });
  const activate = request.getByRole("button", { name: /^Activate Pro for Bitcoin valuation, ada/ });
  await activate.click();
  // The price is shown before anything happens, and nothing happens unless it is confirmed.
  const dialog = page.getByRole("dialog", { name: "Activate Pro for Bitcoin valuation?" });
  await dialog.getByText(/12\.90 a month/).waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await dialog.getByRole("button", { name: "Not now" }).click();
  await activate.click();
  await dialog.getByRole("button", { name: "Activate" }).click();
  await page.getByText(/ is now on Pro for Bitcoin valuation\.$/).waitFor();
  await request.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Audit trail" }).click();
  await page.getByText("activated the Pro plan for Bitcoin valuation").first().waitFor();
  expect(faults).toEqual([]);
  await close();
  const theirs = await open("/app/subscriptions", own.customer);
  await theirs.page.getByRole("region", { name: "Bitcoin" }).getByText("Active").waitFor();
  expect(await theirs.page.getByText("Waiting for activation").count()).toBe(0);
  await theirs.close();
});

test("a suspended account's key is refused from the next call on, and admitted again when it is resumed", async () => {
  const { customer, customerId } = await makeCustomer();
  const { secret } = await createClient(KeyService, customer.transport).createKey({ name: "caller" });
  const call = async () =>
    (await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } })).status;
  const { page, faults, close } = await open(`/app/operator/accounts/id/${customerId}`, operator);
  const theirs = await emptyPage(browser, gateway.origin, LOOKS.light, customer.token);
  await theirs.page.clock.install();
  await theirs.page.goto("/app");
  await theirs.page.getByRole("heading", { name: "Overview" }).waitFor();
  expect(await call()).toBe(200);
  await page.getByRole("button", { name: "Suspend" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await page.getByText("Suspended", { exact: true }).waitFor();
  expect(await call()).toBe(402);
  await page.getByText(/^Every server refused its calls within [\d,]+ ms\.$/).waitFor();
  // Whatever is opened next says only that.
  await theirs.page.getByRole("link", { name: "Account" }).click();
  await theirs.page.getByRole("heading", { name: "This account is suspended" }).waitFor();
  await theirs.page.getByText("Nothing is deleted").waitFor();
  expect(await theirs.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  expect(await pageFaults(theirs.page)).toEqual({ sideways: 0, serious: [] });
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Suspend" }).waitFor();
  expect(await call()).toBe(200);
  // The page looks every ten seconds.
  await theirs.page.clock.fastForward(10_000);
  await theirs.page.getByText("Where you are signed in").waitFor();
  expect(theirs.faults).toEqual([]);
  await theirs.close();
  expect(faults).toEqual([]);
  await close();
});

test("two-factor authentication is reset for an owner who has lost the app, once it is confirmed", async () => {
  const { customer, customerId } = await makeCustomer();
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  await gateway.store.prepareTwoFactor(customerId, secret);
  const change = { secret, step: 1, recoveryHashes: [hashSecret("one")], currentTokenHash: hashSecret(customer.token) };
  await gateway.store.turnOnTwoFactor(customerId, change);
  const { page, faults, close } = await open(`/app/operator/accounts/id/${customerId}`, operator);
  const signingIn = page.locator("section").filter({ has: page.getByRole("heading", { name: "Signing in" }) });
  await signingIn.getByText(/^With the password and, since .*, a code \(1 recovery code left\)\.$/).waitFor();
  await signingIn.getByRole("button", { name: "Reset two-factor authentication" }).click();
  const dialog = page.getByRole("dialog", { name: "Reset two-factor authentication?" });
  await dialog.getByText(customer.email).waitFor();
  await takePicture(page, "reset-two-factor");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await gateway.store.findTwoFactor(customerId))?.onSinceMs).toEqual(expect.any(Number));
  await signingIn.getByRole("button", { name: "Reset two-factor authentication" }).click();
  await dialog.getByRole("button", { name: "Reset", exact: true }).click();
  await signingIn.getByText("No e-mail was sent: notify the owner yourself.").waitFor();
  await signingIn.getByText("With the password alone.").waitFor();
  expect(await gateway.store.findTwoFactor(customerId)).toBeUndefined();
  expect(faults).toEqual([]);
  await close();
});

test.each(["", "?do=suspend"])("operators cannot suspend their own account, not even at the address with %j", async (search) => {
  const { page, faults, close } = await open(`/app/operator/accounts/id/${operator.id}${search}`, operator);
  await page.getByText("This is your own account. Another operator can suspend it.").waitFor();
  expect([await page.getByRole("button", { name: "Suspend" }).count(), await page.getByRole("dialog").count()]).toEqual([0, 0]);
  expect(faults).toEqual([]);
  await close();
});

test("a key's owner is found by the key, which never gets into an address, and by its last four characters", async () => {
  const { secret } = await createClient(KeyService, customer.transport).createKey({ name: "leaked" });
  const { page, faults, close } = await open("/app/operator/accounts", operator);
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  await page.getByLabel("Search").fill(` ${secret} `);
  await page.keyboard.press("Enter");
  const found = page.getByRole("region", { name: "Owner of this key" });
  await found.getByText("leaked").waitFor();
  expect(await found.getByRole("link").getAttribute("href")).toBe(`/app/operator/accounts/id/${customerId}`);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  expect([...urls, page.url()].join(" ")).not.toContain(secret.slice(8, 20));
  await page.getByLabel("Search").fill(secret.slice(-4));
  await page.keyboard.press("Enter");
  await page
    .getByRole("region", { name: `Keys that end in ${secret.slice(-4)}` })
    .getByText("leaked")
    .waitFor();
  expect(await found.count()).toBe(0);
  await page.getByLabel("Search").fill(secret.slice(0, 30));
  await page.keyboard.press("Enter");
  await page.getByText("this one is mistyped or incomplete").waitFor();
  expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
  await close();
});

test("calls are credited once the operator has given a reason and confirmed, and the customer has them", async () => {
  const { customer, customerId } = await makeCustomer();
  const { page, faults, close } = await open(`/app/operator/accounts/id/${customerId}`, operator, "on a phone");
  await page.getByRole("button", { name: "Add calls to Farkle" }).click();
  const dialog = page.getByRole("dialog", { name: "Add calls to Farkle" });
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("Calls must be a whole number from 1 to 1,000,000,000.").waitFor();
  await dialog.getByText("Reason is required.").waitFor();
  await dialog.getByLabel("Calls").fill("250");
  await dialog.getByLabel("Reason").fill("an outage");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("250 more calls").waitFor();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await dialog.getByRole("button", { name: "Add 250 calls" }).click();
  await page.getByText(/ has 250 more calls to Farkle this month \(250 added in total\)\.$/).waitFor();
  const { standings } = await createClient(UsageService, customer.transport).getUsage({});
  const farkle = standings.find(({ service }) => service === "farkle");
  expect(Number(farkle?.remaining) + Number(farkle?.counted)).toBe(FREE.callsPerMonth + 250);
  await page.goto("/app/operator/audit?about=quota");
  await page
    .getByText(/added 250 calls to Farkle for .+: an outage$/)
    .first()
    .waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("an account's calls of the last 30 days are shown as a plot and a table", async () => {
  const { customer, customerId } = await makeCustomer();
  const account = accountClient(customer.transport);
  const { secret } = await account.createKey({ name: "counted" });
  await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } });
  const calls = async () =>
    (await account.getUsage({ service: "farkle" })).results.reduce((sum, row) => sum + Number(row.calls), 0);
  await expect.poll(calls, { interval: 1500 }).toBeGreaterThan(0);
  const { page, faults, close } = await open(`/app/operator/accounts/id/${customerId}`, operator);
  await page
    .getByText(/^\d+ calls?: \d+ Farkle\. The busiest day was/)
    .first()
    .waitFor();
  await page.locator("figure canvas").first().waitFor();
  await page.getByText("View as table").first().click();
  const table = page.getByRole("region", { name: "Calls by day" });
  await table.waitFor();
  expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Day, UTC", "Farkle", "Total"]);
  expect(await table.getByRole("row").count()).toBe(31);
  // The same calls are among those of all accounts, and in the file.
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "All usage" }).click();
  await page.getByRole("link", { name: "12 months" }).click();
  await page.locator("[aria-current]", { hasText: "12 months" }).waitFor();
  const row = page
    .getByRole("region", { name: "By account" })
    .getByRole("row")
    .filter({ has: page.locator(`[href$="${customerId}"]`) });
  await row.getByRole("link").waitFor();
  const cells = (await row.getByRole("cell").allTextContents()).map(Number);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Download CSV/ }).click(),
  ]);
  const [heading, ...lines] = readFileSync(await download.path(), "utf8").split("\r\n");
  // With a byte order mark, without which Excel takes the file for Latin-1.
  expect(heading).toBe("\ufeffaccount,id,calls,counted");
  expect(lines).toContain([await row.getByRole("link").textContent(), customerId, ...cells].join(","));
  expect(faults).toEqual([]);
  await close();
});

test("the audit trail is narrowed down by who acted, by an account and by days, in the address", async () => {
  const { customerId } = await makeCustomer();
  const service = createClient(OperatorService, operator.transport);
  await service.updateAccount({ accountId: customerId, suspended: true });
  await service.updateAccount({ accountId: customerId, suspended: false });
  const { page, faults, close } = await open("/app/operator/audit", operator);
  const trail = page.getByRole("region", { name: "Audit trail" });
  const actions = async () =>
    trail.locator("tbody td [title]").evaluateAll((cells) => cells.map((cell) => cell.getAttribute("title")));
  await trail.getByText("signed up").first().waitFor();
  // Keys that a page created for itself are listed only on request.
  const { key } = await createClient(KeyService, operator.transport).createKey({
    name: "for a moment",
    expiresAt: timestampFromMs(Date.now() + 900_000),
  });
  await page.reload();
  await trail.getByText("signed up").first().waitFor();
  expect(await trail.getByText(key?.lastFour ?? "no key").count()).toBe(0);
  await page.getByRole("checkbox", { name: "Include short-lived keys (an hour or less)" }).check();
  await trail.getByText(key?.lastFour ?? "no key").waitFor();
  expect(new URL(page.url()).search).toBe("?shortLived=shown");
  await page.getByRole("checkbox", { name: "Include short-lived keys (an hour or less)" }).uncheck();
  await trail.getByText(key?.lastFour ?? "no key").waitFor({ state: "detached" });
  await page.getByLabel("Actor").selectOption("Operators (dashboard)");
  await expect.poll(actions).not.toContain("account.sign_up");
  await page.getByLabel("Topic").selectOption("Accounts");
  // Another test's operator may have reset somebody's two-factor authentication.
  const others = async () => new Set((await actions()).filter((action) => action !== "account.turn_off_two_factor"));
  await expect.poll(others).toEqual(new Set(["account.suspend", "account.resume"]));
  await page.getByLabel("First day").fill("2026-01-02");
  await page.getByLabel("Last day").fill("2026-01-01");
  await page.getByText("Last day must not be before the first day.").waitFor();
  expect(new URL(page.url()).search).toBe("?about=account&by=operator&from=2026-01-02&to=2026-01-01");
  await page.goto(`/app/operator/audit?account=${customerId}`);
  await page.getByText("Only changes to").waitFor();
  // The actor links to what else they did.
  await trail.getByRole("row", { name: "revoked key" }).getByRole("link").first().click();
  await page.getByText("Only changes made from a session of").waitFor();
  expect(new URL(page.url()).search).toBe(`?account=${customerId}&actor=${customerId}`);
  await page.getByRole("link", { name: "Show everyone" }).click();
  await page.getByRole("link", { name: "Show all accounts" }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
  expect(faults).toEqual([]);
  await close();
});
