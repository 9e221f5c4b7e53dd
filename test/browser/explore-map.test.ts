// The map of stations as people use it: wheel, buttons, keys, dragging and two fingers. The list shows what the map shows, and both are the
// same after a reload.
import type { JsonObject } from "@bufbuild/protobuf";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, sharedBrowser } from "./chromium.ts";
import { inputOf } from "./connect-calls.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { LOOKS, type OpenPage, openPage, pageFaults } from "./open-page.ts";

let scene: ExploreScene;
let browser: Browser;
beforeAll(async () => {
  scene = await startExploreScene({ subscriptions: ["radio"] });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await scene.close();
});

const open = async (path: string, look: keyof typeof LOOKS = "light"): Promise<OpenPage> => {
  const opened = await openPage(browser, scene.origin, path, LOOKS[look], scene.token);
  await opened.page.getByText("with a known location").waitFor();
  return opened;
};
/** The visible part of the map has loaded, with what zooming in adds to it. */
const untilRead = (page: Page): Promise<void> =>
  page.locator('[aria-label="Stations on this part of the map"][aria-busy="false"] li').first().waitFor();
const mapOf = (page: Page): Locator => page.getByRole("application");
const middleOf = async (page: Page): Promise<{ readonly x: number; readonly y: number }> => {
  const box = await mapOf(page).boundingBox();
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
};
/** What the address says about the view: degrees north and east, and the zoom. */
const viewOf = (page: Page): readonly number[] => (new URL(page.url()).searchParams.get("view") ?? "0,0,1").split(",").map(Number);
// Stations of the new part of the map have arrived.
const untilStill = (page: Page): Promise<void> => expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);

const untilView = async (page: Page, is: (view: readonly number[]) => boolean): Promise<readonly number[]> => {
  await page.waitForURL((url) => is((url.searchParams.get("view") ?? "0,0,1").split(",").map(Number)));
  return viewOf(page);
};
const zoomIs = (zoom: number) => (view: readonly number[]) => view[2] === zoom;

describe("the map", () => {
  test("is zoomed by its buttons and by keys, moved by the arrows, and 0 shows all of it", async () => {
    const { page, close } = await open("/explore/stations");
    await page.getByRole("button", { name: "Zoom in" }).click();
    await untilView(page, zoomIs(1.6));
    await mapOf(page).focus();
    await page.keyboard.press("+");
    await untilView(page, zoomIs(2.6));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowUp");
    const [north = 0, east = 0] = await untilView(page, ([lat, lon]) => lat !== 0 && lon !== 0);
    expect([north > 10, east > 10]).toEqual([true, true]);
    await page.keyboard.press("-");
    await untilView(page, zoomIs(1.6));
    await page.keyboard.press("0");
    await page.waitForURL((url) => !url.searchParams.has("view"));
    await close();
  });

  test("is zoomed where the pointer is by the wheel with Ctrl; without Ctrl the page scrolls, and a hint says how to zoom", async () => {
    const { page, close } = await open("/explore/stations");
    const middle = await middleOf(page);
    await page.mouse.move(middle.x - 200, middle.y - 40);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -1000);
    const [north = 0, east = 0, zoom = 0] = await untilView(page, ([, , near = 1]) => near > 2);
    expect([north > 0, east < -30, await page.evaluate(() => scrollY)]).toEqual([true, true, 0]);
    expect(zoom).toBeCloseTo(Math.exp(1.6), 1);
    await page.mouse.wheel(0, 5000);
    await page.waitForURL((url) => !url.searchParams.has("view"));
    await page.keyboard.up("Control");
    await page.mouse.wheel(0, 300);
    await page.getByText("Hold Ctrl").waitFor();
    await page.waitForFunction(() => scrollY > 0);
    expect(new URL(page.url()).searchParams.has("view")).toBe(false);
    await close();
  });

  test("is moved by dragging, which plays nothing; a click on a dot does", async () => {
    const { page, close } = await open("/explore/stations?view=48,14,4");
    const dot = page.locator('[data-stations="1"] circle').first();
    const box = await dot.boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    const seen = await page.evaluate(([left = 0, top = 0]) => document.elementFromPoint(left, top)?.tagName, [x, y]);
    expect(seen).toBe("circle");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 60, y, { steps: 4 });
    await page.mouse.up();
    // The address also follows when the pointer pauses on its way.
    await untilView(page, ([, lon = 0]) => lon > 20);
    expect(await page.getByText("Choose a station on the map or in the list.").count()).toBe(1);
    await untilStill(page);
    const now = await dot.boundingBox();
    await page.mouse.click((now?.x ?? 0) + (now?.width ?? 0) / 2, (now?.y ?? 0) + (now?.height ?? 0) / 2);
    await page.waitForURL((url) => url.searchParams.has("station"));
    await close();
  });

  test("has one dot with a number for stations that could not be told apart, and zooms in on them when it is clicked", async () => {
    const { page, close } = await open("/explore/stations");
    const many = page.locator('[data-stations]:not([data-stations="1"])').first();
    const [count, words] = await many.evaluate((dot) => [
      Number(dot.getAttribute("data-stations")),
      dot.querySelector("text")?.textContent,
    ]);
    expect(words).toBe(String(count));
    await many.click();
    await untilView(page, ([, , zoom = 1]) => zoom > 1.5);
    const list = page.getByRole("region", { name: "Stations on this part of the map" }).getByRole("listitem");
    await expect.poll(() => list.count()).toBeGreaterThanOrEqual(count);
    await close();
  });

  test("is zoomed by two fingers, and one finger scrolls the page until then", async () => {
    const { page, close } = await open("/explore/stations", "on a phone");
    await mapOf(page).scrollIntoViewIfNeeded();
    const { x, y } = await middleOf(page);
    const touch = (left: number, right: number) => [
      { x: x - left, y, id: 0 },
      { x: x + right, y, id: 1 },
    ];
    expect(await mapOf(page).evaluate((map) => getComputedStyle(map).touchAction)).toBe("pan-x pan-y");
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: touch(20, 20) });
    for (const apart of [30, 40, 50, 60]) {
      await devtools.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: touch(apart, apart) });
    }
    await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await untilView(page, ([, , near = 1]) => near > 2);
    expect(await mapOf(page).evaluate((map) => getComputedStyle(map).touchAction)).toBe("none");
    await untilStill(page);
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    await close();
  });

  test.each([
    { look: "light" as const, glides: true },
    { look: "dark" as const, glides: false },
  ])("glides to the next step unless the reader wants less motion: $glides", async ({ look, glides }) => {
    const { page, close } = await open("/explore/stations", look);
    const duration = await page
      .locator("[data-stations]")
      .first()
      .evaluate((dot) => getComputedStyle(dot).transitionDuration);
    expect(duration !== "0s").toBe(glides);
    await close();
  });
});

