// A real browser: Debian's Chromium, without a window. Its headless shell is the same engine without the desktop's profile and services,
// and opens a page for half of the CPU time.
import { existsSync } from "node:fs";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";
import { TIME_LIMITS } from "../time-limits.ts";

const PLACES = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const path = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place));

/** Starts it; by default it ends with this process on SIGINT. Throws an error that says what is missing if there is none. */
export function startBrowser(options: Pick<LaunchOptions, "handleSIGINT"> = {}): Promise<Browser> {
  if (path === undefined) {
    throw new Error("There is no Chromium here. Install Debian's package `chromium-headless-shell`, or name one in CHROMIUM.");
  }
  return chromium.launch({
    ...options,
    executablePath: path,
    // Root cannot use Chromium's sandbox, and the pages are our own.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    timeout: TIME_LIMITS.expect.poll.timeout,
  });
}

// Test files of one process run one after another, and share it: to start takes as long as to open ten pages.
let shared: Promise<Browser> | undefined;

/** The browser of this process, which is started when it is first needed, or if it has crashed. It ends with the process. */
export async function sharedBrowser(): Promise<Browser> {
  if (shared === undefined || !(await shared).isConnected()) {
    shared = startBrowser();
  }
  return await shared;
}

/** Closes what tests have left open, such as the page of a test that failed. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}
