import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { TIME_LIMITS } from "../time-limits.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, signUp } from "./customer.ts";
import { LOOKS, layoutShift, type OpenPage, openPage, pageFaults, takePicture } from "./open-page.ts";

const FREE = { name: "free", callsPerMonth: 10, requestsPerSecond: 100 };
const PRO = { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 500, priceMinor: 1290 };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
// A tenth of the limit for a good score.
const SHIFT_MAX = 0.01;

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock, plans: { farkle: [FREE, PRO], bitcoin: [FREE, PRO] } });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

const account = ({ transport }: Customer) => accountClient(transport);

/** A customer of Farkle who has made this many calls, the last of them with an error. */
async function customerWith({ name, calls, failed = 0 }: { name: string; calls: number; failed?: number }): Promise<Customer> {
  const customer = await signUp(gateway, name);
  await account(customer).setSubscription({ service: "farkle", plan: "free" });
  const { secret } = await account(customer).createKey({ name: "a shop" });
  for (let created = 0; created < calls; created += 1) {
    const dice = created < calls - failed ? "1,5" : "7";
    await fetch(`${gateway.origin}/farkle/v1/score?dice=${dice}`, { headers: { "x-gateway-key": secret } });
  }
  // The servers record calls once a second.
  const known = async (): Promise<number> => {
    const { standings } = await account(customer).getUsage({ limit: 1 });
    return Number(standings[0]?.counted ?? 0) + Number(standings[0]?.refusedForQuota ?? 0);
  };
  // Not expect.poll, which works only in tests.
  await vi.waitUntil(async () => (await known()) === calls, { interval: 1500, timeout: TIME_LIMITS.expect.poll.timeout });
  return customer;
}

const open = (customer: Customer, way: Parameters<typeof openPage>[3] = LOOKS.light): Promise<OpenPage> =>
  openPage(browser, gateway.origin, "/app", way, customer.token);

const tile = (page: Page, name: string) =>
  page
    .locator("dl > div")
    .filter({ hasText: name })
    .locator("dd")
    .evaluateAll((all) => all.map(({ textContent }) => textContent));
const farkle = (page: Page) => page.getByRole("row").filter({ hasText: "Farkle" });
const alerts = (page: Page) => page.getByRole("list", { name: "Alerts" }).getByRole("listitem");

test("before the first call the page says what to do and shows a call to try; after it, it does neither", async () => {
  const customer = await signUp(gateway, "new");
  const first = await open(customer);
  await first.page.getByRole("heading", { name: "Make a call" }).waitFor();
  expect(await first.page.getByRole("link", { name: "Choose a plan" }).getAttribute("href")).toBe("/app/subscriptions");
  expect([await first.page.getByText("Last 24 hours").count(), first.faults]).toEqual([0, []]);
  await first.close();

  const { page, faults, close } = await open(await customerWith({ name: "one", calls: 1 }));
  await page.getByRole("heading", { name: "Last 24 hours" }).waitFor();
  expect([await page.getByText("Make a call").count(), await page.getByText("Choose a plan").count()]).toEqual([0, 0]);
  expect([await tile(page, "Calls today"), await tile(page, "Failed, 24 hours")]).toEqual([
    ["1", "Yesterday 0"],
    ["0", "0% of 1"],
  ]);
  expect([await alerts(page).count(), faults]).toEqual([0, []]);
  await close();
});

test("failures, refusals and the bar of a used-up month are shown in red, with the plan that would have helped", async () => {
  const customer = await customerWith({ name: "full", calls: 15, failed: 7 });
  const { page, faults, close } = await open(customer);
  const row = farkle(page);
  await row.getByText("Used up").waitFor();
  expect([await tile(page, "Calls today"), await tile(page, "Failed, 24 hours"), await tile(page, "Refused, 24 hours")]).toEqual([
    ["10", "Yesterday 0"],
    ["2", "20% of 10: 2 yours, 0 ours"],
    ["5", "By reason"],
  ]);
  const bar = row.getByRole("progressbar");
  expect([await bar.getAttribute("value"), await bar.evaluate(({ className }) => className.includes("full"))]).toEqual(["1", true]);
  const [alert] = await alerts(page).all();
  expect(await alert?.getByRole("heading").textContent()).toBe("Farkle: this month's calls are used up");
  expect(await alert?.getByRole("paragraph").textContent()).toMatch(
    /^Calls are refused until .* 1 \(UTC\)\. Pro \(€12\.90 a month\) would have admitted all of this month's 5 refused calls\.$/,
  );
  await alert?.getByRole("link", { name: "Request Pro" }).click();
  await page.getByRole("dialog", { name: "Farkle: choose a plan" }).getByRole("button", { name: "Request Pro" }).click();
  await page.getByText("It is waiting for activation.").waitFor();
  await page.goto("/app");
  await alerts(page).getByText("Waiting for activation: Pro.").waitFor();
  expect(await alerts(page).getByRole("link").allTextContents()).toEqual(["View plans"]);
  expect(faults).toEqual([]);
  await close();
});

