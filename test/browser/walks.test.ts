import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SERVICE_NAMES, SERVICES } from "../../src/catalogue/service-names.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, PASSWORD, randomEmail, signIn, signUp } from "./customer.ts";
import { type ExploreScene, PAID, startExploreScene } from "./explore-scene.ts";
import { LOOKS, openPage, pageFaults } from "./open-page.ts";
import { startWalk } from "./walk.ts";

let scene: ExploreScene;
let browser: Browser;
beforeAll(async () => {
  scene = await startExploreScene({ subscriptions: [], publicCalls: 10_000 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await scene.close();
});

const account = ({ transport }: Customer) => accountClient(transport);
const site = (page: Page) => page.getByRole("navigation", { name: "Site" });
const navigation = (page: Page) => page.getByRole("navigation", { name: "Dashboard" });

test("a visitor sees live data, what it costs and how limits work in 9 actions", async () => {
  const { page, faults, close } = await openPage(browser, scene.origin, "/", LOOKS.light);
  const walk = startWalk(page, "visitor");
  await walk.click(site(page).getByRole("link", { name: "Explore" }));
  await page.getByText("with a known location").waitFor();
  await walk.click(site(page).getByRole("link", { name: "Plans" }));
  await walk.click(page.getByText("Bitcoin valuation", { exact: true }).first());
  await page.getByText("12.90").filter({ visible: true }).first().waitFor();
  await walk.click(site(page).getByRole("link", { name: "Docs" }));
  // The page that is left has the same button.
  await page.waitForURL("/docs");
  await page.getByRole("button", { name: "Search" }).waitFor();
  await walk.press("/");
  await walk.fill(page.getByRole("searchbox"), "rate limit");
  await page.getByRole("dialog").getByRole("link").first().waitFor();
  await walk.press("Enter");
  await page.waitForURL(/limit/i);
  walk.end();
  expect(walk.actions).toBeLessThanOrEqual(9);
  expect(faults.filter((fault) => !/\.example\/|ERR_NAME_NOT_RESOLVED/.test(fault))).toEqual([]);
  await close();
});

test.each(SERVICE_NAMES)(
  "a new customer gets from the front page to the first answer of %s with a key of their own in 6 actions",
  async (service) => {
    const { page, faults, close } = await openPage(browser, scene.origin, "/", LOOKS.light);
    const walk = startWalk(page, `newcomer to ${service}`);
    await walk.click(page.getByRole("main").getByRole("link", { name: "Start free" }));
    await walk.fill(page.getByLabel("E-mail address"), randomEmail("newcomer"));
    await walk.fill(page.getByLabel("Password"), PASSWORD);
    await walk.click(page.getByRole("button", { name: "Create account" }));
    await walk.click(page.getByRole("button", { name: `Get a key: ${SERVICES[service].title}` }));
    const dialog = page.getByRole("dialog");
    await walk.click(dialog.getByRole("button", { name: "Copy the command" }));
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const [, key = ""] = /x-gateway-key: (\w+)/.exec(command) ?? [];
    const [, url = ""] = /'(http[^']+)'/.exec(command) ?? [];
    await dialog.getByText("Copied", { exact: true }).and(dialog.locator("[data-done]")).waitFor();
    await dialog.getByText("Waiting for your call").waitFor();
    expect(url).toContain(SERVICES[service].firstCall);
    expect((await fetch(url, { headers: { "x-gateway-key": key } })).status).toBe(200);
    await dialog.getByText("It worked: your first call has arrived.").waitFor();
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    walk.end();
    expect([walk.actions <= 6, faults]).toEqual([true, []]);
    await close();
  },
);

