// The pages of the reference: parameters beside a sample that stays in sight and can be run, by visitors and by customers.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { LOOKS, openPage, pageFaults } from "./open-page.ts";

const SEARCH = "/reference/radio/search-stations";

let scene: ExploreScene;
let browser: Browser;
beforeAll(async () => {
  scene = await startExploreScene({ publicCalls: 10_000 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await scene.close();
});

const run = (page: Page) => page.getByRole("button", { name: "Run", exact: true });
const status = (page: Page) => page.locator("form").getByRole("status");

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test("a visitor runs a sample with the public key, and sees the real response, its status and its time", async () => {
    const { page, faults, close } = await openPage(browser, scene.origin, SEARCH, LOOKS[look]);
    const scripts: string[] = [];
    page.on("request", (request) => scripts.push(new URL(request.url()).pathname));
    const before = await page.locator("[data-response]").textContent();
    const [request] = await Promise.all([
      page.waitForRequest((created) => created.headers()["x-gateway-key"] !== undefined),
      run(page).click(),
    ]);
    await expect.poll(() => status(page).textContent()).toMatch(/^HTTP 200 · \d+ ms · with this server's public key$/);
    const response: { readonly meta: { readonly request_id: string } } = await (await request.response())?.json();
    const shown = (await page.locator("[data-response]").textContent()) ?? "";
    expect({
      isNew: shown !== before,
      isReal: shown.includes(response.meta.request_id),
      isLoadedLate: scripts.some((path) => path.includes("run-sample")),
      ...(await pageFaults(page)),
      faults,
    }).toEqual({ isNew: true, isReal: true, isLoadedLate: true, sideways: 0, serious: [], faults: [] });
    await close();
  });
});

test("a key of one's own is used, and a wrong one is refused by the server", async () => {
  const { page, close } = await openPage(browser, scene.origin, SEARCH, LOOKS.light);
  await page.getByText("Key", { exact: true }).click();
  await page.getByLabel("Your own key").fill(`qk_live_${"0".repeat(38)}`);
  await run(page).click();
  await expect.poll(() => status(page).textContent()).toMatch(/^HTTP 401 · \d+ ms · with your key …0000$/);
  await page.locator("[data-response]", { hasText: "KEY_INVALID" }).waitFor();
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]))).not.toContain(
    "qk_",
  );
  await close();
});

test("the first message of a stream is shown", async () => {
  const { page, close } = await openPage(browser, scene.origin, "/reference/token-price/watch-prices", LOOKS.light);
  await run(page).click();
  await expect.poll(() => status(page).textContent()).toMatch(/^HTTP 200 · /);
  await page.locator("[data-response]", { hasText: '"results"' }).waitFor();
  await close();
});

test("a method of the account has no button, because no key calls it", async () => {
  const { page, close } = await openPage(browser, scene.origin, "/reference/account/get-account", LOOKS.light);
  await page.getByRole("heading", { name: "Call it" }).waitFor();
  expect(await run(page).count()).toBe(0);
  await close();
});

test("the sample stays in sight beside the parameters, with the bounds of each in words", async () => {
  const { page, close } = await openPage(browser, scene.origin, SEARCH, { viewport: { width: 1440, height: 900 } });
  const limit = page.locator("#parameter-limit");
  await limit.scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 600);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(500);
  const { top, bottom } = await run(page).evaluate((button) => button.getBoundingClientRect());
  expect({ inSight: top > 60 && bottom < 900, says: (await limit.textContent())?.includes("1 to 100, default 20.") }).toEqual({
    inSight: true,
    says: true,
  });
  await close();
});

test("without scripts the page is complete, and offers nothing that would not work", async () => {
  const { page, close } = await openPage(browser, scene.origin, SEARCH, { ...LOOKS.light, javaScriptEnabled: false });
  expect([await run(page).isVisible(), (await page.locator("[data-response]").textContent())?.includes('"results"')]).toEqual([
    false,
    true,
  ]);
  await close();
});
