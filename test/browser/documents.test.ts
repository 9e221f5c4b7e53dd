// The documents as a person meets them: in light and dark and on a phone, with and without scripts, by keyboard. No page may print an error, break
// its own policy, scroll sideways, or have a serious fault for who uses a screen reader.
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { portalFiles } from "../fixtures/portal-site.ts";
import { startBrowser } from "./chromium.ts";

const PATHS = [
  "/",
  "/plans",
  "/docs",
  "/docs/limits",
  "/docs/architecture",
  "/docs/services/radio",
  "/reference",
  "/reference/radio/search",
  "/reference/token-price/watch-prices",
  "/reference/account/create-key",
  "/errors",
  "/errors/RATE_LIMITED",
  "/nothing-is-here",
];

const WAYS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark", reducedMotion: "reduce" },
  "on a phone": { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
  "without scripts": { javaScriptEnabled: false },
};

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  portalFiles();
  gateway = await startGateway();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

/** Opens a page in a context of its own and hears everything that goes wrong on it. */
async function open(path: string, way: BrowserContextOptions): Promise<{ page: Page; faults: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ ...way, baseURL: gateway.origin, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    // Chromium says so itself of the page that is not there.
    if ((message.type() === "error" || message.type() === "warning") && !message.text().includes("404 (Not Found)")) {
      faults.push(message.text());
    }
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("requestfailed", (request) => faults.push(`${request.url()} failed`));
  await page.goto(path, { waitUntil: "load" });
  return { page, faults, close: () => context.close() };
}

describe.each(Object.entries(WAYS))("%s", (_, way) => {
  test.each(PATHS)("%s has no fault", async (path) => {
    const { page, faults, close } = await open(path, way);
    if (way.javaScriptEnabled !== false) {
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(async () => await (globalThis as unknown as { axe: typeof axe }).axe.run());
      const serious = violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      expect({ sideways, serious }).toEqual({ sideways: 0, serious: [] });
    }
    expect(await page.locator("h1").textContent()).not.toBe("");
    expect(faults).toEqual([]);
    await close();
  });
});

test("the search is opened by a key, finds by a few letters, and leads there by Enter", async () => {
  const { page, faults, close } = await open("/docs", WAYS.light ?? {});
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("rate_lim");
  await page.getByRole("link", { name: "RATE_LIMITED" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/errors/RATE_LIMITED");
  expect(faults).toEqual([]);
  await close();
});

test("the chosen colours stay when the page is opened anew", async () => {
  const { page, close } = await open("/", WAYS.light ?? {});
  const colours = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await colours();
  await page.getByRole("button", { name: /Colours/ }).click();
  await page.getByRole("button", { name: /Colours/ }).click();
  const dark = await colours();
  await page.reload();
  expect({ changed: light !== dark, kept: (await colours()) === dark }).toEqual({ changed: true, kept: true });
  await close();
});

test("an example names the server that the page came from, and is copied by its button", async () => {
  const { page, close } = await open("/reference/farkle/score", WAYS.light ?? {});
  const block = page.locator(".copyable").first();
  await block.hover();
  await block.getByRole("button", { name: "Copy" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${gateway.origin}/farkle/v1/score?dice=`);
  await close();
});

test("the tabs are chosen by arrow keys, with and without scripts", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, close } = await open("/reference/farkle/score", { javaScriptEnabled });
    await page.getByRole("radio", { name: "REST" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("pre:visible").first().textContent()).toContain("quintet.farkle.v1.FarkleService/Score");
    await close();
  }
});

test("numbers and money stand as the reader's language writes them", async () => {
  const { page, close } = await open("/plans", { locale: "de-DE" });
  expect(await page.locator("data").nth(1).textContent()).toBe("1.000.000");
  await close();
});
