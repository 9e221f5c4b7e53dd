// Signing in with a real OpenID Connect provider in Chromium: to a first key, back where one came from, and what leads nowhere.
import { createServer } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { providerVariables, type StartedProvider, startIdentityProvider } from "../fixtures/servers/identity-provider.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { LOOKS, openPage, pageFaults, takePicture } from "./open-page.ts";
import { startWalk } from "./walk.ts";

let browser: Browser;
let gateway: Gateway;
let provider: StartedProvider;
let origin: string;
beforeAll(async () => {
  const port = await unusedPort();
  origin = `http://localhost:${port}`;
  provider = await startIdentityProvider(`${origin}/app/signed-in`);
  const variables = { ...providerVariables(provider, origin), QUINTET_PORT: String(port) };
  gateway = await startGateway({ clock: systemClock, variables });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
  await provider.close();
});

const unusedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

test("a newcomer with an account at the provider has a key and its first call in 3 actions", async () => {
  provider.person.email = "grace@example.com";
  const { page, faults, close } = await openPage(browser, origin, "/docs/services/farkle", LOOKS.light);
  const walk = startWalk(page, "newcomer with a provider");
  await walk.click(page.getByRole("banner").getByRole("link", { name: "Start free" }));
  await page.getByRole("button", { name: "Continue with Example" }).waitFor();
  await takePicture(page, "sign-up-with-provider");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await walk.click(page.getByRole("button", { name: "Continue with Example" }));
  await walk.click(page.getByRole("dialog").getByRole("button", { name: "Copy the command" }));
  walk.end();
  expect([new URL(page.url()).search, walk.actions, faults]).toEqual(["?service=farkle", 3, []]);
  await close();
});

test("somebody who comes back lands where they wanted to go, and nothing of the sign-in stays behind", async () => {
  provider.person.email = "joan@example.com";
  const { page, faults, close } = await openPage(browser, origin, "/app/sign-in?next=/app/keys", LOOKS["on a phone"]);
  await page.getByRole("button", { name: "Continue with Example" }).click();
  await page.waitForURL("/app/keys");
  await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem("provider-sign-in"))).toBeNull();
  await page.reload();
  await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test.each(["", "?code=stolen&state=stolen", "?error=access_denied"])(
  "a link to the page with `%s` signs nobody in",
  async (query) => {
    const { page, faults, close } = await openPage(browser, origin, `/app/signed-in${query}`, LOOKS.light);
    await page.getByText("This sign-in was not begun in this tab, or has ended already.").waitFor();
    expect([new URL(page.url()).search, await page.context().cookies()]).toEqual(["", []]);
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(faults).toEqual([]);
    await close();
  },
);

test("whoever does not want to after all is told so, and can begin again", async () => {
  const { page, close } = await openPage(browser, origin, "/app/sign-in", LOOKS.light);
  await page.route(`${provider.origin}/auth**`, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const location = `${asked.get("redirect_uri")}?${new URLSearchParams({ error: "access_denied", state: asked.get("state") ?? "" })}`;
    return route.fulfill({ status: 302, headers: { location } });
  });
  await page.getByRole("button", { name: "Continue with Example" }).click();
  await page.getByText("Example did not sign you in (access_denied)").waitFor();
  await page.getByRole("link", { name: "Sign in again" }).click();
  await page.getByRole("button", { name: "Continue with Example" }).waitFor();
  await close();
});
