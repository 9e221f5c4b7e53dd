// The console as a customer uses it, with the sandbox's upstreams: every method is called from its form in three protocols, and the page
// shows the request and response as they went over the wire.
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONSOLE_METHODS } from "../../portal/content/console.ts";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { advanceTime, type Gateway, startGateway } from "../fixtures/gateway.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, PASSWORD, signUp } from "./customer.ts";
import { LOOKS, type OpenPage, openPage, pageFaults } from "./open-page.ts";

const PROTOCOLS = ["rest", "connect", "grpc-web"] as const;
// Rows of the table of all protocols, including its heading: without those for GET, and for REST by POST.
const ROWS = 5;
const unary = CONSOLE_METHODS.filter(({ slug }) => slug !== "token-price/watch-prices");

let browser: Browser;
let sandbox: Sandbox;
let gateway: Gateway;
let clock: ManualClock;
let customer: Customer;
beforeAll(async () => {
  // Stands still while a page is open, so that no call misses its deadline on a slow machine.
  clock = createManualClock({ nowMs: Date.now() });
  sandbox = await startSandbox({ clock, controlPort: 0 });
  gateway = await startGateway({ clock, variables: sandbox.variables });
  browser = await sharedBrowser();
  customer = await signUp(gateway, "ada");
  const account = accountClient(customer.transport);
  for (const service of SERVICE_NAMES) {
    await account.setSubscription({ service, plan: "free" });
  }
});
afterAll(async () => {
  await closePages(browser);
  await advanceTime(clock, gateway.close());
  await sandbox.close();
});

