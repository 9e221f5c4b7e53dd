// Explore for somebody who is not signed in, on a server whose operator has made a key public.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, signUp } from "./customer.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { LOOKS, layoutShift, openPage, pageFaults } from "./open-page.ts";

const PAGES = [
  { path: "/explore/stations", ready: "with a known location", call: "/radio/v1/search?" },
  { path: "/explore/tokens?q=usdc", ready: "USDC on optimism", call: "/token-list/v1/search?" },
  { path: "/explore/bitcoin", ready: "View as table", call: "/bitcoin/v1/summary" },
  { path: "/explore/farkle", ready: "1,050", call: "/farkle/v1/score?dice=1,1,1,5,2,3" },
];
const GONE = /\.example\/|ERR_NAME_NOT_RESOLVED|\.wav|\/live\//;

let scene: ExploreScene;
let browser: Browser;
let newcomer: Customer;
beforeAll(async () => {
  scene = await startExploreScene({ publicCalls: 10_000 });
  newcomer = await signUp(scene.gateway, "newcomer");
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await scene.close();
});

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test.each(PAGES)("$path is live for a visitor, without problems", async ({ path, ready }) => {
    const { page, faults, close } = await openPage(browser, scene.origin, path, LOOKS[look]);
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.getByText(ready).first().waitFor();
    await page.getByText("with this server's public key: up to 10,000 calls per minute").waitFor();
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(faults.filter((fault) => !GONE.test(fault))).toEqual([]);
    expect(await layoutShift(page)).toBeLessThan(0.1);
    expect(requested.filter((one) => one.includes("quintet.account"))).toEqual([]);
    await close();
  });
});

test.each(PAGES)("$path shows its calls as commands that work when they are pasted", async ({ path, ready, call }) => {
  const { page, close } = await openPage(browser, scene.origin, path, LOOKS.light);
  await page.getByText(ready).first().waitFor();
  const button = page.getByRole("button", { name: "Show the API calls" });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "This page's calls" });
  const command = await dialog.locator("pre").filter({ hasText: call }).first().textContent();
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  const key = /KEY=(\S+)/.exec(command ?? "")?.[1] ?? "";
  const url = /'(http:[^']+)'/.exec(command ?? "")?.[1] ?? "";
  expect((await fetch(url, { headers: { "x-gateway-key": key } })).status).toBe(200);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  await close();
});

test("a visitor's plays are not reported, because the public key may only read", async () => {
  const { page, close } = await openPage(browser, scene.origin, "/explore/stations", LOOKS.light);
  const reports: string[] = [];
  page.on("request", (request) => request.url().endsWith("/ReportPlay") && reports.push(request.url()));
  await page
    .getByRole("button", { name: /^Play / })
    .first()
    .click();
  await page.getByText("Playing.").waitFor();
  expect(reports).toEqual([]);
  await close();
});

test("a session that has ended leaves the page live, with the public key", async () => {
  const { page, close } = await openPage(browser, scene.origin, "/explore/farkle", LOOKS.light);
  await page.evaluate(() => localStorage.setItem("member", "yes"));
  await page.reload();
  await page.getByText("with this server's public key").waitFor();
  await page.getByText("1,050").waitFor();
  await close();
});

test("a visitor who is signed in calls with their own account", async () => {
  const { page, close } = await openPage(browser, scene.origin, "/explore/farkle", LOOKS.light, scene.token);
  await page.evaluate(() => localStorage.setItem("member", "yes"));
  await page.reload();
  await page.getByText("count against your plans").waitFor();
  await page.getByText("1,050").waitFor();
  await close();
});

test.each(PAGES)("$path stays live with the public key for a member who has no plan yet", async ({ path, ready }) => {
  const { page, close } = await openPage(browser, scene.origin, path, LOOKS.light, newcomer.token);
  await page.evaluate(() => localStorage.setItem("member", "yes"));
  await page.reload();
  await page.getByText("with this server's public key").waitFor();
  await page.getByText(ready).first().waitFor();
  expect(await page.getByRole("link", { name: "Subscribe", exact: true }).getAttribute("href")).toBe("/app/subscriptions");
  await close();
});

test("a visitor whose network has used up its calls sees when the next one is possible, and how to get more", async () => {
  const small = await startExploreScene({ subscriptions: [], publicCalls: 2 });
  const { page, close } = await openPage(browser, small.origin, "/explore/farkle", LOOKS["on a phone"]);
  await page.getByText("1,050").waitFor();
  const remove = page.getByRole("button", { name: "Remove the 3" });
  await remove.click();
  await page.getByText("1,050").waitFor();
  await page.getByRole("button", { name: "Remove the 2" }).click();
  await page.getByText(/Your network has reached its limit for calls without an account\. Try again in \d+ s/).waitFor();
  expect(await page.getByRole("link", { name: "Sign up", exact: true }).last().getAttribute("href")).toBe(
    `/app/sign-up?next=${encodeURIComponent("/explore/farkle?dice=1,1,1,5").replaceAll("%2C", "%252C")}`,
  );
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await close();
  await small.close();
});
