// The pages of Explore as people see them, over the sandbox's stand-ins: a stream plays, pictures from other hosts are loaded only
// there, and the user's choices survive a reload and Back.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { closePages, sharedBrowser } from "./chromium.ts";
import { inputOf } from "./connect-calls.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { emptyPage, LOOKS, layoutShift, type OpenPage, openPage, pageFaults } from "./open-page.ts";

// What is on a page once it has loaded everything that it shows.
const PAGES = [
  { path: "/explore/stations", ready: "with a known location" },
  { path: "/explore/tokens?q=usdc", ready: "USDC on optimism" },
  { path: "/explore/bitcoin", ready: "View as table" },
  { path: "/explore/farkle", ready: "1,050" },
];

// A few stations have a picture on a host that does not exist.
const GONE = /\.example\/|ERR_NAME_NOT_RESOLVED|\.wav|\/live\//;
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';

let scene: ExploreScene;
let browser: Browser;
let otherHost: Server;
const heard: (string | undefined)[] = [];
beforeAll(async () => {
  scene = await startExploreScene();
  browser = await sharedBrowser();
  otherHost = createServer(({ headers }, response) => {
    heard.push(headers.referer, headers.cookie);
    response.writeHead(200, { "content-type": "image/svg+xml" }).end(PICTURE);
  });
  await new Promise<void>((resolve) => otherHost.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await closePages(browser);
  otherHost.close();
  await scene.close();
});

const open = (path: string, look: keyof typeof LOOKS = "light"): Promise<OpenPage> =>
  openPage(browser, scene.origin, path, LOOKS[look], scene.token);

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test.each(PAGES)("$path has no problems", async ({ path, ready }) => {
    const { page, faults, close } = await open(path, look);
    await page.getByText(ready).first().waitFor();
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(faults.filter((fault) => !GONE.test(fault))).toEqual([]);
    // What is under 0.1 counts as good: https://web.dev/articles/cls
    expect(await layoutShift(page)).toBeLessThan(0.1);
    await close();
  });
});

test.each(PAGES)("$path tells visitors what it would show, and how to get there", async ({ path }) => {
  const { page, faults, close } = await openPage(browser, scene.origin, path, LOOKS["on a phone"]);
  await page.getByRole("heading", { name: "Sign in to see live data" }).waitFor();
  expect(await page.getByRole("main").getByRole("link", { name: "Sign in", exact: true }).getAttribute("href")).toBe(
    `/app/sign-in?next=${encodeURIComponent(path)}`,
  );
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  expect(faults).toEqual([]);
  await close();
});

const seconds = (page: Page): Promise<number> => page.evaluate(() => document.querySelector("audio")?.currentTime ?? 0);

test("a station of the sandbox plays until it is stopped, and the page says if one is gone", async () => {
  const { page, close } = await open("/explore/stations");
  await page
    .getByRole("button", { name: /^Play / })
    .first()
    .click();
  await page.getByText("Playing.").waitFor();
  const started = await seconds(page);
  await page.waitForFunction((from) => (document.querySelector("audio")?.currentTime ?? 0) > from, started + 0.3);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Stopped.").waitFor();
  // The button in the list also stops the station, and plays it again.
  await page
    .getByRole("button", { name: /^Play / })
    .first()
    .click();
  await page.getByText("Playing.").waitFor();
  await page.getByRole("button", { name: /^Stop / }).click();
  await page.getByText("Stopped.").waitFor();
  expect(await page.getByRole("button", { name: /^Stop / }).count()).toBe(0);
  const streams = scene.sandbox.standIns.find(({ name }) => name === "streams");
  expect(streams).toBeDefined();
  if (streams !== undefined) {
    onTestFinished(() => {
      streams.misbehaviour = { kind: "none" };
    });
    streams.misbehaviour = { kind: "dead" };
    await page
      .getByRole("button", { name: /^Play / })
      .nth(1)
      .click();
    await page.getByText("could not be played").waitFor();
  }
  await close();
});

