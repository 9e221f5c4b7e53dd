// Opens pages as a person would, and records everything that goes wrong on them: errors, failed requests, violations of the page's own
// policy, and serious accessibility faults.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { ROOT } from "../fixtures/root.ts";
import { TIME_LIMITS } from "../time-limits.ts";
import { layoutFaults } from "./layout-faults.ts";
import { slowDown } from "./slow-down.ts";

/** The ways in which every page is viewed. */
export const LOOKS = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark", reducedMotion: "reduce" },
  "on a phone": { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

/** A page in a separate context. */
export interface OpenPage {
  readonly page: Page;
  /** What has gone wrong so far. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

// `QUINTET_BROWSER_SLOWDOWN=4` reveals what works only on a fast machine: scripts take this many times longer, and responses arrive later.
const SLOWDOWN = Number(process.env.QUINTET_BROWSER_SLOWDOWN ?? 1);
const LATENCY_MS = 75;

// Chromium itself logs this for every refused call, even for those that the page expects.
const REFUSED = /status of 4\d\d/;

// Every page takes it in again, which costs a third less without comments and long names.
const AXE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** Opens it. `token` is that of a session. */
export async function openPage(
  browser: Browser,
  origin: string,
  path: string,
  way: BrowserContextOptions,
  token?: string,
): Promise<OpenPage> {
  const opened = await emptyPage(browser, origin, way, token);
  await opened.page.goto(path, { waitUntil: "load" });
  return opened;
}

/** A blank page, for whatever has to be prepared before it is opened. */
export async function emptyPage(browser: Browser, origin: string, way: BrowserContextOptions, token?: string): Promise<OpenPage> {
  const context = await browser.newContext({ ...way, baseURL: origin, permissions: ["clipboard-read", "clipboard-write"] });
  if (token !== undefined) {
    await context.addCookies([{ name: "quintet_session", value: token, url: origin, httpOnly: true, sameSite: "Lax" }]);
  }
  context.setDefaultTimeout(TIME_LIMITS.expect.poll.timeout);
  const page = await context.newPage();
  if (SLOWDOWN > 1) {
    await slowDown(await context.newCDPSession(page), { cpuRate: SLOWDOWN, latencyMs: LATENCY_MS * SLOWDOWN });
  }
  const faults: string[] = [];
  page.on("console", (message) => {
    if ((message.type() === "error" || message.type() === "warning") && !REFUSED.test(message.text())) {
      faults.push(message.text());
    }
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("requestfailed", (request) => {
    // A page that is left abandons what it is still waiting for.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") {
      faults.push(`${request.url()} failed: ${request.failure()?.errorText}`);
    }
  });
  await page.addInitScript(hearLayoutShifts);
  const close = async (): Promise<void> => {
    // A request that a test intercepts may still be in progress: what its handler does with it from now on has no effect.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  };
  return { page, faults, close };
}

// https://web.dev/articles/cls
function hearLayoutShifts(): void {
  const shifts: number[] = [];
  Object.assign(globalThis, { shifts });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
      shifts.push(entry.hadRecentInput ? 0 : entry.value);
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** How far its parts have shifted since it was opened, as Chromium measures it. */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(() =>
    (globalThis as unknown as { readonly shifts: readonly number[] }).shifts.reduce((sum, shift) => sum + shift, 0),
  );

/**
 * By how many pixels the page or a dialog of it scrolls sideways, what axe finds serious or worse, and what readers of a narrow screen find
 * unreadable.
 */
export async function pageFaults(page: Page): Promise<{ readonly sideways: number; readonly serious: readonly string[] }> {
  const sideways = await page.evaluate(() => {
    const dialogs = Array.from(document.querySelectorAll("dialog[open]"), (dialog) => dialog.scrollWidth - dialog.clientWidth);
    return Math.max(document.documentElement.scrollWidth - innerWidth, ...dialogs);
  });
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      // Only these are described, and returned from the page. It takes half the CPU time.
      resultTypes: ["violations"],
      // Targets are 24 px high and wide, or have that much room around them: https://www.w3.org/TR/WCAG22/#target-size-minimum
      rules: { "target-size": { enabled: true } },
    });
    return found.violations;
  });
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  return { sideways, serious: [...serious, ...(await layoutFaults(page))] };
}

/** Takes a picture of the whole page for people to look at, if the variable SHOTS names a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS !== undefined) {
    await page.screenshot({ path: `${process.env.SHOTS}/${name.replaceAll(/[^\w-]+/g, "-")}.png`, fullPage: true });
  }
}
