import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { UsageDimension } from "../../gen/quintet/account/v1/usage_pb.js";
import { accountClient } from "../fixtures/account-clients.ts";
import { TIME_LIMITS } from "../time-limits.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { inputOf } from "./connect-calls.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { holdResponses } from "./late-responses.ts";
import { emptyPage, LOOKS, type OpenPage, openPage } from "./open-page.ts";

let scene: ExploreScene;
let browser: Browser;
let lastFour: string;
beforeAll(async () => {
  scene = await startExploreScene();
  browser = await sharedBrowser();
  const account = accountClient(scene.customer.transport);
  const { key, secret } = await account.createKey({ name: "a shop" });
  lastFour = key?.lastFour ?? "";
  for (const dice of ["1", "1,5", "7"]) {
    await fetch(`${scene.origin}/farkle/v1/score?dice=${dice}`, { headers: { "x-gateway-key": secret } });
  }
  const written = async () => (await account.getUsage({ groupBy: [UsageDimension.SERVICE] })).results[0]?.calls;
  await vi.waitFor(async () => expect(await written()).toBe(3n), { timeout: TIME_LIMITS.expect.poll.timeout, interval: 1500 });
});
afterAll(async () => {
  await closePages(browser);
  await scene.close();
});

const open = (path: string): Promise<OpenPage> => openPage(browser, scene.origin, path, LOOKS.light, scene.token);
const prepare = (): Promise<OpenPage> => emptyPage(browser, scene.origin, LOOKS.light, scene.token);

type Input = Readonly<Record<string, unknown>>;
const isOfTables = ({ groupBy }: Input): boolean => JSON.stringify(groupBy ?? []).includes("METHOD");
const isOfToday = (input: Input): boolean => isOfTables(input) && input.fromDay === input.toDay;

describe("the table of calls", () => {
  test("waits for today's, and requests the month's after them", async () => {
    const { page, close } = await prepare();
    const late = await holdResponses(page, "GetUsage", isOfToday);
    const requested: Input[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/GetUsage") && isOfTables(inputOf(request))) {
        requested.push(inputOf(request));
      }
    });
    await page.goto("/app/usage");
    await late.requested;
    const table = page.getByRole("region", { name: "Calls by service, key, method and outcome", exact: true });
    expect([requested.map(isOfToday), await table.count()]).toEqual([[true], 0]);
    late.release();
    await expect
      .poll(() => table.getByRole("row").allTextContents())
      .toEqual([
        "ServiceKeyMethodOutcomeTodayThis month",
        `Farklea shop …${lastFour}ScoreOK22`,
        `Farklea shop …${lastFour}ScoreINVALID_ARGUMENT11`,
      ]);
    await close();
  });

  test("says so if today's cannot be read", async () => {
    const { page, close } = await prepare();
    let isAway = true;
    await page.route("**/GetUsage", (route) =>
      isAway && isOfToday(inputOf(route.request())) ? route.fulfill({ status: 502 }) : route.continue(),
    );
    await page.goto("/app/usage");
    await page.getByText("The server cannot be reached.").waitFor();
    const table = page.getByRole("region", { name: "Calls by service, key, method and outcome", exact: true });
    expect(await table.count()).toBe(0);
    isAway = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await table.waitFor();
    await close();
  });

  test("does not name a key before the keys are known", async () => {
    const { page, close } = await prepare();
    const late = await holdResponses(page, "ListKeys");
    await Promise.all([page.waitForResponse("**/GetUsage"), page.goto("/app/usage")]);
    await late.requested;
    expect(await page.getByLabel("Key").count()).toBe(0);
    late.release();
    await page
      .getByRole("cell", { name: `a shop …${lastFour}` })
      .first()
      .waitFor();
    await close();
  });
});

test("the command of a new key waits until it is known which service it may call", async () => {
  const { page, close } = await prepare();
  const late = await holdResponses(page, "ListSubscriptions");
  await page.goto("/app/keys?do=make");
  await page.getByRole("textbox", { name: "Name" }).fill("another");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await late.requested;
  await page.getByText("Save it now").waitFor();
  expect(await page.getByText("Try Farkle", { exact: true }).count()).toBe(0);
  late.release();
  await page.getByText("Try Farkle", { exact: true }).waitFor();
  await close();
});

