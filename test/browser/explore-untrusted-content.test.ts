// What strangers write into the directory and the lists: addresses of pictures and pages, and names. None of it is loaded without the
// user's consent, leads to a different place than it shows, or changes the direction of the text around it.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePages, sharedBrowser } from "./chromium.ts";
import { changeOutput } from "./connect-calls.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { emptyPage, LOOKS, pageFaults } from "./open-page.ts";

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
const NAME = "Radio \u202egnp.exe\u0007";

let scene: ExploreScene;
let browser: Browser;
let otherHost: Server;
let requested: string[] = [];
beforeAll(async () => {
  scene = await startExploreScene();
  browser = await sharedBrowser();
  otherHost = createServer((request, response) => {
    requested.push(`${request.url} ${request.headers.referer}`);
    response.writeHead(200, { "content-type": "image/svg+xml" }).end(PICTURE);
  });
  await new Promise<void>((resolve) => otherHost.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await closePages(browser);
  otherHost.close();
  await scene.close();
});

// The page with rows that a stranger might have written.
async function open(path: string, method: string, strange: JsonObject) {
  requested = [];
  const opened = await emptyPage(browser, scene.origin, LOOKS.light, scene.token);
  await opened.page.route(`**/${method}`, async (route) => {
    await changeOutput(route, ({ results, ...rest }) => ({
      ...rest,
      results: (results as JsonObject[]).map((row) => ({ ...row, ...strange })),
    }));
  });
  await opened.page.goto(path);
  return opened;
}

const picture = (): string => `http://localhost:${(otherHost.address() as AddressInfo).port}/a.svg`;
const choice = (page: Page) => page.getByRole("checkbox", { name: "Show pictures" });

test.each([
  { path: "/explore/stations", method: "SearchStations", strange: () => ({ favicon: picture() }) },
  { path: "/explore/tokens?q=usdc", method: "SearchTokens", strange: () => ({ logo: picture() }) },
])(
  "$path loads no pictures from other hosts before the reader agrees, and remembers their choice",
  async ({ path, method, strange }) => {
    const { page, close } = await open(path, method, strange());
    await page.getByRole("listitem").nth(2).waitFor();
    expect([await choice(page).isChecked(), await page.locator("#explore img").count(), requested]).toEqual([false, 0, []]);
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    await choice(page).check();
    await expect.poll(() => requested.length).toBeGreaterThan(0);
    expect([...new Set(requested)]).toEqual(["/a.svg undefined"]);
    await page.reload();
    await page.locator("#explore img").first().waitFor();
    await choice(page).uncheck();
    await expect.poll(() => page.locator("#explore img").count()).toBe(0);
    await close();
  },
);

test.each([
  { homepage: "https://known.example/", shown: "Homepage (known.example)" },
  { homepage: "https://known.example@other.example/", shown: undefined },
  { homepage: "https://user:secret@other.example/", shown: undefined },
  { homepage: "javascript:alert(1)", shown: undefined },
  { homepage: "//other.example", shown: undefined },
  { homepage: "https://kn\u043ewn.example/", shown: `Homepage (${new URL("https://kn\u043ewn.example").host})` },
])("a station's page $homepage is shown as $shown", async ({ homepage, shown }) => {
  const { page, close } = await open("/explore/stations", "SearchStations", { homepage });
  await page
    .getByRole("button", { name: /^Play / })
    .first()
    .click();
  const player = page.getByRole("region", { name: "Player" });
  await player
    .getByRole("button", { name: "Stop", exact: true })
    .or(player.getByRole("button", { name: "Play" }))
    .first()
    .waitFor();
  expect(await player.getByRole("link", { name: "Homepage" }).allTextContents()).toEqual(shown === undefined ? [] : [shown]);
  await close();
});

test.each([
  { path: "/explore/stations", method: "SearchStations", strange: { name: NAME } },
  { path: "/explore/tokens?q=usdc", method: "SearchTokens", strange: { name: NAME, symbol: NAME } },
])("a name on $path is isolated, and its invisible characters are shown", async ({ path, method, strange }) => {
  const { page, close } = await open(path, method, strange);
  await page.getByRole("listitem").nth(2).waitFor();
  const text = (await page.locator("body").innerHTML()) ?? "";
  expect(text.match(/[\u202a-\u202e\u2066-\u2069]|\p{Cc}(?<!\n)/gu)).toBe(null);
  expect(await page.locator("#explore bdi").filter({ hasText: "Radio \ufffdgnp.exe\ufffd" }).count()).toBeGreaterThan(2);
  await close();
});
