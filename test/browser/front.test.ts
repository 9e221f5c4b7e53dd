// The front page's calls, which a visitor makes from the page with the operator's public key, in each protocol that browsers can send.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type ExploreScene, startExploreScene } from "./explore-scene.ts";
import { LOOKS, layoutShift, openPage, pageFaults, takePicture } from "./open-page.ts";

const SERVICES = ["Farkle", "Token prices", "Radio stations"];
const PROTOCOLS = ["REST", "Connect", "gRPC-Web"];
const RUN = "Run it now";

let scene: ExploreScene;
let browser: Browser;
beforeAll(async () => {
  scene = await startExploreScene({ publicCalls: 10_000 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await scene.close();
});

const choose = (page: Page, name: string) => page.locator("label:visible", { hasText: new RegExp(`^${name}$`) }).click();
const button = (page: Page) => page.getByRole("button", { name: RUN });
const shownResponse = (page: Page) => page.locator("pre:visible").nth(1);
const hexOf = (bytes: Buffer): string =>
  bytes
    .subarray(0, 12)
    .toString("hex")
    .replaceAll(/..(?=.)/g, "$& ");

describe.each(SERVICES)("%s", (service) => {
  test.each(PROTOCOLS)("over %s, shows the response that the server sent", async (protocol) => {
    const { page, faults, close } = await openPage(browser, scene.origin, "/", LOOKS.light);
    await choose(page, service);
    await choose(page, protocol);
    const command = (await page.locator("pre:visible").first().textContent()) ?? "";
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.request().headers()["x-gateway-key"] !== undefined),
      button(page).click(),
    ]);
    const headers = await response.allHeaders();
    const coding = headers["content-encoding"] === undefined ? "" : ", decompressed";
    await expect
      .poll(() => page.locator("[role=status]:visible").textContent())
      .toMatch(new RegExp(`^Just now, in \\d+ ms, with the public key${coding}$`));
    const shown = (await shownResponse(page).textContent()) ?? "";
    const body = await response.body();
    const { pathname, search } = new URL(response.url());
    expect({
      isShownCall: command.includes(`${pathname}${search}`),
      sent: response.request().method(),
      status: shown.split("\n", 1)[0],
      headers: [
        "ratelimit",
        "ratelimit-policy",
        "content-type",
        "x-request-id",
        ...(coding === "" ? [] : ["content-encoding"]),
      ].filter((name) => !shown.includes(`\n${name}: ${headers[name]}\n`)),
      isWhole: protocol === "gRPC-Web" ? shown.includes(hexOf(body)) : JSON.stringify(jsonIn(shown)) === body.toString(),
      faults,
    }).toEqual({
      isShownCall: true,
      sent: protocol === "REST" ? "GET" : "POST",
      status: "HTTP/1.1 200",
      headers: [],
      isWhole: true,
      faults: [],
    });
    await close();
  });
});

const jsonIn = (shown: string): unknown => JSON.parse(shown.slice(shown.indexOf("\n\n")));

describe.each([...Object.entries(LOOKS), ["390 pixels wide", { viewport: { width: 390, height: 844 } }] as const])(
  "%s",
  (name, look) => {
    test("is accessible and stays where it is before and after a call, which loads its code only then", async () => {
      const { page, faults, close } = await openPage(browser, scene.origin, "/", look);
      const scripts: string[] = [];
      page.on("request", (request) => scripts.push(new URL(request.url()).pathname));
      await button(page).waitFor();
      await takePicture(page, `front ${name} before`);
      const before = await pageFaults(page);
      const loaded = scripts.some((path) => path.includes("run-call"));
      await button(page).click();
      await page.getByText("with the public key").waitFor();
      await takePicture(page, `front ${name} after`);
      await choose(page, "gRPC");
      await page.getByText("Browsers cannot send gRPC.").filter({ visible: true }).waitFor();
      expect({
        before,
        loaded,
        isLoadedLate: scripts.some((path) => path.includes("run-call")),
        after: await pageFaults(page),
        buttons: await button(page).count(),
        shifts: (await layoutShift(page)) <= 0.007,
        faults,
      }).toEqual({
        before: { sideways: 0, serious: [] },
        loaded: false,
        isLoadedLate: true,
        after: { sideways: 0, serious: [] },
        buttons: 0,
        shifts: true,
        faults: [],
      });
      await close();
    });
  },
);

test("shows the refusal of a network that has used up its calls, in each protocol, and that the server is gone", async () => {
  const small = await startExploreScene({ subscriptions: [], publicCalls: 1 });
  const { page, close } = await openPage(browser, small.origin, "/", LOOKS.light);
  await button(page).click();
  await page.getByText("with the public key").waitFor();
  for (const [protocol, refusal] of [
    ["REST", /^HTTP\/1\.1 429\n[\s\S]*retry-after: [\s\S]*RATE_LIMITED/],
    ["Connect", /^HTTP\/1\.1 429\n[\s\S]*resource_exhausted/],
    ["gRPC-Web", /^HTTP\/1\.1 200\n[\s\S]*grpc-status: 8/],
  ] as const) {
    await choose(page, protocol);
    await button(page).click();
    await expect.poll(() => shownResponse(page).textContent()).toMatch(refusal);
  }
  await page.route("**/quintet.farkle.v1.FarkleService/Score", (route) => route.abort());
  await button(page).click();
  await page.getByText("The server cannot be reached. Try again.").waitFor();
  expect(await shownResponse(page).textContent()).toBe("");
  await close();
  await small.close();
});

test("without scripts, and without a public key, the page shows the recorded responses and no button", async () => {
  const scriptless = await openPage(browser, scene.origin, "/", { ...LOOKS.light, javaScriptEnabled: false });
  const keyless = await startExploreScene({ subscriptions: [] });
  const plain = await openPage(browser, keyless.origin, "/", LOOKS.light);
  for (const { page } of [scriptless, plain]) {
    expect([
      await button(page).count(),
      await page.getByText("The response, as it came over the wire").first().isVisible(),
    ]).toEqual([0, true]);
  }
  expect(await plain.page.content()).not.toContain("template");
  await scriptless.close();
  await plain.close();
  await keyless.close();
});