test.each([
  ["/explore/stations", "radio"],
  ["/docs/services/bitcoin", "bitcoin"],
  ["/reference/radio/search-stations", "radio"],
  ["/docs/quickstart", "farkle"],
] as const)("whoever signs up from %s has a key for %s in 4 actions, also if a response is lost", async (path, service) => {
  const { page, faults, close } = await openPage(browser, scene.origin, path, LOOKS.light);
  const walk = startWalk(page, `from ${path}`);
  const banner = page.getByRole("banner").getByRole("link", { name: "Start free" });
  await walk.click(path === "/docs/quickstart" ? page.getByRole("main").getByRole("link", { name: "Sign up" }) : banner);
  await walk.fill(page.getByLabel("E-mail address"), randomEmail("newcomer"));
  await walk.fill(page.getByLabel("Password"), PASSWORD);
  // The first subscription is made, but its response does not arrive.
  const lose = async (route: Route): Promise<void> => {
    await route.fetch();
    await route.abort();
  };
  await page.route(/SetSubscription$/, lose, { times: 1 });
  await walk.click(page.getByRole("button", { name: "Create account" }));
  await page.getByText("The server cannot be reached.").waitFor();
  await page.getByRole("button", { name: `Get a key: ${SERVICES[service].title}` }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.locator("pre", { hasText: "curl" }).textContent()).toContain(SERVICES[service].firstCall);
  // The next key's call is shown in the language that was chosen.
  await dialog.getByRole("combobox").selectOption("Python");
  await dialog.locator("pre", { hasText: "urllib" }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem("language"))).toBe("Python");
  expect([walk.actions, faults.filter((fault) => !fault.includes("ERR_FAILED"))]).toEqual([4, []]);
  walk.end();
  await close();
});

test("a new customer gets from the front page to the first response with status 200 in 9 actions", async () => {
  const { page, faults, close } = await openPage(browser, scene.origin, "/", LOOKS.light);
  const walk = startWalk(page, "new customer");
  await walk.click(page.getByRole("main").getByRole("link", { name: "Start free" }));
  await walk.fill(page.getByLabel("E-mail address"), randomEmail("newcomer"));
  await walk.fill(page.getByLabel("Password"), PASSWORD);
  await walk.click(page.getByRole("button", { name: "Create account" }));
  await walk.click(page.getByRole("link", { name: "Choose a plan" }));
  await walk.click(page.getByRole("button", { name: "Subscribe: Farkle" }));
  await walk.click(page.getByRole("dialog").getByRole("button", { name: "Subscribe" }));
  await page.getByText("You're on the free plan for Farkle.").waitFor();
  await walk.click(navigation(page).getByRole("link", { name: "Console" }));
  await walk.click(page.getByRole("button", { name: "Send", exact: true }));
  await page.getByRole("tabpanel").getByText("HTTP 200").waitFor();
  walk.end();
  expect(walk.actions).toBeLessThanOrEqual(9);
  expect(faults).toEqual([]);
  await close();
});

test("an operator gets from the overview to an activated plan in 4 actions, and every page names its state alike", async () => {
  const customer = await signUp(scene.gateway, "customer");
  await account(customer).setSubscription({ service: "farkle", plan: PAID.name });
  const promoted = await signUp(scene.gateway, "operator");
  await scene.gateway.store.setOperator(promoted.id, true);
  const operator = await signIn(scene.gateway, promoted);
  const words = "Waiting for activation";

  const theirs = await openPage(browser, scene.origin, "/app", LOOKS.light, customer.token);
  await theirs.page.getByText(`${words}: pro.`).waitFor();
  await theirs.page.goto("/app/subscriptions");
  const card = theirs.page.getByRole("region", { name: "Farkle" });
  await card.getByText(words, { exact: true }).waitFor();

  const { page, faults, close } = await openPage(browser, scene.origin, "/app", LOOKS.light, operator.token);
  const walk = startWalk(page, "operator");
  await walk.click(navigation(page).getByRole("link", { name: "Operations" }));
  await walk.click(page.getByRole("link", { name: "Review" }));
  const row = page.getByRole("row").filter({ hasText: customer.email });
  await walk.click(row.getByRole("button", { name: /^Activate/ }));
  await walk.click(page.getByRole("dialog").getByRole("button", { name: "Activate" }));
  await page.getByText(/ is now on Pro for Farkle\.$/).waitFor();
  walk.end();
  expect(walk.actions).toBeLessThanOrEqual(4);
  expect(faults).toEqual([]);
  await close();

  await theirs.page.reload();
  await card.getByText("Active", { exact: true }).waitFor();
  expect(await card.getByText(words).count()).toBe(0);
  await theirs.close();
});