test("the console does not show the previous call's response", async () => {
  const { page, close } = await open("/app/console/farkle/score#connect-proto");
  const send = page.getByRole("button", { name: "Send", exact: true });
  const ended = page.getByText("Failed", { exact: true });
  await send.click();
  await ended.waitFor();
  const late = await holdResponses(page, "Score");
  await send.click();
  await late.requested;
  expect(await ended.count()).toBe(0);
  await page.getByText("In progress", { exact: true }).waitFor();
  late.release();
  await ended.waitFor();
  await close();
});

test("zooms in on a country once its places are known, and the map rests until then", async () => {
  const { page, close } = await open("/explore/stations");
  const worldAt = () => page.getByRole("application").locator("g").first().getAttribute("style");
  await page.getByText("with a known location").waitFor();
  const before = await worldAt();
  const late = await holdResponses(page, "SearchStations", ({ hasGeo }) => hasGeo === true);
  await page.getByLabel("Country").selectOption({ label: "Austria" });
  await late.requested;
  await page.getByText("Locating stations…").waitFor();
  expect([await worldAt(), await page.getByText("with a known location").count()]).toEqual([before, 0]);
  late.release();
  await page.getByText("with a known location").waitFor();
  expect(await worldAt()).not.toBe(before);
  await close();
});

test("says only for the current filters that no station was found", async () => {
  const { page, close } = await open("/explore/stations?query=zzzz");
  const none = page.getByText("No stations found");
  await none.waitFor();
  const late = await holdResponses(page, "SearchStations");
  await page.getByRole("searchbox", { name: "Name, genre or place" }).fill("");
  await late.requested;
  expect(await none.count()).toBe(0);
  late.release();
  await page.getByRole("listitem").nth(19).waitFor();
  await close();
});

test("says only for the current search that no token was found", async () => {
  const { page, close } = await open("/explore/tokens?q=zzzz");
  const none = page.getByText("No tokens found");
  await none.waitFor();
  const late = await holdResponses(page, "SearchTokens");
  await page.getByRole("searchbox").fill("usdc");
  await late.requested;
  expect(await none.count()).toBe(0);
  late.release();
  await page.getByText("USDC").first().waitFor();
  await close();
});

test.each([
  { path: "/explore/tokens?q=weth", method: "GetPriceCharts", choice: "1 year", plot: "Price over 1 year" },
  { path: "/explore/bitcoin", method: "GetHistory", choice: "8 years", plot: "Mayer Multiple over 2920 days" },
])("$path plots nothing of the previous span", async ({ path, method, choice, plot }) => {
  const { page, close } = await open(path);
  await page.getByText("View as table").waitFor();
  const late = await holdResponses(page, method);
  await page.getByRole("button", { name: choice }).click();
  await late.requested;
  expect([await page.locator("figure").count(), await page.getByText("in 1 month").count()]).toEqual([0, 0]);
  late.release();
  await page.getByRole("slider", { name: plot }).waitFor();
  await close();
});

test("dice show no points before they are scored", async () => {
  const { page, close } = await open("/explore/farkle?dice=1,1");
  const points = page.getByText(/points$/);
  await points.waitFor();
  const late = await holdResponses(page, "Score");
  await page.getByRole("button", { name: "Add a 1" }).click();
  await late.requested;
  expect(await points.count()).toBe(0);
  late.release();
  await page.getByText("1,000").first().waitFor();
  await close();
});

test("a plot of usage shows nothing of the previous span", async () => {
  const { page, close } = await open("/app/usage");
  const plots = page.getByRole("region", { name: "Calls over time" });
  await plots.getByText("The busiest hour was").first().waitFor();
  const late = await holdResponses(page, "GetUsage");
  await page.getByRole("link", { name: "12 months" }).click();
  await late.requested;
  expect(await plots.getByText(/busiest|No calls in this period/).count()).toBe(0);
  late.release();
  await plots.getByText("The busiest month was").first().waitFor();
  await close();
});
