import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UsageMeasure } from "../../gen/quintet/account/v1/usage_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, signUp } from "./customer.ts";
import { LOOKS, type OpenPage, openPage, pageFaults, takePicture } from "./open-page.ts";

const FREE = { name: "free", callsPerMonth: 10, requestsPerSecond: 100 };
const PRO = { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 500, priceMinor: 1290 };

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock, plans: { farkle: [FREE, PRO] } });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

async function customerWithKey(name: string): Promise<{ customer: Customer; secret: string; lastFour: string }> {
  const customer = await signUp(gateway, name);
  const account = accountClient(customer.transport);
  await account.setSubscription({ service: "farkle", plan: "free" });
  const { key, secret } = await account.createKey({ name: "a shop" });
  return { customer, secret, lastFour: key?.lastFour ?? "" };
}

async function score(key: string, dice: readonly string[]): Promise<void> {
  for (const roll of dice) {
    await fetch(`${gateway.origin}/farkle/v1/score?dice=${roll}`, { headers: { "x-gateway-key": key } });
  }
}

const accountOf = async ({ transport }: Customer): Promise<string> =>
  (await accountClient(transport).getAccount({})).account?.id ?? "";

// The servers record calls once a second: those that count first, and usage and refusals after that. A page that is opened in between shows
// them only when it reads them again.
async function written({ transport }: Customer, counted: number, refused: number): Promise<void> {
  const account = accountClient(transport);
  const callsOf = (rows: readonly { readonly calls: bigint }[]): number => rows.reduce((sum, { calls }) => sum + Number(calls), 0);
  const seen = async (): Promise<unknown> => {
    const usage = await account.getUsage({ limit: 100 });
    const refusals = await account.getUsage({ measure: UsageMeasure.REFUSALS });
    const [standing] = usage.standings;
    return {
      counted: Number(standing?.counted),
      refused: Number(standing?.refusedForQuota),
      usage: callsOf(usage.results),
      refusals: callsOf(refusals.results),
    };
  };
  await expect.poll(seen, { interval: 1500 }).toEqual({ counted, refused, usage: counted, refusals: refused });
}

const open = (path: string, { token }: Customer, look: keyof typeof LOOKS = "light"): Promise<OpenPage> =>
  openPage(browser, gateway.origin, path, LOOKS[look], token);

// How much of the plot's canvas is filled.
const inked = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = document.querySelector("figure canvas") as HTMLCanvasElement;
    const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    return data.filter((value, index) => index % 4 === 3 && value > 0).length;
  });

const barOf = (page: Page): Promise<string | null> => page.getByRole("progressbar").getAttribute("value");

