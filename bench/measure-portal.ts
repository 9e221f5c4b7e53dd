// `npm run measure:portal`: measures in Chromium how long pages take to load on a slow connection and a slow machine. Needs a running
// server, such as the sandbox, and signs up an account there. Prints a table.
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { startBrowser } from "../test/browser/chromium.ts";
import { type Slowness, slowDown } from "../test/browser/slow-down.ts";

// "Fast 3G" of Chromium's developer tools, and a mid-range phone.
const SLOWNESS: Slowness = { cpuRate: 4, latencyMs: 150, bytesPerSecond: (1.6 * 1_000_000) / 8 };
const RUNS = 5;

// A page is usable when its main element can be clicked.
const PAGES = [
  { name: "front", path: "/", ready: "a[href='/docs']" },
  { name: "reference page", path: "/reference/radio/search-stations", ready: "[data-search]:not([hidden])" },
  { name: "plans", path: "/plans", ready: "input[type=range]" },
  { name: "status", path: "/status", ready: "h1" },
  { name: "explore, bitcoin", path: "/explore/bitcoin", ready: "main figure" },
  { name: "explore, stations", path: "/explore/stations", ready: "main li button" },
  { name: "sign in", path: "/app/sign-in", ready: "button[type=submit]" },
  { name: "overview, signed in", path: "/app", ready: "main a[href='/app/subscriptions']" },
  { name: "keys, signed in", path: "/app/keys", ready: "main button" },
  { name: "usage, signed in", path: "/app/usage", ready: "main a[href='/app/subscriptions']" },
  { name: "console, signed in", path: "/app/console", ready: "main button[type=submit]" },
  { name: "alerts, signed in", path: "/app/alerts", ready: "main button" },
  { name: "account, signed in", path: "/app/account", ready: "main button[type=submit]" },
] as const;

interface Measured {
  readonly paintMs: number;
  readonly readyMs: number;
  readonly bytes: number;
}

async function measure(
  browser: Browser,
  origin: string,
  { name, path, ready }: (typeof PAGES)[number],
  token: string,
): Promise<Measured> {
  const context = await browser.newContext({ baseURL: origin });
  if (name.endsWith("signed in")) {
    await context.addCookies([{ name: "quintet_session", value: token, url: origin, httpOnly: true, sameSite: "Lax" }]);
  }
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await slowDown(session, SLOWNESS);
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(path, { waitUntil: "commit" });
  await page.locator(ready).first().waitFor();
  const readyMs = await page.evaluate(() => performance.now());
  const paintMs = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN);
  await context.close();
  return { paintMs, readyMs, bytes };
}

async function signUp(origin: string): Promise<string> {
  const response = await fetch(`${origin}/account/v1/sign-up`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: `measure-${Date.now()}@example.com`, password: crypto.randomUUID() }),
  });
  return ((await response.json()) as { readonly data: { readonly token: string } }).data.token;
}

const median = (values: readonly number[]): number =>
  Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN);

const { values } = parseArgs({ options: { origin: { type: "string", default: "http://127.0.0.1:8080" } } });
const browser = await startBrowser();
try {
  const token = await signUp(values.origin);
  const rows: Record<string, Record<string, number>> = {};
  for (const page of PAGES) {
    const runs: Measured[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      runs.push(await measure(browser, values.origin, page, token));
    }
    rows[page.name] = {
      "first paint, ms": median(runs.map(({ paintMs }) => paintMs)),
      "can be used, ms": median(runs.map(({ readyMs }) => readyMs)),
      "KB received": median(runs.map(({ bytes }) => bytes / 100)) / 10,
    };
  }
  // biome-ignore lint/suspicious/noConsole: this is what the command is for.
  console.table(rows);
} finally {
  await browser.close();
}