async function open(path: string, look: keyof typeof LOOKS = "light"): Promise<OpenPage> {
  // An account may make 10 calls a second.
  clock.advance(5000);
  const opened = await openPage(browser, gateway.origin, path, LOOKS[look], customer.token);
  return {
    ...opened,
    async close() {
      // Leaves the page as a person would, so that its key is revoked.
      await opened.page.goto("about:blank");
      await opened.close();
    },
  };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole("tab", { name });

/** Sends the form and resolves with the request that the browser made. */
async function send(page: Page): Promise<Request> {
  await tab(page, "Response").click();
  const [request] = await Promise.all([
    page.waitForRequest((created) => created.headers()["x-gateway-key"] !== undefined),
    button(page, "Send").click(),
  ]);
  await page.getByText(/^(Done|Failed)$/).waitFor();
  return request;
}

/** Sends a form with a value out of its bounds, which the page says before it is sent. */
async function sendAsItIs(page: Page): Promise<void> {
  await button(page, "Send").click();
  await page.getByText(/Press Send again/).waitFor();
  await button(page, "Send").click();
}

/** The bytes that the page shows of `Request` or `Response`. */
async function shownBytes(page: Page, whose: string): Promise<Buffer> {
  const region = page.getByRole("region", { name: `${whose}, bytes` });
  if ((await region.count()) === 0) {
    return Buffer.alloc(0);
  }
  const text = (await region.textContent()) ?? "";
  const lines = Array.from(text.matchAll(/^[0-9a-f]{4,} {2}((?:[0-9a-f]{2} )+) *.*$/gm), ([, hex = ""]) => hex.replaceAll(" ", ""));
  return lines.length > 0 ? Buffer.from(lines.join(""), "hex") : Buffer.from(text);
}

const choose = (page: Page, protocol: string): Promise<void> => page.locator(`[name=console-protocol][value=${protocol}]`).check();

describe("Every method", () => {
  test.each(unary)("$slug is sent as its form says in three protocols, with the same result", async ({ slug, takesPost }) => {
    const { page, faults, close } = await open(`/app/console/${slug}`);
    // A method that changes something is not called by GET.
    const changes = slug === "radio/report-play";
    for (const protocol of changes ? (["rest-body", "connect", "grpc-web"] as const) : PROTOCOLS) {
      await choose(page, protocol);
      const request = await send(page);
      const response = await request.response();
      await tab(page, "On the wire").click();
      const head = (await page.locator("pre", { hasText: "HTTP/1.1" }).first().textContent()) ?? "";
      const responded = await shownBytes(page, "Response");
      const body = (await response?.body()) ?? Buffer.alloc(0);
      expect({
        line: head.split("\r\n", 1)[0],
        sent: await shownBytes(page, "Request"),
        responded,
        status: response?.status(),
      }).toEqual({
        line: `${request.method()} ${request.url().slice(gateway.origin.length)} HTTP/1.1`,
        sent: request.postDataBuffer() ?? Buffer.alloc(0),
        responded: body.subarray(0, responded.length),
        status: 200,
      });
      expect(responded.length).toBeGreaterThanOrEqual(Math.min(body.length, 1900));
      expect(head).not.toContain("qk_");
    }
    await tab(page, "Compare").click();
    await button(page, "Send in all protocols").click();
    await page.getByText("Every protocol gave the same response").waitFor();
    expect(await page.getByRole("table").getByRole("row").count()).toBe(ROWS + (changes ? 0 : 2) + (takesPost ? 1 : 0));
    expect(faults).toEqual([]);
    await close();
  });

  test.each(PROTOCOLS)("that streams shows its messages as they arrive in %s, until it is stopped", async (protocol) => {
    const { page, faults, close } = await open("/app/console/token-price/watch-prices");
    await choose(page, protocol);
    await button(page, "Send").click();
    await page.getByText("Message 1").waitFor();
    await button(page, "Stop").click();
    await page.getByText("Stopped").waitFor();
    expect(await page.getByRole("listitem").first().textContent()).toContain("coingecko:bitcoin");
    // Stopping is what ends the request.
    expect(faults.filter((fault) => !fault.includes("/token-price") && !fault.includes("WatchPrices"))).toEqual([]);
    await close();
  });
});

test.each(PROTOCOLS)("an error from the server is shown at its field in %s, with a link to the reason", async (protocol) => {
  const { page, faults, close } = await open("/app/console/radio/search-stations");
  await choose(page, protocol);
  await page.getByLabel("limit").fill("1000");
  await page.getByLabel("limit").press("Enter");
  // Nothing is sent, or charged, unless the user insists.
  await page.getByText("limit must be 1 to 100. Press Send again to send it as it is").waitFor();
  await page.getByLabel("limit").press("Enter");
  const link = page.getByRole("link", { name: "INVALID_ARGUMENT" });
  await link.waitFor();
  const outcome = (await page.getByRole("tabpanel").getByRole("paragraph").first().textContent()) ?? "";
  const field = page.getByLabel("limit");
  const errorId = ((await field.getAttribute("aria-describedby")) ?? "").split(" ").at(-1);
  expect({
    isFailure: /^Failed/.test(outcome) && !outcome.includes("Done"),
    invalid: await field.getAttribute("aria-invalid"),
    error: await page.locator(`[id="${errorId}"]`).textContent(),
    href: await link.getAttribute("href"),
  }).toEqual({
    isFailure: true,
    invalid: "true",
    error: "limit must be a whole number from 1 to 100, not 1000.",
    href: "/errors/INVALID_ARGUMENT",
  });
  expect(faults).toEqual([]);
  await close();
});

test.each(["typing", "the example"])("an error disappears from its field once %s has changed the field", async (by) => {
  const { page, close } = await open("/app/console/farkle/score?dice=1&dice=9#connect");
  await sendAsItIs(page);
  const field = page.getByLabel("dice (required)");
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  if (by === "typing") {
    await field.fill("1,5");
  } else {
    await page.getByRole("button", { name: "Use example" }).click();
  }
  await expect.poll(() => field.getAttribute("aria-invalid")).toBeNull();
  // The response still says what it said.
  await page.getByRole("tabpanel").getByText("INVALID_ARGUMENT").first().waitFor();
  await field.fill("1,9");
  await sendAsItIs(page);
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  await close();
});

test("an error in an element of a list is shown at that element", async () => {
  const { page, close } = await open("/app/console/farkle/score?dice=1&dice=7&dice=9#rest");
  await button(page, "Send").click();
  await page.getByText(/Press Send again/).waitFor();
  await send(page);
  const field = page.getByLabel(/dice/);
  const errorId = ((await field.getAttribute("aria-describedby")) ?? "").split(" ").at(-1);
  expect(await page.locator(`[id="${errorId}"]`).textContent()).toMatch(/^dice\[1\] must be .*; dice\[2\] must be .*\.$/);
  await close();
});

test("calls side by side are in the history, and the page says if a reload loses values that no link can hold", async () => {
  const { page, faults, close } = await open("/app/console/farkle/score?dice=3#rest");
  await tab(page, "Compare").click();
  await button(page, "Send in all protocols").click();
  await page.getByText("Every protocol gave the same response").waitFor();
  await tab(page, "History").click();
  const entries = page.getByRole("list", { name: "Calls in this tab" }).locator("li p span:first-child");
  await entries.nth(5).waitFor();
  const protocols = await entries.allTextContents();
  const lost = page.getByText("is lost when you reload");
  const before = await lost.count();
  await page.getByLabel(/dice/).fill("qk_test_pasted");
  await lost.waitFor();
  expect({ protocols: protocols.slice(0, 6).toReversed(), before, faults }).toEqual({
    protocols: ["REST, query", "REST, JSON body", "Connect, JSON", "Connect, binary", "Connect, GET", "gRPC-Web, binary"],
    before: 0,
    faults: [],
  });
  await close();
});

test("a response says in which protocol it was sent, even if another one has been chosen since", async () => {
  const { page, close } = await open("/app/console/farkle/score#connect");
  await send(page);
  const panel = page.getByRole("tabpanel");
  await panel.getByText("Connect, JSON").waitFor();
  await choose(page, "grpc-web");
  await panel.getByText("Connect, JSON").waitFor();
  await send(page);
  await panel.getByText("gRPC-Web, binary").waitFor();
  await close();
});

test("a panel whose script cannot be loaded says so, and tries again when asked", async () => {
  const { page, close } = await open("/app/console/farkle/score?dice=1");
  await page.route("**/assets/SnippetPanel-*.js", (route) => route.abort());
  const name = "This part of the page could not be loaded.";
  await tab(page, "Snippets").click();
  await page.getByText(name).waitFor();
  await button(page, "Try again").click();
  await page.getByText(name).waitFor();
  await page.unroute("**/assets/SnippetPanel-*.js");
  await button(page, "Try again").click();
  await page.getByRole("tabpanel", { name: "Snippets" }).getByText("Create a key").waitFor();
  await close();
});

test("a status in base64 is decoded into the details of the failure", async () => {
  const { page, faults, close } = await open("/app/console/radio/search-stations?limit=1000#grpc-web");
  await button(page, "Send").click();
  await page.getByText("Press Send again").waitFor();
  await send(page);
  await page.getByText("Details", { exact: true }).click();
  const details = await page.locator("pre", { hasText: "google.rpc.BadRequest" }).textContent();
  expect(details).toContain('"description": "must be a whole number from 1 to 100, not 1000"');
  expect(faults).toEqual([]);
  await close();
});

test("the page says before sending that protobuf cannot hold a value, and sends it if JSON can", async () => {
  const { page, close } = await open("/app/console/radio/search-stations?limit=many#grpc-web");
  await button(page, "Send").click();
  await page.getByText("limit cannot be sent as protobuf").first().waitFor();
  await choose(page, "rest");
  await button(page, "Send").click();
  await page.getByText("limit must be a whole number from 1 to 100, not").first().waitFor();
  await close();
});

test("protobuf is shown as hexdump writes it", async () => {
  const { page, faults, close } = await open("/app/console/farkle/score#connect-proto");
  await page.getByLabel(/dice/).fill("1, 5\n6");
  await send(page);
  await tab(page, "On the wire").click();
  const bytes = await page.getByRole("region", { name: "Request, bytes" }).textContent();
  expect(bytes).toBe(`0000  0a 03 01 05 06${" ".repeat(35)}.....`);
  expect(faults).toEqual([]);
  await close();
});

test("Ctrl+Enter sends from any field, and Cmd+Enter too", async () => {
  const { page, faults, close } = await open("/app/console/farkle/score?dice=1&dice=5#connect");
  for (const keys of ["Control+Enter", "Meta+Enter"]) {
    clock.advance(5000);
    await page.getByLabel(/dice/).focus();
    const [request] = await Promise.all([
      page.waitForRequest((created) => created.headers()["x-gateway-key"] !== undefined),
      page.keyboard.press(keys),
    ]);
    expect(new URL(request.url()).pathname).toBe("/quintet.farkle.v1.FarkleService/Score");
    await page.getByText(/^(Done|Failed)$/).waitFor();
  }
  expect(faults).toEqual([]);
  await close();
});

test("a method is found by typing, and chosen by keyboard; Escape keeps the previous one", async () => {
  const { page, faults, close } = await open("/app/console/farkle/score");
  const field = page.getByRole("combobox", { name: "Method" });
  const options = page.getByRole("listbox", { name: "Methods" }).getByRole("option");
  await field.click();
  await expect.poll(() => options.count()).toBe(CONSOLE_METHODS.length);
  await field.fill("radio list");
  await page.getByRole("option", { name: /ListCountries/ }).waitFor();
  const found = await options.locator("b").allTextContents();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  const active = async (): Promise<string | null> => {
    const id = await field.getAttribute("aria-activedescendant");
    return await page.locator(`[id="${id}"] b`).textContent();
  };
  await page.keyboard.press("ArrowDown");
  await expect.poll(active).toBe(found[1]);
  await page.keyboard.press("Escape");
  await expect.poll(() => field.inputValue()).toMatch(/: Score$/);
  await field.fill("no such thing");
  await page.getByText("No method matches “no such thing”.").waitFor();
  await field.fill("mayer");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/app/console/bitcoin/get-mayer*");
  await expect.poll(() => field.inputValue()).toMatch(/: GetMayer$/);
  await field.click();
  await options.filter({ hasText: "SearchStations" }).click();
  await page.waitForURL("**/app/console/radio/search-stations*");
  expect({ few: found.length > 1 && found.length < CONSOLE_METHODS.length, faults }).toEqual({ few: true, faults: [] });
  await close();
});

test.each([
  { width: 1440, height: 900 },
  { width: 1024, height: 400 },
  { width: 768, height: 500 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 320, height: 480 },
])("Send stays visible wherever a page of $width by $height is scrolled to", async ({ width, height }) => {
  const { page, close } = await open("/app/console/radio/search-stations");
  await page.setViewportSize({ width, height });
  await send(page);
  await page.getByText(/^\d+ more fields$/).click();
  const sight = await page.evaluate(async () => {
    const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Send");
    const hidden: number[] = [];
    document.documentElement.style.scrollBehavior = "auto";
    const end = document.querySelector("#content")?.getBoundingClientRect().bottom ?? 0;
    const last = end + scrollY - innerHeight;
    for (let at = 0; at <= last; at += innerHeight / 3) {
      scrollTo(0, at);
      await new Promise(requestAnimationFrame);
      const { left, top, width: w, height: h } = button?.getBoundingClientRect() ?? new DOMRect();
      const seen = document.elementFromPoint(left + w / 2, top + h / 2);
      if (button?.contains(seen) !== true) {
        hidden.push(at);
      }
    }
    return { hidden, isLong: last > innerHeight / 2 };
  });
  expect(sight).toEqual({ hidden: [], isLong: true });
  await close();
});

test.each([1440, 1024, 390])("the history fits on a page of %i px, and a long call is cut to one line", async (width) => {
  const { page, close } = await open(`/app/console/radio/search-stations?name=${"very-long-name-".repeat(6)}&tag=jazz#rest`);
  await page.setViewportSize({ width, height: 900 });
  await send(page);
  await tab(page, "History").click();
  const list = page.getByRole("list", { name: "Calls in this tab" });
  await list.getByRole("link", { name: "radio/search-stations" }).first().waitFor();
  const { over, lines } = await list.evaluate((element) => {
    const given = element.querySelector("[title]");
    return {
      over: element.scrollWidth - element.clientWidth,
      lines: Math.round(
        (given?.getBoundingClientRect().height ?? 0) / Number.parseFloat(getComputedStyle(given as Element).lineHeight),
      ),
    };
  });
  expect({ over, lines, ...(await pageFaults(page)) }).toEqual({ over: 0, lines: 1, sideways: 0, serious: [] });
  await close();
});

test("a form survives a reload and is in its link, and the history leads back to it", async () => {
  const { page, faults, close } = await open("/app/console/farkle/score");
  await page.getByLabel(/dice/).fill("2\n2\n2");
  await choose(page, "connect");
  await page.reload();
  expect(await page.getByLabel(/dice/).inputValue()).toBe("2\n2\n2");
  await send(page);
  await button(page, "Copy link to this form").click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${gateway.origin}/app/console/farkle/score?dice=2&dice=2&dice=2#connect`);
  await page.goto("/app/console/bitcoin/get-mayer");
  await tab(page, "History").click();
  await page.getByRole("link", { name: "farkle/score" }).click();
  await page.getByLabel(/dice/).waitFor();
  expect([await page.getByLabel(/dice/).inputValue(), await page.locator("[name=console-protocol]:checked").inputValue()]).toEqual([
    "2\n2\n2",
    "connect",
  ]);
  expect(faults).toEqual([]);
  await close();
});

test("a link in the history opens its form even if the page already has that address, and so does Back", async () => {
  const { page, faults, close } = await open("/app/console/farkle/score?dice=1#rest");
  const dice = page.getByLabel(/dice/);
  await send(page);
  await tab(page, "History").click();
  await page.getByRole("link", { name: "farkle/score" }).first().click();
  await dice.fill("6");
  await choose(page, "connect");
  await tab(page, "History").click();
  await page.getByText("dice=1", { exact: true }).waitFor();
  await page.getByRole("link", { name: "farkle/score" }).first().click();
  const shown = async () => [await dice.inputValue(), await page.locator("[name=console-protocol]:checked").inputValue()];
  await expect.poll(shown).toEqual(["1", "rest"]);
  await page.goBack();
  await expect.poll(shown).toEqual(["6", "connect"]);
  expect(faults).toEqual([]);
  await close();
});

test("a call that is only checked is a dry run, and stays so after a reload", async () => {
  const { page, faults, close } = await open("/app/console/token-price/watch-prices");
  await page.getByLabel("Dry run").check();
  await page.reload();
  expect([await page.getByLabel("Dry run").isChecked(), new URL(page.url()).hash]).toEqual([true, "#rest&dry-run"]);
  for (const protocol of PROTOCOLS) {
    await choose(page, protocol);
    const request = await send(page);
    await page.getByText("This call was not made. It would be admitted, as far as a dry run checks its input.").waitFor();
    expect(request.headers()["x-quintet-dry-run"]).toBe("true");
  }
  await tab(page, "Snippets").click();
  expect(await page.locator("pre", { hasText: "grpcurl" }).textContent()).toContain("-H 'x-quintet-dry-run: true'");
  await tab(page, "History").click();
  await expect.poll(() => page.getByText("checked", { exact: true }).count()).toBe(3);
  expect(faults).toEqual([]);
  await close();
});

test("a page of the reference opens its method with its values, even if the reader has to sign in first, and the console links back to it", async () => {
  clock.advance(5000);
  const { page, faults, close } = await openPage(browser, gateway.origin, "/reference/radio/search-stations", LOOKS.light);
  await page.getByRole("link", { name: "Open in console" }).click();
  await page.getByLabel("E-mail address").fill(customer.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await button(page, "Sign in").click();
  expect(await page.getByLabel("tag", { exact: true }).inputValue()).toBe("jazz");
  await page.getByRole("main").getByRole("link", { name: "Reference" }).click();
  await page.waitForURL(`${gateway.origin}/reference/radio/search-stations`);
  expect(faults).toEqual([]);
  await close();
});

test("snippets have the same colours as on the pages of the reference, without inline styles", async () => {
  const { page, close } = await open("/app/console/farkle/score");
  await tab(page, "Snippets").click();
  const colours = await page.locator("pre", { hasText: "await fetch" }).evaluate((block) =>
    ["hljs-string", "hljs-keyword"].map((name) => {
      const word = block.querySelector(`.${name}`);
      return word !== null && getComputedStyle(word).color !== getComputedStyle(block).color && word.getAttribute("style") === null;
    }),
  );
  expect(colours).toEqual([true, true]);
  await close();
});

test("the key is in no storage and no address, and lasts only minutes", async () => {
  const { page, close } = await open("/app/console/farkle/score");
  // The page says until when the key is valid, so it needs the server's time, which stands still.
  await page.clock.setFixedTime(clock.nowMs());
  const secret = (await send(page)).headers()["x-gateway-key"] ?? "";
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie]),
  );
  expect([/^qk_live_\w{38}$/.test(secret), kept.includes("qk_")]).toEqual([true, false]);
  expect(await page.content()).not.toContain(secret);
  await page.goto("/plans");
  const account = accountClient(customer.transport);
  const { results } = await account.listKeys({});
  const { createdAt, expiresAt } = results.find(({ lastFour }) => lastFour === secret.slice(-4)) ?? {};
  const livesSeconds = Number(expiresAt?.seconds) - Number(createdAt?.seconds);
  expect([livesSeconds > 0, livesSeconds <= 15 * 60]).toEqual([true, true]);
  await close();
});