describe("The usage page", () => {
  test("is empty at first, says what to do, and loads no script of plots", async () => {
    const { page, faults, close } = await open("/app/usage", await signUp(gateway, "empty"));
    await page.getByText("No usage yet").waitFor();
    expect(await page.getByRole("link", { name: "Choose a plan" }).getAttribute("href")).toBe("/app/subscriptions");
    const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
    expect([loaded.some((path) => /^\/assets\/Usage-/.test(path)), loaded.some((path) => /^\/assets\/chart-/.test(path))]).toEqual([
      true,
      false,
    ]);
    expect(faults).toEqual([]);
    await close();
  });

  test("changes with the calls that are made, and lists refused ones by reason", async () => {
    const { customer, secret, lastFour } = await customerWithKey("caller");
    const { page, faults, close } = await open("/app/usage", customer);
    await page.getByText("No calls in this period.").waitFor();
    await page.locator("figure canvas").first().waitFor();
    const before = { bar: await barOf(page), ink: await inked(page) };
    // Eight that count, one of them with an error, and two more; then five that the quota refuses.
    await score(secret, ["1,5", "1,5", "1,1,1", "2", "2,3", "5", "6,6,6", "7"]);
    await score(secret, ["1", "1", "1", "1", "1", "1", "1"]);
    await written(customer, 10, 5);
    await page.reload();
    await page.getByText("10 calls, 1 failed.").first().waitFor();
    await page.locator("figure canvas").first().waitFor();
    await expect.poll(() => inked(page)).toBeGreaterThan(before.ink);
    expect([before.bar, await barOf(page)]).toEqual(["0", "10"]);
    await page.getByText("This month's calls are used up").waitFor();
    // For every span, including the day by hour.
    await page.getByText("5 calls refused: 5 QUOTA_EXCEEDED. The busiest hour was").first().waitFor();
    const overTime = page.getByRole("region", { name: "Calls over time", exact: true });
    await expect.poll(() => overTime.locator("figure canvas").count()).toBe(2);
    await page.getByRole("link", { name: "30 days" }).click();
    await page.getByText("5 calls refused: 5 QUOTA_EXCEEDED. The busiest day was").first().waitFor();
    const calls = page.getByRole("region", { name: "Calls by service, key, method and outcome", exact: true });
    await expect
      .poll(() => calls.getByRole("row").allTextContents())
      .toEqual([
        "ServiceKeyMethodOutcomeTodayThis month",
        `Farklea shop …${lastFour}ScoreOK99`,
        `Farklea shop …${lastFour}ScoreINVALID_ARGUMENT11`,
      ]);
    const refused = page.getByRole("region", { name: "Refusals by reason, service and key", exact: true });
    await expect
      .poll(() => refused.getByRole("row").allTextContents())
      .toEqual(["ReasonServiceKeyTodayThis month", `QUOTA_EXCEEDEDFarklea shop …${lastFour}55`]);
    expect(await refused.getByRole("link").getAttribute("href")).toBe("/errors/QUOTA_EXCEEDED");
    await page.getByText("Pro (€12.90 a month) would have admitted all of this month's 5 refused calls.").waitFor();
    const request = page.getByRole("link", { name: "Request Pro" });
    expect(await request.getAttribute("href")).toBe("/app/subscriptions?do=plan&service=farkle&plan=pro");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV: quintet-refusals.csv" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("quintet-refusals.csv");
    expect(faults).toEqual([]);
    await close();
    // The same advice is next to the plans.
    const plans = await open("/app/subscriptions", customer);
    await plans.page.getByText("Pro (€12.90 a month) would have admitted all of this month's 5 refused calls.").waitFor();
    await plans.page.getByRole("button", { name: "Request Pro: Farkle" }).click();
    await plans.page.getByRole("dialog").getByRole("button", { name: "Request Pro", exact: true }).waitFor();
    await plans.close();
  });

  test("keeps what was chosen in its address, through a reload and Back", async () => {
    const { customer, secret, lastFour } = await customerWithKey("chooser");
    await score(secret, ["1"]);
    await written(customer, 1, 0);
    const { page, faults, close } = await open("/app/usage", customer);
    await page.getByRole("link", { name: "12 months" }).click();
    await page.getByText("The busiest month was").first().waitFor();
    await page.getByLabel("Key", { exact: true }).selectOption({ label: `a shop …${lastFour}` });
    await page.getByLabel("Service", { exact: true }).selectOption("bitcoin");
    await page.getByText("No calls this month.").waitFor();
    const { search } = new URL(page.url());
    expect(search).toMatch(/^\?span=12m&service=bitcoin&key=[0-9a-f-]{36}$/);
    await page.reload();
    await expect.poll(() => page.getByLabel("Service", { exact: true }).inputValue()).toBe("bitcoin");
    await page.goBack();
    await page.getByText("The busiest month was").first().waitFor();
    await expect.poll(() => page.getByLabel("Service", { exact: true }).inputValue()).toBe("");
    expect(faults).toEqual([]);
    await close();
  });

  test("reads out the values on arrow keys, zooms in by dragging, and shows the error rate of each service", async () => {
    const { customer, secret } = await customerWithKey("pointer");
    await score(secret, ["1", "1", "1", "7"]);
    await written(customer, 4, 0);
    const { page, faults, close } = await open("/app/usage", customer);
    await page.getByRole("link", { name: "By service" }).click();
    await page.getByText("1 call failed: 1 Farkle (25%).").waitFor();
    const plot = page.getByRole("slider").first();
    const legend = page.locator("figcaption").first();
    await page.locator("figure canvas").first().waitFor();
    expect(await legend.textContent()).toMatch(/Farkle 4$/);
    await plot.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => legend.textContent()).toMatch(/Farkle 0$/);
    expect(await plot.getAttribute("aria-valuetext")).toMatch(/, Farkle 0$/);
    await plot.scrollIntoViewIfNeeded();
    const box = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(box.x + box.width / 3, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 100, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Reset zoom" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Reset zoom" }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  test("shows response times and error rates by service, now and over time", async () => {
    const { customer, secret } = await customerWithKey("timed");
    await score(secret, ["1", "1", "1", "7"]);
    await written(customer, 4, 0);
    const accountId = await accountOf(customer);
    const hour = new Date().toISOString().slice(0, 13);
    // Far more than the four calls, which the server writes too once a minute is over.
    await gateway.store.addLatency([{ accountId, service: "farkle", hour, latency: [0, 0, 0, 4000] }]);
    const { page, faults, close } = await open("/app/usage", customer);
    const section = page.getByRole("region", { name: "Response times and errors", exact: true });
    const table = section.getByRole("region", { name: "Response times in this period" });
    await expect.poll(() => table.getByRole("row").nth(1).textContent()).toMatch(/^Farkle4,00\d1\.5 ms2 ms2 ms25%$/);
    const legend = section.locator("figcaption");
    await expect.poll(() => legend.textContent()).toMatch(/Farkle 1\.5 ms$/);
    await section.getByRole("link", { name: "Error rate" }).click();
    await expect.poll(() => legend.textContent()).toMatch(/Farkle 25%$/);
    expect(new URL(page.url()).search).toBe("?measure=errors");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      section.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("quintet-error-rates-24h.csv");
    expect(faults).toEqual([]);
    await close();
    const overview = await open("/app", customer);
    const services = overview.page.getByRole("region", { name: "Your services" });
    await expect.poll(() => services.getByRole("row").nth(1).textContent()).toContain("2 ms");
    await overview.close();
  });

  test.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("has no problems %s", async (look) => {
    const { customer, secret } = await customerWithKey(look.replaceAll(" ", "."));
    await score(secret, [...Array.from({ length: 12 }, () => "1"), "7"]);
    await written(customer, 10, 3);
    const accountId = await accountOf(customer);
    const hours = [4, 3, 2, 1].map((ago) => new Date(Date.now() - ago * 3_600_000).toISOString().slice(0, 13));
    await gateway.store.addLatency(
      hours.map((hour, index) => ({ accountId, service: "farkle", hour, latency: [0, 0, 9, 40 - 8 * index, 5 * index] })),
    );
    const { page, faults, close } = await open("/app/usage", customer, look);
    await expect.poll(() => page.locator("figure canvas").count()).toBe(3);
    await page.getByRole("region", { name: "Refusals by reason, service and key", exact: true }).waitFor();
    for (const table of await page.getByText("View as table").all()) {
      await table.click();
    }
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(faults).toEqual([]);
    await takePicture(page, `usage-${look}`);
    await close();
  });
});