test("a month that is nearly used is red, and says what is left and what a larger plan costs, without a forecast from minutes", async () => {
  const { page, faults, close } = await open(await customerWith({ name: "nearly", calls: 9 }));
  await alerts(page).getByText("Farkle: 90% of this month's calls are used").waitFor();
  expect(await alerts(page).getByRole("paragraph").textContent()).toMatch(
    /^1 left until .* 1 \(UTC\)\. Pro \(€12\.90 a month\) includes 100,000 calls\.$/,
  );
  const bar = farkle(page).getByRole("progressbar");
  expect(await bar.evaluate(({ className }) => className.includes("full"))).toBe(true);
  expect(faults).toEqual([]);
  await close();
});

test("the chart shows each hour's calls at the pointer and by the arrow keys, and otherwise the sums of the day", async () => {
  const { page, faults, close } = await open(await customerWith({ name: "pointer", calls: 6, failed: 2 }));
  const chart = page.getByRole("slider");
  await chart.waitFor();
  const legend = (): Promise<string | null> => page.locator("figcaption").textContent();
  expect(await legend()).toBe("24 hours OK 4 Failed 2 Refused 0");
  const box = await chart.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 20);
  await expect.poll(legend).toMatch(/^\d+\s[AP]M OK 0 Failed 0 Refused 0$/);
  await page.mouse.move(0, 0);
  await expect.poll(legend).toBe("24 hours OK 4 Failed 2 Refused 0");
  await chart.focus();
  await page.keyboard.press("End");
  const last = await legend();
  await page.keyboard.press("ArrowLeft");
  expect(await legend()).not.toBe(last);
  expect(await chart.getAttribute("aria-valuetext")).toMatch(/^\d+\s[AP]M, OK \d, Failed \d, Refused 0$/);
  await page.keyboard.press("Escape");
  await expect.poll(legend).toBe("24 hours OK 4 Failed 2 Refused 0");
  expect(faults).toEqual([]);
  await close();
});

test("the last calls are listed, new ones appear while the page is open, and without an active key the page says so", async () => {
  const customer = await customerWith({ name: "watcher", calls: 1 });
  const { page, faults, close } = await open(customer);
  const list = page.getByRole("region", { name: "Recent calls" }).getByRole("listitem");
  const former = expect.stringMatching(/farkle\/ScoreRESTOK[\d.]+ m?s$/);
  await expect.poll(() => list.allTextContents()).toEqual([former]);
  // This may be before the stream has started, or after.
  const { key, secret } = await account(customer).createKey({ name: "now" });
  await fetch(`${gateway.origin}/farkle/v1/score?dice=7`, { headers: { "x-gateway-key": secret } });
  await expect
    .poll(() => list.allTextContents())
    .toEqual([expect.stringMatching(/farkle\/ScoreRESTINVALID_ARGUMENT[\d.]+ m?s$/), former]);
  for (const { id } of (await account(customer).listKeys({})).results) {
    await account(customer).revokeKey({ keyId: id });
  }
  expect(key).toBeDefined();
  await page.reload();
  await page.getByText("You have no active key, so calls are refused.").waitFor();
  expect(faults).toEqual([]);
  await close();
});

describe("in each state nothing moves, and axe finds nothing", () => {
  const STATES = [
    { state: "no calls", calls: 0, failed: 0, ready: "Make a call" },
    { state: "some calls", calls: 4, failed: 1, ready: "Recent calls" },
    { state: "nearly used", calls: 9, failed: 0, ready: "Recent calls" },
    { state: "used up", calls: 12, failed: 0, ready: "Recent calls" },
  ] as const;
  const customers = new Map<string, Customer>();
  beforeAll(async () => {
    for (const { state, calls, failed } of STATES) {
      customers.set(state, await customerWith({ name: state.replaceAll(" ", "."), calls, failed }));
    }
  });

  test.each(
    [...Object.entries(LOOKS), ["on a phone of 390 px", PHONE] as const].flatMap(([look, way]) =>
      STATES.map(({ state, ready }) => ({ look, way, state, ready })),
    ),
  )("$state, $look", async ({ look, way, state, ready }) => {
    const { page, faults, close } = await open(customers.get(state) as Customer, way);
    await page.getByRole("heading", { name: ready }).waitFor();
    expect(await layoutShift(page)).toBeLessThan(SHIFT_MAX);
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(faults).toEqual([]);
    await takePicture(page, `overview-${look}-${state}`);
    await close();
  });
});