test("a customer may call with a key of their own, and sees what is wrong with it", async () => {
  const { page, close } = await open("/app/console/farkle/score");
  await page.getByText("Key: created when you send a call").click();
  await page.getByLabel("Your own key").fill("qk_live_0123");
  await page.getByText("Your own key must be qk_live_ or qk_test_ followed by 38 or 40 letters and digits").waitFor();
  await page.getByLabel("Your own key").fill(`qk_live_${"0".repeat(38)}`);
  await button(page, "Use this key").click();
  await page.getByText("Key: your own, …0000").waitFor();
  await button(page, "Send").click();
  await page.getByRole("link", { name: "KEY_INVALID" }).waitFor();
  await close();
});

test("a long response is shown in part, with the rest on request", async () => {
  const { page, close } = await open("/app/console/token-list/get-list?list=uniswap&limit=500#rest");
  await send(page);
  const answer = page.getByRole("region", { name: "The response" });
  const length = async (): Promise<number> => ((await answer.textContent()) ?? "").length;
  await expect.poll(length).toBe(20_000);
  await button(page, "Show more").click();
  await expect.poll(length).toBeGreaterThan(20_000);
  await close();
});

test("only part of the longest response is shown, so that the page stays quick, and the file has all of it", async () => {
  const { page, close } = await open("/app/console/bitcoin/get-history?indicator=mayer&days=3650#rest");
  const request = await send(page);
  const whole: unknown = await (await request.response())?.json();
  const more = button(page, "Show more");
  await more.click();
  await more.click();
  await page
    .getByText(/^The first 320,000 of [\d,]+ characters are shown, the most that this page can show; the file has all of them\.$/)
    .waitFor();
  const atMost = await more.count();
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Save as file").click()]);
  const saved: unknown = JSON.parse(await readFile(await download.path(), "utf8"));
  await tab(page, "On the wire").click();
  await more.click();
  await more.click();
  await page.getByText(/^The first 32,768 of [\d,]+ bytes are shown, the most that this page can show\.$/).waitFor();
  const elements = await page.locator("*").count();
  expect({ atMost, isWhole: isDeepStrictEqual(saved, whole), ofWire: await more.count(), few: elements < 25_000 }).toEqual({
    atMost: 0,
    isWhole: true,
    ofWire: 0,
    few: true,
  });
  await close();
});

test.each(["/app/console/radio/nothing", "/app/console/x"])("%s says that there is no such method", async (path) => {
  const { page, close } = await open(path);
  await page.getByText(/There is no method/).waitFor();
  await close();
});

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test("no panel has problems", async () => {
    const { page, faults, close } = await open("/app/console/radio/search-stations", look);
    await page.getByText(/^\d+ more fields$/).click();
    await page.getByText("Key: created when you send a call").click();
    await send(page);
    for (const name of ["Response", "On the wire", "Compare", "Snippets", "History"]) {
      await tab(page, name).click();
      if (name === "Compare") {
        await button(page, "Send in all protocols").click();
        await page.getByText("Every protocol gave the same response").waitFor();
      }
      expect({ name, ...(await pageFaults(page)) }).toEqual({ name, sideways: 0, serious: [] });
    }
    expect(faults).toEqual([]);
    await close();
  });
});
