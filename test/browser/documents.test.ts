// The documents as people see them: in light and dark and on a phone, with and without scripts, by keyboard. No page may print an
// error, break its own policy, scroll sideways, or have a serious accessibility fault.
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { LOOKS, type OpenPage, openPage, pageFaults } from "./open-page.ts";

const PATHS = [
  "/",
  "/plans",
  "/docs",
  "/docs/quickstart",
  "/docs/limits",
  "/docs/architecture",
  "/docs/services/radio",
  "/reference",
  "/reference/radio/search-stations",
  "/reference/token-price/watch-prices",
  "/reference/key/create-key",
  "/errors",
  "/errors/RATE_LIMITED",
  "/nothing-is-here",
];

const WAYS = { ...LOOKS, "without scripts": { javaScriptEnabled: false } satisfies BrowserContextOptions };

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

const open = (path: string, way: BrowserContextOptions): Promise<OpenPage> => openPage(browser, gateway.origin, path, way);

describe.each(Object.entries<BrowserContextOptions>(WAYS))("%s", (_, way) => {
  test.each(PATHS)("%s has no problems", async (path) => {
    const { page, faults, close } = await open(path, way);
    if (way.javaScriptEnabled !== false) {
      expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    }
    expect(await page.locator("h1").textContent()).not.toBe("");
    expect(faults).toEqual([]);
    await close();
  });
});

test.each([
  { width: 320, rows: 2 },
  { width: 768, rows: 1 },
])("the header has $rows rows at $width px", async ({ width, rows }) => {
  const { page, close } = await open("/docs", { viewport: { width, height: 640 } });
  const tops = await page.locator("header :is(a, button):visible").evaluateAll((controls) =>
    controls.map((control) => {
      const { top, height } = control.getBoundingClientRect();
      return Math.round((top + height / 2) / 10);
    }),
  );
  expect(new Set(tops).size).toBe(rows);
  await close();
});

test.each([
  { path: "/errors", name: "Reasons" },
  { path: "/reference", name: "Methods: Account" },
  { path: "/reference/radio/search-stations", name: "Errors" },
])("the table of $path is a list on the narrowest screen, and does not scroll", async ({ path, name }) => {
  const { page, close } = await open(path, { viewport: { width: 320, height: 640 } });
  const table = page.getByRole("region", { name, exact: true });
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await close();
});

test("every cell of a table has its heading next to it on a phone", async () => {
  const { page, close } = await open("/reference/radio/search-stations", LOOKS["on a phone"]);
  const cells = page.getByRole("region", { name: "Errors", exact: true }).getByRole("row").nth(1).locator("td");
  await cells.first().waitFor();
  const headings = await cells.evaluateAll((all) => all.map((cell) => getComputedStyle(cell, "::before").content));
  expect(headings).toEqual(['"HTTP"', '"Reason"', '"Meaning"']);
  await close();
});

test("a code wraps only after an underscore", async () => {
  const { page, close } = await open("/errors/RATE_LIMITED", { viewport: { width: 1280, height: 900 } });
  const lines = await page.getByRole("definition").filter({ hasText: "RESOURCE_EXHAUSTED" }).evaluate(linesOf);
  expect(lines).toEqual(["RESOURCE_", "EXHAUSTED"]);
  await close();
});

// The text of an element as it wraps into lines.
function linesOf(element: Element): readonly string[] {
  const lines = new Map<number, string>();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const [at, letter] of [...(node.textContent ?? "")].entries()) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const { top } = range.getBoundingClientRect();
      lines.set(top, (lines.get(top) ?? "") + letter);
    }
  }
  return [...lines.values()];
}

test("the search is opened by a key, finds a page by a few letters, and opens it on Enter", async () => {
  const { page, faults, close } = await open("/docs", WAYS.light);
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("rate_lim");
  await page.getByRole("link", { name: "RATE_LIMITED Errors", exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/errors/RATE_LIMITED");
  expect(faults).toEqual([]);
  await close();
});

test.each([
  { path: "/docs/quickstart", tab: "PowerShell" },
  { path: "/plans", tab: "Farkle" },
])("the key opens the search of $path after a tab was clicked, and not while the reader is typing", async ({ path, tab }) => {
  const { page, faults, close } = await open(path, WAYS.light);
  const chosen = page.getByRole("radio", { name: tab, exact: true });
  await page
    .locator("label")
    .filter({ has: chosen })
    .or(page.getByText(tab, { exact: true }))
    .first()
    .click();
  await expect.poll(() => chosen.isChecked()).toBe(true);
  expect(await chosen.evaluate((radio) => radio === document.activeElement)).toBe(true);
  await page.keyboard.press("/");
  const field = page.getByRole("searchbox");
  await field.waitFor();
  await page.keyboard.type("a/b");
  await expect.poll(() => field.inputValue()).toBe("a/b");
  expect(faults).toEqual([]);
  await close();
});

test("the chosen colours are kept when the page is opened again", async () => {
  const { page, close } = await open("/", WAYS.light);
  const colours = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await colours();
  await page.getByRole("button", { name: /Theme/ }).click();
  await page.getByRole("button", { name: /Theme/ }).click();
  const dark = await colours();
  await page.reload();
  expect({ changed: light !== dark, kept: (await colours()) === dark }).toEqual({ changed: true, kept: true });
  await close();
});

test("an example names the server that the page came from, and its button copies it", async () => {
  const { page, close } = await open("/reference/farkle/score", WAYS.light);
  const block = page.locator(".copyable").first();
  await block.hover();
  await block.getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`${gateway.origin}/farkle/v1/score?dice=`);
  await close();
});

test("the language is chosen by arrow keys, with and without scripts", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, close } = await open("/reference/farkle/score", { javaScriptEnabled });
    const choice = javaScriptEnabled ? page.getByRole("combobox", { name: "Language" }) : page.getByRole("radio", { name: "REST" });
    await choice.focus();
    await page.keyboard.press(javaScriptEnabled ? "ArrowDown" : "ArrowRight");
    await expect.poll(() => page.locator("pre:visible").first().textContent()).toContain("quintet.farkle.v1.FarkleService/Score");
    await close();
  }
});

