// `npm run build:picture -- http://127.0.0.1:8080` takes the README's picture: the front page of a running sandbox, in Debian's Chromium.
import { join } from "node:path";
import { ROOT } from "../fixtures/root.ts";
import { startBrowser } from "./chromium.ts";

const [origin = "http://127.0.0.1:8080"] = process.argv.slice(2);
const browser = await startBrowser();
const page = await browser.newPage({ viewport: { width: 1200, height: 600 }, colorScheme: "light" });
await page.goto(origin);
await page.screenshot({ path: join(ROOT, "docs/images/portal.png") });
await browser.close();
