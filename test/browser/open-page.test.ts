// The function with which tests open pages.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePages, sharedBrowser } from "./chromium.ts";
import { emptyPage, LOOKS, pageFaults } from "./open-page.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closePages(browser));

test("a page can be closed while a request of it is being intercepted, and the handler's failure is then not an error", async () => {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<string>();
  const { page, close } = await emptyPage(browser, "http://localhost", LOOKS.light);
  await page.route("**/slow", async (route) => {
    requested.resolve();
    await released.promise;
    const late = route.fetch();
    late.then(
      () => outcome.resolve("fetched"),
      () => outcome.resolve("page closed"),
    );
    await late;
  });
  page.goto("/slow").catch(() => undefined);
  await requested.promise;
  await close();
  released.resolve();
  expect(await outcome.promise).toBe("page closed");
});

test("what axe finds serious on a page is reported with its element", async () => {
  const { page, close } = await emptyPage(browser, "http://localhost", LOOKS.light);
  await page.setContent('<html lang="en"><title>A page</title><main><h1>A page</h1><button type="button"></button></main></html>');
  expect((await pageFaults(page)).serious).toContain('button-name: <button type="button"></button>');
  await close();
});
