// Prices that change while the user watches, and what that costs: one stream, which ends when nobody is watching.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SkippableClock, startSkippableClock } from "../fixtures/skippable-clock.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { emptyPage, LOOKS } from "./open-page.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 500;
/** How often the server looks whether the price has changed. */
const PRICE_INTERVAL_MS = 5000;

let clock: SkippableClock;
let scene: ExploreScene;
let browser: Browser;
beforeAll(async () => {
  clock = startSkippableClock();
  scene = await startExploreScene({ clock, subscriptions: ["token-price", "token-list", "bitcoin"] });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await scene.close();
  clock.stop();
});

// A page whose clock can be moved, and the calls that it makes to data services.
async function open(path: string, origin = scene.origin, token = scene.token) {
  const { page, close } = await emptyPage(browser, origin, LOOKS.light, token);
  const calls: string[] = [];
  page.on("request", (request) => {
    const [, method] = /\/quintet\.(?:tokenprice|tokenlist|bitcoin)\.v1\.\w+\/(\w+)/.exec(request.url()) ?? [];
    if (method !== undefined) {
      calls.push(method);
    }
  });
  await page.clock.install();
  await page.goto(path);
  // Only then has it requested everything that it shows.
  for (const part of path.startsWith("/explore/tokens") ? ["View as table", /^On (one list|\d+ lists):/] : ["View as table"]) {
    await page.getByText(part).waitFor();
  }
  return { page, calls, close };
}

const watches = (calls: readonly string[]): number => calls.filter((method) => method === "WatchPrices").length;
const priceOf = (page: Page): Promise<string | null> => page.locator("p[aria-live]").textContent();
const untilItMoves = async (page: Page): Promise<void> => {
  await page.getByText(/^Live, \d/).waitFor();
  const shown = await priceOf(page);
  const priceLater = (): Promise<string | null> => {
    clock.advance(PRICE_INTERVAL_MS);
    return priceOf(page);
  };
  await expect.poll(priceLater, { interval: 500 }).not.toBe(shown);
};
// The page's time passes by itself until then.
const standStill = async (page: Page): Promise<void> => page.clock.pauseAt((await page.evaluate(() => Date.now())) + MINUTE_MS);
const hide = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);

describe.each(["/explore/tokens?q=weth", "/explore/bitcoin"])("%s", (path) => {
  test("shows a price that moves, by one stream", async () => {
    const { page, calls, close } = await open(path);
    await untilItMoves(page);
    const before = [...calls];
    expect(watches(calls)).toBe(1);
    // Nothing else is requested again automatically.
    await page.clock.fastForward(5 * MINUTE_MS);
    await untilItMoves(page);
    expect(calls).toEqual(before);
    await close();
  });

  test("ends the stream when the page has been hidden for some seconds, and begins another when it is shown", async () => {
    const { page, calls, close } = await open(path);
    await untilItMoves(page);
    // On a slow machine more seconds would pass by themselves.
    await standStill(page);
    await hide(page, true);
    await page.clock.fastForward(5000);
    await hide(page, false);
    await page.clock.resume();
    await untilItMoves(page);
    expect(watches(calls)).toBe(1);
    await hide(page, true);
    await Promise.all([
      page.waitForEvent("requestfailed", (request) => request.url().endsWith("/WatchPrices")),
      page.clock.fastForward(11_000),
    ]);
    await hide(page, false);
    await untilItMoves(page);
    expect(watches(calls)).toBe(2);
    await close();
  });
});

test("a page that is left open pauses, and continues when the reader asks for it", async () => {
  const { page, calls, close } = await open("/explore/bitcoin");
  await untilItMoves(page);
  await page.clock.fastForward(15 * MINUTE_MS);
  await page.getByText("Paused, because each minute of live prices counts as a call.").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await untilItMoves(page);
  expect(watches(calls)).toBe(2);
  await close();
});

test("a stream that breaks is restarted automatically, less and less often", async () => {
  const { page, calls, close } = await open("/explore/bitcoin");
  await untilItMoves(page);
  let failed = 0;
  page.on("requestfailed", (request) => {
    failed += request.url().endsWith("/WatchPrices") ? 1 : 0;
  });
  await page.route("**/WatchPrices", (route) => route.abort("connectionreset"));
  await standStill(page);
  await hide(page, true);
  await page.clock.fastForward(11_000);
  await expect.poll(() => failed).toBe(1);
  await hide(page, false);
  // How much time has passed for the page after this many attempts. No time passes during an attempt.
  let passedMs = 0;
  const untilTried = async (times: number): Promise<number> => {
    await expect
      .poll(async () => {
        if (failed < times && watches(calls) === failed) {
          await page.clock.runFor(STEP_MS);
          passedMs += STEP_MS;
        }
        return failed;
      })
      .toBe(times);
    return passedMs;
  };
  const triedMs = [await untilTried(2), await untilTried(3), await untilTried(4), await untilTried(5)];
  const waitsMs = triedMs.slice(1).map((atMs, index) => atMs - (triedMs[index] ?? 0));
  // A step may pass before the page learns of a failure.
  expect(waitsMs.map((ms) => 2 ** Math.round(Math.log2(ms / 1000)))).toEqual([2, 4, 8]);
  await page.getByText("Retrying automatically.").waitFor();
  expect(await priceOf(page)).toContain("$");
  await page.unroute("**/WatchPrices");
  await page.clock.resume();
  await page.clock.fastForward(16_000);
  await page.getByText(/^Live, \d/).waitFor();
  await close();
});

test("the indicators are shown without a subscription to prices, which the page offers", async () => {
  const other = await startExploreScene({ subscriptions: ["bitcoin"] });
  const { page, close } = await open("/explore/bitcoin", other.origin, other.token);
  await page.getByText("Live prices come from Token prices.").waitFor();
  await page.getByText("View as table").waitFor();
  expect(await page.getByRole("link", { name: "Choose a plan" }).getAttribute("href")).toBe("/app/subscriptions");
  await close();
  await other.close();
});
