// Two accounts in the tabs of one browser, which share one session: no tab acts on an account that it does not show, and nobody can read
// what somebody else has left behind.
import { createClient } from "@connectrpc/connect";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { KeyService } from "../../gen/quintet/account/v1/key_pb.js";
import { ProfileService } from "../../gen/quintet/account/v1/profile_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, PASSWORD, signUp } from "./customer.ts";
import { LOOKS, type OpenPage, openPage, pageFaults } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
let nora: Customer;
let demo: Customer;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});
beforeEach(async () => {
  nora = await signUp(gateway, "nora");
  demo = await signUp(gateway, "demo");
});

const open = (path: string): Promise<OpenPage> => openPage(browser, gateway.origin, path, LOOKS.light, nora.token);
const keysOf = async ({ transport }: Customer): Promise<readonly string[]> =>
  (await createClient(KeyService, transport).listKeys({})).results.map(({ name }) => name);

// As if another program had done it in the same browser: no tab is notified.
const becomeDemo = (context: BrowserContext): Promise<void> =>
  context.addCookies([{ name: "quintet_session", value: demo.token, url: gateway.origin, httpOnly: true, sameSite: "Lax" }]);

async function signInAsDemo(tab: Page): Promise<void> {
  await tab.getByLabel("E-mail address").fill(demo.email);
  await tab.getByLabel("Password").fill(PASSWORD);
  await tab.getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByRole("heading", { name: "Overview" }).waitFor();
}

const emailOf = (tab: Page) => tab.getByRole("banner").getByText("@example.com");
const said = (tab: Page) => tab.getByText("You signed in to a different account in another tab");

test("a tab that shows one account changes nothing in another that has signed in since, says so, and shows that one", async () => {
  const { page, faults, close } = await open("/app/keys?do=make");
  await page.getByRole("textbox", { name: "Name" }).fill("for nora");
  await emailOf(page).waitFor({ state: "attached" });
  await becomeDemo(page.context());
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await said(page).waitFor();
  expect(await emailOf(page).textContent()).toBe(demo.email);
  expect(await said(page).textContent()).toContain(demo.email);
  expect([await keysOf(nora), await keysOf(demo), new URL(page.url()).search]).toEqual([[], [], ""]);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  // Once is enough.
  await page.reload();
  await page.getByText("No keys yet").waitFor();
  expect([await said(page).count(), faults]).toEqual([0, []]);
  await close();
});

test("signing out and in by hand in another tab is noticed at once, and nothing of the previous account is left", async () => {
  const { page, faults, close } = await open("/app/console/farkle/score?dice=6&dice=6");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("SUBSCRIPTION_REQUIRED").first().waitFor();
  await page.getByText("History", { exact: true }).click();
  await page.getByRole("list", { name: "Calls in this tab" }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${gateway.origin}/app/console/farkle/score?dice=5`);
  await other.getByRole("button", { name: "Account menu" }).click();
  await other.getByRole("button", { name: "Sign out" }).click();
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  // Neither sends the form.
  expect([page.url(), other.url()]).toEqual(Array(2).fill(`${gateway.origin}/app/sign-in`));
  await signInAsDemo(other);
  for (const tab of [page, other]) {
    await tab.goto(`${gateway.origin}/app/console`);
    await tab.getByText("History", { exact: true }).click();
    await tab.getByText("No calls in this tab yet.").waitFor();
    const stored = await tab.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    // Only that somebody is signed in, which the site's header shows.
    expect(stored).toBe('[{"member":"yes"},{}]');
  }
  expect(faults).toEqual([]);
  await close();
});

test("a page that the browser restores from its cache is not shown before it is reloaded", async () => {
  const { page, close } = await open("/app/keys?do=make");
  await page.getByRole("textbox", { name: "Name" }).fill("for nora");
  // Chromium caches no page during a test, so the test sends the event that it would send.
  const tell = (event: string) => page.evaluate((name) => dispatchEvent(new PageTransitionEvent(name, { persisted: true })), event);
  await tell("pagehide");
  expect(await page.locator("body").isVisible()).toBe(false);
  await becomeDemo(page.context());
  await tell("pageshow");
  await expect.poll(() => emailOf(page).textContent()).toBe(demo.email);
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("");
  await close();
});

test("a new key that is shown stays until it is stored, although another account has signed in", async () => {
  const { page, close } = await open("/app/keys?do=make");
  await page.getByRole("textbox", { name: "Name" }).fill("for nora");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByText("Save it now").waitFor();
  const other = await page.context().newPage();
  await other.goto(`${gateway.origin}/app/sign-in`);
  await other.getByRole("button", { name: "Sign out" }).click();
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  await signInAsDemo(other);
  expect(await page.getByText("Save it now").isVisible()).toBe(true);
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByRole("heading", { name: "Sign in" }).or(said(page)).first().waitFor();
  await close();
});

describe("what is in progress", () => {
  test("the live view is that of the account that the page shows, and no other's", async () => {
    const { page, close } = await open("/app/live");
    await page.locator('[data-state="live"]').waitFor();
    await becomeDemo(page.context());
    // Ends the stream, which the page reopens in the current session.
    await createClient(ProfileService, nora.transport).endSessions({ which: { case: "current", value: true } });
    await page.getByText(`You are signed in as ${demo.email}`).waitFor();
    expect(await page.getByRole("link", { name: "Continue" }).getAttribute("href")).toBe("/app");
    await close();
  });

  test("the console creates no key of another account", async () => {
    const { page, close } = await open("/app/console/farkle/score?dice=6");
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    await becomeDemo(page.context());
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await said(page).waitFor();
    expect([await keysOf(demo), page.url().includes("dice=6")]).toEqual([[], false]);
    await close();
  });
});
