// `npm run measure:portal`: measures in Chromium how long pages take to load on a slow connection and a slow machine. Needs a running
// server, such as the sandbox, and signs up an account there. Prints a table of all pages, taken from the lists that the site is built from.
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { DEMO_SIGN_IN } from "../src/cli/demo-accounts.ts";
import { startBrowser } from "../test/browser/chromium.ts";
import { type Slowness, slowDown } from "../test/browser/slow-down.ts";
import { MEASURED_PAGES, type MeasuredPage } from "./measured-pages.ts";

// "Fast 3G" of Chromium's developer tools, and a mid-range phone.
const SLOWNESS: Slowness = { cpuRate: 4, latencyMs: 150, bytesPerSecond: (1.6 * 1_000_000) / 8 };
const RUNS = 5;

interface Measured {
  readonly paintMs: number;
  readonly readyMs: number;
  readonly bytes: number;
}

async function measure(
  browser: Browser,
  origin: string,
  { path, ready }: MeasuredPage,
  token: string | undefined,
): Promise<Measured> {
  const context = await browser.newContext({ baseURL: origin });
  if (token !== undefined) {
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
  return ((await response.json()) as { readonly data: { readonly session: { readonly token: string } } }).data.session.token;
}

// Only the sandbox has an operator whose password is known; other servers are measured without the operators' pages.
async function signInAsOperator(origin: string): Promise<string | undefined> {
  const response = await fetch(`${origin}/account/v1/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: DEMO_SIGN_IN.operator, password: DEMO_SIGN_IN.password }),
  });
  return response.ok
    ? ((await response.json()) as { readonly data: { readonly session: { readonly token: string } } }).data.session.token
    : undefined;
}

const median = (values: readonly number[]): number =>
  Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN);

const { values } = parseArgs({ options: { origin: { type: "string", default: "http://127.0.0.1:8080" } } });
const browser = await startBrowser();
try {
  const customer = await signUp(values.origin);
  const tokens = { open: undefined, customer, operator: await signInAsOperator(values.origin) };
  const rows: Record<string, Record<string, number>> = {};
  for (const page of MEASURED_PAGES.filter(({ access }) => access === "open" || tokens[access] !== undefined)) {
    const runs: Measured[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      runs.push(await measure(browser, values.origin, page, tokens[page.access]));
    }
    rows[page.path] = {
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