test("more stations appear the further the reader zooms in, and stay", async () => {
  const { page, close } = await open("/explore/stations");
  const known = async (): Promise<number> =>
    Number(/(\d+) (?:top-voted )?stations with a known location/.exec((await page.getByRole("main").textContent()) ?? "")?.[1]);
  // A few have coordinates that are not on Earth.
  expect(await known()).toBeLessThanOrEqual(100);
  const requested: JsonObject[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/SearchStations")) {
      requested.push(inputOf(request));
    }
  });
  await mapOf(page).focus();
  for (let step = 0; step < 3; step++) {
    await page.keyboard.press("+");
  }
  await untilView(page, zoomIs(4.1));
  // Nearly all that the sandbox has.
  await expect.poll(known).toBeGreaterThan(280);
  await untilRead(page);
  // Two more pages of all stations, and at most three countries.
  expect(requested.length).toBeLessThanOrEqual(5);
  expect(requested.some((input) => "countrycode" in input)).toBe(true);
  const most = await known();
  await page.keyboard.press("-");
  await untilView(page, zoomIs(2.6));
  expect(await known()).toBeGreaterThanOrEqual(most);
  expect(requested.length).toBeLessThanOrEqual(5);
  await close();
});

describe("the list next to the map", () => {
  test("has the stations that the map shows, after a reload too, until all are shown", async () => {
    const { page, close } = await open("/explore/stations?view=48,14,12");
    const names = page.getByRole("region", { name: "Stations on this part of the map" }).getByRole("listitem");
    await untilRead(page);
    const shown = await names.count();
    const dots = await page
      .locator("[data-stations]")
      .evaluateAll((all) => all.reduce((sum, dot) => sum + Number(dot.getAttribute("data-stations")), 0));
    expect(shown).toBeGreaterThan(0);
    // A longer list would only keep the browser busy.
    expect(shown).toBe(Math.min(100, dots));
    await page.reload();
    await untilRead(page);
    expect(await names.count()).toBe(shown);
    await page.getByRole("button", { name: "Show all stations" }).click();
    await page.getByRole("region", { name: "Stations found" }).getByRole("listitem").nth(19).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await close();
  });

  test("says what to do if the map shows none", async () => {
    const { page, close } = await open("/explore/stations?view=-40,-120,20");
    await page.getByRole("heading", { name: "No stations on this part of the map" }).waitFor();
    await close();
  });

  test("starts at the top on the next page, and Back goes back", async () => {
    const { page, close } = await open("/explore/stations");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Previous" }).waitFor();
    await page.waitForFunction(() => {
      const top = document.querySelector('[aria-label="Stations found"]')?.getBoundingClientRect().top ?? -1;
      return top >= 0 && top < innerHeight / 2;
    });
    await page.goBack();
    await page.getByRole("button", { name: "Previous" }).waitFor({ state: "detached" });
    await close();
  });
});

test("the chosen station is still chosen after a reload, and plays only when the reader asks for it", async () => {
  const { page, close } = await open("/explore/stations");
  const name = (await page.getByRole("listitem").first().locator("bdi").first().textContent()) ?? "";
  await page
    .getByRole("button", { name: /^Play / })
    .first()
    .click();
  const player = page.getByRole("region", { name: "Player" });
  await player.getByText(/Playing|Connecting/).waitFor();
  await page.reload();
  await player.getByText(name, { exact: true }).waitFor();
  await player.getByText("Stopped.").waitFor();
  await player.getByRole("button", { name: "Play" }).click();
  await player.getByText("Playing.").waitFor();
  await close();
});

test("zooms in on a country, and drops the previous view", async () => {
  const { page, close } = await open("/explore/stations?view=10,10,5");
  await page.getByLabel("Country").selectOption({ label: "Austria" });
  await page.waitForURL("**/explore/stations?country=AT");
  await page.getByText(/^The \d+ top-voted|^\d+ stations with a known location/).waitFor();
  // The map glides there.
  const spread = () =>
    page.locator("circle").evaluateAll((dots) => {
      const xs = dots.map((dot) => dot.getBoundingClientRect().x);
      return Math.max(...xs) - Math.min(...xs);
    });
  await expect.poll(spread).toBeGreaterThan(20);
  await close();
});
