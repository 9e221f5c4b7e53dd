// The status page: it shows what the server measured, to anybody, without scripts, and without a fault in every theme.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { signUp } from "./customer.ts";
import { emptyPage, LOOKS, layoutShift, openPage, pageFaults, takePicture } from "./open-page.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock });
  const hourAt = (ms: number): string => new Date(ms).toISOString().slice(0, 13);
  const now = Date.now();
  for (const [index, service] of SERVICE_NAMES.entries()) {
    const days = Array.from({ length: 80 }, (_, day) => day).filter((day) => (day * 7 + index) % 11 !== 0);
    const sums = { calls: 1000, refused: 3, latency: [0, 700, 200, 80, 15, 5] };
    await gateway.store.addHealth(
      days.flatMap((day) => {
        const at = { service, hour: hourAt(now - day * DAY_MS) };
        const failed = day === 30 ? 60 : day % 17 === 0 && day > 0 ? 5 : 0;
        return [
          { ...at, ...sums, part: "calls" as const, failed },
          { ...at, ...sums, part: "source" as const, failed: failed * 2 },
        ];
      }),
    );
  }
  const incident = {
    title: "Searches are slow",
    impact: "degraded",
    services: ["radio"],
    beginsAtMs: now - 2 * HOUR_MS,
    endsAtMs: null,
  } as const;
  await gateway.store.createIncident({
    ...{ ...incident, id: "open" },
    update: { state: "investigating", text: "Some searches take longer than usual." },
  });
  await gateway.store.addIncidentUpdate("open", {
    state: "identified",
    text: "A mirror does not respond in time.\nOthers take over.",
  });
  await gateway.store.createIncident({
    ...{ id: "planned", title: "New database", impact: "maintenance", services: [], beginsAtMs: now + DAY_MS },
    ...{ endsAtMs: now + DAY_MS + HOUR_MS, update: { state: "scheduled", text: "Calls may fail for a minute." } },
  });
  for (const [index, day] of [3, 3, 40].entries()) {
    const id = `past-${index}`;
    await gateway.store.createIncident({
      ...{ ...incident, id, title: "Prices were old", impact: "partial_outage", services: ["token-price"] },
      ...{
        beginsAtMs: now - day * DAY_MS,
        endsAtMs: now - day * DAY_MS + 5 * HOUR_MS,
        update: { state: "resolved", text: "It is over." },
      },
    });
  }
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test("it shows how each service is doing and has done, and has no problems", async () => {
    const { page, faults, close } = await openPage(browser, gateway.origin, "/status", LOOKS[look]);
    await page.getByText("By our measurements, no service is failing or degraded").waitFor();
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toContain("Farkle");
    expect(await page.getByRole("img", { name: /^The last 90 days: below 99% on / }).count()).toBe(9);
    await page
      .getByText(/^99\.\d+% over \d+ days\. Median \d/)
      .first()
      .waitFor();
    await page.getByRole("heading", { name: "Searches are slow" }).waitFor();
    await page.getByText("A mirror does not respond in time.").waitFor();
    expect(await page.getByRole("heading", { level: 3, name: /^[A-Z][a-z]{2} \d{1,2}, \d{4}$/ }).count()).toBe(2);
    await page.getByText("Prices were old").first().click();
    await page.getByText("It is over.").first().waitFor();
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    await takePicture(page, `${look} status`);
    expect(faults).toEqual([]);
    await close();
  });
});

test("the page leads to an Atom feed that an XML parser reads, with an entry for each incident", async () => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/status", LOOKS.light);
  const link = page.locator('link[rel="alternate"][type="application/atom+xml"]');
  expect(await link.getAttribute("href")).toBe("/status/feed.atom");
  const response = await fetch(`${gateway.origin}/status/feed.atom`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/atom+xml; charset=utf-8"]);
  const feed = await page.evaluate(
    (text) => {
      const parsed = new DOMParser().parseFromString(text, "application/xml");
      const textIn = (parent: Element, name: string): string =>
        parent.getElementsByTagNameNS("http://www.w3.org/2005/Atom", name)[0]?.textContent ?? "";
      const entries = [...parsed.getElementsByTagNameNS("http://www.w3.org/2005/Atom", "entry")];
      return {
        root: [parsed.documentElement.namespaceURI, parsed.documentElement.localName],
        errors: parsed.getElementsByTagName("parsererror").length,
        entries: entries.map((entry) => ["id", "title"].map((name) => textIn(entry, name)).join(" ")),
        contents: entries.map((entry) => textIn(entry, "content")),
        isDated: entries.every((entry) => !Number.isNaN(Date.parse(textIn(entry, "updated")))),
      };
    },
    await response.text(),
  );
  expect(feed).toMatchObject({ root: ["http://www.w3.org/2005/Atom", "feed"], errors: 0, isDated: true });
  expect(feed.entries).toHaveLength(5);
  expect(feed.entries).toContain("urn:uuid:open Searches are slow (identified)");
  expect(feed.contents.join()).toContain("A mirror does not respond in time.<br>Others take over.");
  expect(faults).toEqual([]);
  await close();
});

test("customers see on every page of the application that an incident is open, but not what is only scheduled", async () => {
  const { token } = await signUp(gateway, "watcher");
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/keys", LOOKS.light, token);
  const notice = page.getByRole("status").filter({ hasText: "Searches are slow (Radio stations)." });
  await notice.getByRole("link", { name: "View status page" }).waitFor();
  expect(await page.getByText("New database").count()).toBe(0);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await takePicture(page, "open-incident");
  expect(faults).toEqual([]);
  await close();
});

test("a late notice about an incident moves nothing on a phone", async () => {
  const { token } = await signUp(gateway, "slow watcher");
  const { page, close } = await emptyPage(browser, gateway.origin, LOOKS["on a phone"], token);
  let release = (): void => {};
  const isReady = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/GetStatus/, async (route) => {
    await isReady;
    await route.continue();
  });
  await page.goto("/app/keys");
  await page.getByText("No keys yet").waitFor();
  release();
  await page.getByRole("link", { name: "View status page" }).waitFor();
  expect(await layoutShift(page)).toBe(0);
  await close();
});

test("every document leads to it, and it is read without a script", async () => {
  const response = await fetch(`${gateway.origin}/status`);
  const html = await response.text();
  expect(response.headers.get("cache-control")).toBe("public, max-age=30");
  expect(html).toContain("By our measurements, no service is failing or degraded");
  expect(html).not.toContain("<template data-placeholder");
  expect(await (await fetch(gateway.origin)).text()).toContain('href="/status"');
});
