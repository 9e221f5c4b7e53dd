// What Explore shows when something goes wrong: the problem, and what to do about it.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { emptyPage, LOOKS, openPage, pageFaults } from "./open-page.ts";

let scene: ExploreScene;
let browser: Browser;
let token: string;
beforeAll(async () => {
  scene = await startExploreScene({
    limits: { farkle: { callsPerMonth: 2 }, bitcoin: { requestsPerSecond: 1 } },
  });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await scene.close();
});

// Each test, and each further attempt, has its own, whose month has just started.
beforeEach(async () => {
  ({ token } = await scene.createCustomer());
});
afterEach(() => misbehave(/^radio-/, "none"));

const open = (path: string) => openPage(browser, scene.origin, path, LOOKS["on a phone"], token);
const problem = (page: Page) => page.getByRole("alert");
const misbehave = (pattern: RegExp, kind: "failing" | "none"): void => {
  for (const standIn of scene.sandbox.standIns.filter(({ name }) => pattern.test(name))) {
    standIn.misbehaviour = { kind };
  }
};

test("an upstream that fails is named, and queried again when the reader asks for it", async () => {
  misbehave(/^radio-/, "failing");
  const { page, close } = await open("/explore/stations");
  await problem(page).getByText("The radio directory gave no usable response; the call was not counted.").waitFor();
  expect(await problem(page).count()).toBe(1);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  misbehave(/^radio-/, "none");
  // A mirror that has failed is left alone for some seconds.
  await expect
    .poll(
      async () => {
        await page
          .getByRole("button", { name: "Try again" })
          .click({ timeout: 1000 })
          .catch(() => undefined);
        return [await page.getByRole("listitem").count(), await problem(page).count()];
      },
      { interval: 1000 },
    )
    .toEqual([20, 0]);
  await close();
});

test("the page says that a server is down, and is complete once it is back", async () => {
  const { page, close } = await open("/explore/farkle?dice=1,1");
  await page.getByText("200").first().waitFor();
  await page.route("**/Score", (route) => route.abort("internetdisconnected"));
  await page.getByRole("button", { name: "Add a 1" }).click();
  await problem(page).getByText("The server cannot be reached. Check your connection and try again.").waitFor();
  await page.unroute("**/Score");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("1,000").first().waitFor();
  expect(await problem(page).count()).toBe(0);
  await close();
});

test("when a month is used up, the page says when calls are possible again, and how to get more", async () => {
  // In a time zone in which it is still the day before when a month begins in UTC.
  const way = { ...LOOKS["on a phone"], timezoneId: "America/Los_Angeles" };
  const { page, close } = await openPage(browser, scene.origin, "/explore/farkle?dice=5,5", way, token);
  await page.getByText("100").first().waitFor();
  for (const face of [2, 3]) {
    await Promise.all([page.waitForResponse("**/Score"), page.getByRole("button", { name: `Add a ${face}` }).click()]);
  }
  const now = new Date();
  const next = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" }).format(
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
  );
  await problem(page)
    .getByText(
      `You have used all of your plan's calls for this month. The count resets on ${next}. A larger plan gives you more calls as soon as it is active.`,
    )
    .waitFor();
  expect(await page.getByRole("link", { name: "Choose a plan" }).getAttribute("href")).toBe("/app/subscriptions");
  // Another attempt would be refused too.
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await close();
});

test("the page waits when a second is used up, and says nothing about it", async () => {
  const { page, close } = await open("/explore/bitcoin");
  const refused: number[] = [];
  page.on("response", (response) => {
    if (response.status() === 429) {
      refused.push(response.status());
    }
  });
  await page.getByText("View as table").waitFor();
  await page.reload();
  await page.getByText("View as table").waitFor();
  await page.getByText("Overall reading").waitFor();
  expect([refused.length > 0, await problem(page).count()]).toEqual([true, 0]);
  await close();
});

test.each([
  ["/explore/bitcoin", "Bitcoin valuation"],
  ["/explore/tokens?token=ethereum:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "Token lists"],
  ["/explore/stations", "Radio stations"],
  ["/explore/farkle", "Farkle"],
])("%s says once, and not as an error, that a subscription to %s is needed first, and links to the plans", async (path, title) => {
  const other = await startExploreScene({ subscriptions: [] });
  const { page, close } = await openPage(browser, other.origin, path, LOOKS["on a phone"], other.token);
  await page.getByRole("heading", { name: `Subscribe to ${title} to see live data` }).waitFor();
  await page.getByRole("link", { name: "Choose a plan" }).waitFor();
  const text = (await page.locator("#explore").textContent()) ?? "";
  expect([await problem(page).count(), text.match(/POST|GET|\/v1\//g)]).toEqual([0, null]);
  expect(await page.getByRole("link", { name: "Choose a plan" }).getAttribute("href")).toBe("/app/subscriptions");
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await close();
  await other.close();
});

describe("an address with an error in it", () => {
  test.each([
    ["/explore/tokens?token=ethereum:0x0000000000000000000000000000000000000001", "No list includes this token"],
    ["/explore/tokens?token=nowhere:0x12", "No list includes this token"],
  ])("%s leads on", async (path, title) => {
    const { page, close } = await open(path);
    await page.getByRole("heading", { name: title }).waitFor();
    expect(await problem(page).count()).toBe(0);
    await page.getByRole("button", { name: "Show the first match" }).click();
    await page
      .getByRole("region", { name: "Token" })
      .getByText(/^On (one list|\d+ lists):/)
      .waitFor();
    await close();
  });

  test("the player says if a station is gone, and others can be chosen", async () => {
    const { page, close } = await open("/explore/stations?station=5a000000-0000-4000-8000-000000000001");
    await page.getByText(/Choose another station on the map or in the list/).waitFor();
    await page.getByRole("listitem").first().waitFor();
    await close();
  });
});

test("a station whose server takes long says so, and can be stopped", async () => {
  const { page, close } = await emptyPage(browser, scene.origin, LOOKS.light, token);
  await page.clock.install();
  // It accepts the connection and never responds.
  await page.route("**/live/**", () => undefined);
  await page.goto("/explore/stations");
  await page
    .getByRole("button", { name: /^Play / })
    .first()
    .click();
  const player = page.getByRole("region", { name: "Player" });
  await player.getByText("Connecting…").waitFor();
  await page.clock.fastForward(9000);
  await player.getByText("the station's server is slow. Wait, or try another station.").waitFor();
  await player.getByRole("button", { name: "Stop", exact: true }).click();
  await player.getByText("Stopped.").waitFor();
  await close();
});