test("a play is reported to the directory once, when it begins, and continues if that fails", async () => {
  const { page, close } = await open("/explore/stations");
  const reported: string[] = [];
  let isFailing = false;
  await page.route("**/quintet.radio.v1.RadioService/ReportPlay", async (route) => {
    reported.push(String(inputOf(route.request()).uuid));
    await (isFailing ? route.abort() : route.continue());
  });
  const play = page.getByRole("button", { name: /^Play / }).first();
  const [answer] = await Promise.all([page.waitForResponse((response) => response.url().endsWith("/ReportPlay")), play.click()]);
  await page.getByText("Playing.").waitFor();
  expect(answer.status()).toBe(200);
  // The sound may stop and start again: that is the same play.
  await page.evaluate(() => {
    const audio = document.querySelector("audio");
    audio?.dispatchEvent(new Event("waiting"));
    audio?.dispatchEvent(new Event("playing"));
  });
  await page.getByText("Playing.").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Stopped.").waitFor();
  expect(reported).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  isFailing = true;
  await Promise.all([
    page.waitForEvent("requestfailed", (request) => request.url().endsWith("/ReportPlay")),
    page.getByRole("button", { name: "Play", exact: true }).click(),
  ]);
  const started = await seconds(page);
  await page.waitForFunction((from) => (document.querySelector("audio")?.currentTime ?? 0) > from, started + 0.3);
  await page.getByText("Playing.").waitFor();
  expect(reported).toEqual([reported[0], reported[0]]);
  await close();
});

// Resolves to whether the page could load it.
const loadsPicture = (page: Page, src: string): Promise<boolean> =>
  page.evaluate(
    (address) =>
      new Promise<boolean>((resolve) => {
        const picture = new Image();
        picture.onload = () => resolve(true);
        picture.onerror = () => resolve(false);
        picture.src = address;
      }),
    src,
  );

test("a picture from another host is shown in Explore, which tells the host nothing about the reader, and is blocked elsewhere", async () => {
  const src = `http://localhost:${(otherHost.address() as AddressInfo).port}/a.svg`;
  const seen: boolean[] = [];
  for (const path of ["/explore/farkle", "/docs", "/app/sign-in"]) {
    const { page, close } = await open(path);
    seen.push(await loadsPicture(page, `${src}?${path}`));
    await close();
  }
  expect({ seen, heard }).toEqual({ seen: [true, false, false], heard: [undefined, undefined] });
});

test("filters are in the address, survive a reload, and Back undoes them", async () => {
  const { page, close } = await open("/explore/stations");
  await page.getByLabel("Country").selectOption({ label: "Austria" });
  await page.waitForURL("**/explore/stations?country=AT");
  await page.getByText("Austria").nth(1).waitFor();
  await page.reload();
  await page.getByRole("option", { name: "Austria" }).waitFor({ state: "attached" });
  expect(await page.getByLabel("Country").inputValue()).toBe("AT");
  await page.goBack();
  expect(new URL(page.url()).search).toBe("");
  await close();
});

test("the axis of a plot has room for its labels, however the reader's language writes money", async () => {
  const way = { ...LOOKS["on a phone"], locale: "de-DE" };
  const { page, close } = await emptyPage(browser, scene.origin, way, scene.token);
  await page.addInitScript(() => {
    const beginnings: number[] = [];
    Object.assign(globalThis, { beginnings });
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      beginnings.push(this.textAlign === "right" ? x - this.measureText(text).width : x);
      write.call(this, text, x, y);
    };
  });
  await page.goto("/explore/bitcoin?indicator=s2f");
  await page.getByText("View as table").waitFor();
  await page.waitForFunction(() => (globalThis as unknown as { beginnings: number[] }).beginnings.length > 4);
  const cut = await page.evaluate(() => (globalThis as unknown as { beginnings: number[] }).beginnings.filter((x) => x < 0));
  expect(cut).toEqual([]);
  await close();
});

test("dice are scored as they are chosen", async () => {
  const { page, close } = await open("/explore/farkle?dice=1,1");
  await page.getByText("200").first().waitFor();
  await page.getByRole("button", { name: "Add a 1" }).click();
  await page.getByText("1,000").first().waitFor();
  expect(new URL(page.url()).searchParams.get("dice")).toBe("1,1,1");
  await page.goBack();
  await page.getByText("200").first().waitFor();
  await close();
});