test.each(["/reference/token-price/get-prices", "/reference/bitcoin/get-mayer", "/errors/SHUTTING_DOWN"])(
  "the entry of %s is in sight in the list beside it",
  async (path) => {
    const { page, faults, close } = await open(path, { viewport: { width: 1440, height: 700 } });
    const entry = page.locator("[data-side-nav] [aria-current]");
    const isInSight = () =>
      entry.evaluate((link) => {
        const [own, list] = [link, link.closest("details")].map((element) => element?.getBoundingClientRect());
        return own !== undefined && list !== undefined && own.top >= list.top && own.bottom <= Math.min(list.bottom, innerHeight);
      });
    await expect.poll(isInSight).toBe(true);
    expect([await page.evaluate(() => scrollY), faults]).toEqual([0, []]);
    await close();
  },
);

test("the sections of a guide are listed next to it, and the one being read is marked", async () => {
  const { page, faults, close } = await open("/docs/limits", { viewport: { width: 1440, height: 900 } });
  const list = page.getByRole("navigation", { name: "On this page" });
  const links = list.getByRole("link");
  const [second] = (await links.all()).slice(1, 2);
  const words = (await second?.textContent()) ?? "";
  await second?.click();
  await expect.poll(() => list.locator("[aria-current]").allTextContents()).toEqual([words]);
  const { top } = await page
    .getByRole("heading", { name: words, exact: true })
    .evaluate((heading) => heading.getBoundingClientRect());
  const isBeside = await list.evaluate(
    (nav) => nav.getBoundingClientRect().left > (document.querySelector("h1")?.getBoundingClientRect().right ?? 0),
  );
  expect({ isBelowHeader: top >= 60 && top < 200, isBeside, faults }).toEqual({ isBelowHeader: true, isBeside: true, faults: [] });
  await close();
});

test("on a phone the sections of a guide are folded above it, and open", async () => {
  const { page, close } = await open("/docs/limits", LOOKS["on a phone"]);
  const list = page.getByRole("navigation", { name: "On this page" });
  const before = await list.isVisible();
  await page.getByText("On this page", { exact: true }).click();
  await list.waitFor();
  expect({ before, ...(await pageFaults(page)) }).toEqual({ before: false, sideways: 0, serious: [] });
  await close();
});

test("the quickstart shows each language's call, and its commands", async () => {
  const { page, faults, close } = await open("/docs/quickstart", WAYS.light);
  for (const [title, words] of [
    ["REST", "curl -sS --fail-with-body"],
    ["C#", "dotnet run call.cs"],
    ["PHP", "php call.php"],
    ["Rust", "cargo run"],
    ["gRPC in Go", "go run call.go"],
  ] as const) {
    await page.getByRole("combobox", { name: "Language" }).selectOption(title);
    await page.locator("pre:visible", { hasText: words }).waitFor();
  }
  // The reference begins with the language that was last chosen.
  await page.goto("/reference/farkle/score");
  await page.locator("pre:visible", { hasText: "package main" }).waitFor();
  expect([await page.getByRole("combobox", { name: "Language" }).inputValue(), faults]).toEqual(["gRPC in Go", []]);
  await close();
});

test("the search finds the plans by what people call them", async () => {
  const { page, close } = await open("/docs", WAYS.light);
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("pricing");
  await page.getByRole("link", { name: "Plans", exact: false }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/plans");
  await close();
});

test("a sample that cannot be run without a key asks for one", async () => {
  const { page, faults, close } = await open("/reference/farkle/score", WAYS.light);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("Sign in, or enter a key.").waitFor();
  const field = page.getByLabel("Your own key");
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(faults).toEqual([]);
  await close();
});
