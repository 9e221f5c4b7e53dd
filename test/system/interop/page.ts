// `node page.ts price|watch TOKEN...` in examples/browser: opens the page in a browser, fills it in, presses the button and prints what the
// page shows, so that it can be tested like a program in a terminal. SIGINT presses Stop. The page itself is served here, from a different
// origin than the server's.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { startBrowser } from "../../browser/chromium.ts";
import { TIME_LIMITS } from "../../time-limits.ts";

const TYPES: Readonly<Record<string, string>> = { "index.html": "text/html", "build/prices.js": "text/javascript" };

const [command = "", ...tokens] = process.argv.slice(2);
const { QUINTET_URL = "", QUINTET_KEY = "" } = process.env;
const button = (name: string): string => `button[name=${name}]`;

const server = createServer((request, response) => {
  const path = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
  const type = TYPES[path];
  response.writeHead(type === undefined ? 404 : 200, { "content-type": type ?? "text/plain" });
  response.end(type === undefined ? "" : readFileSync(path));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

// Passes on what the page has added since the last time.
async function follow(page: Page): Promise<void> {
  let shown = 0;
  for (let isOver = false; !isOver; ) {
    const isMore = `document.querySelector("#prices").textContent.length > ${shown}`;
    await page.waitForFunction(`${isMore} || document.querySelector("[name=stop]").disabled`, undefined, { timeout: 0 });
    isOver = await page.locator(button("stop")).isDisabled();
    const text = (await page.locator("#prices").textContent()) ?? "";
    process.stdout.write(text.slice(shown));
    shown = text.length;
  }
}

const browser = await startBrowser({ handleSIGINT: false });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(TIME_LIMITS.expect.poll.timeout);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.fill("[name=server]", QUINTET_URL);
  await page.fill("[name=key]", QUINTET_KEY);
  await page.fill("[name=tokens]", tokens.join(" "));
  process.on("SIGINT", () => void page.click(button("stop")));
  await page.click(button(command));
  await follow(page);
  const error = (await page.locator("#error").textContent()) ?? "";
  process.stderr.write(error);
  process.exitCode = error === "" ? 0 : 1;
} finally {
  await browser.close();
  server.close();
}
