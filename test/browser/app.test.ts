// The application's pages as people see them: in light and dark and on a phone, by keyboard, after a reload and after Back. No page may
// print an error, break its own policy, scroll sideways, or have a serious accessibility fault.
import { createClient } from "@connectrpc/connect";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProfileService } from "../../gen/quintet/account/v1/profile_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, furnish, PASSWORD, signUp } from "./customer.ts";
import { chooseKeyAction } from "./key-menu.ts";
import { LOOKS, layoutShift, type OpenPage, openPage, pageFaults } from "./open-page.ts";

const FREE = { name: "free", callsPerMonth: 1000, requestsPerSecond: 7 };
const PRO = { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 50, priceMinor: 1290 };

// A tenth of the limit for a good score.
const SHIFT_MAX = 0.01;

// What is on the page once it has loaded everything that it shows.
const PAGES = [
  { path: "/app/sign-in", ready: "Sign up", who: "nobody" },
  { path: "/app/sign-up", ready: "Sign in", who: "nobody" },
  { path: "/app/sign-in", ready: "You are signed in as", who: "new" },
  { path: "/app/sign-up", ready: "You are signed in as", who: "new" },
  { path: "/app", ready: "Choose a plan", who: "new" },
  { path: "/app", ready: "Make a call", who: "settled" },
  { path: "/app/keys", ready: "No keys yet", who: "new" },
  { path: "/app/keys", ready: "a server", who: "settled" },
  { path: "/app/keys?do=make", ready: "All services, including new ones", who: "settled" },
  { path: "/app/subscriptions", ready: "Waiting for activation", who: "settled" },
  {
    path: "/app/subscriptions?do=plan&service=farkle&plan=pro",
    ready: "You stay on Free until your new plan is active",
    who: "settled",
  },
  { path: "/app/account", ready: "Change password", who: "settled" },
  { path: "/app/nothing", ready: "Page not found", who: "settled" },
] as const;

let browser: Browser;
let gateway: Gateway;
const customers = new Map<string, Customer>();
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock, plans: { farkle: [FREE, PRO], bitcoin: [FREE, PRO] } });
  browser = await sharedBrowser();
  for (const who of ["new", "settled"]) {
    customers.set(who, await signUp(gateway, who));
  }
  await furnish(customers.get("settled") as Customer);
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

const emailOf = (who: string): string => customers.get(who)?.email ?? "";
const open = (path: string, who: string, look: keyof typeof LOOKS = "light"): Promise<OpenPage> =>
  openPage(browser, gateway.origin, path, LOOKS[look], customers.get(who)?.token);

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test.each(PAGES)("$path of $who has no problems", async ({ path, who, ready }) => {
    const { page, faults, close } = await open(path, who, look);
    await page.getByText(ready).first().waitFor();
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(await layoutShift(page)).toBeLessThan(SHIFT_MAX);
    expect(await page.title()).toMatch(/ – Quintet$/);
    expect(faults).toEqual([]);
    await close();
  });
});

test("a visitor reaches the requested page after signing in, and nothing about it stays in storage", async () => {
  const { page, faults, close } = await open("/app/keys?do=make", "nobody");
  await page.getByLabel("E-mail address").fill(emailOf("settled"));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Create key" }).waitFor();
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  expect({ url: new URL(page.url()).search, stored, faults }).toEqual({
    url: "?do=make",
    stored: '[{"member":"yes"},{},""]',
    faults: [],
  });
  await close();
});

test("Back, Forward and a reload leave a key that cannot be shown again on the page, and say so", async () => {
  const { page, faults, close } = await open("/app", "new");
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("kept");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const key = page.getByRole("dialog").locator("code").first();
  await page.getByText("Save it now").waitFor();
  const secret = await key.textContent();
  for (const warns of [1, 1]) {
    await page.evaluate(() => history.back());
    await page.getByText("Going back now would lose this key for good.").waitFor();
    expect([await key.textContent(), await page.getByText("Going back now would lose").count()]).toEqual([secret, warns]);
  }
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByText("kept").first().waitFor();
  expect([await page.getByRole("dialog").count(), new URL(page.url()).pathname, faults]).toEqual([0, "/app/keys", []]);
  // From now on, Back works as usual.
  await page.goBack();
  await chooseKeyAction(page, "kept", "Revoke");
  await page.getByRole("button", { name: "Revoke permanently" }).click();
  await page.getByText("has been revoked.").waitFor();
  await close();
});

describe("the focus", () => {
  const focusIsAt = (page: Page): Promise<string | undefined> =>
    page.evaluate(() => {
      const { tagName = "", textContent } = document.activeElement ?? {};
      return tagName === "BODY" ? tagName : `${tagName} ${textContent}`;
    });

  test("is on the heading of a page that is opened after signing in, or by a link", async () => {
    const { page, close } = await open("/app/sign-in", "nobody");
    await page.getByLabel("E-mail address").fill(emailOf("settled"));
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Make a call" }).waitFor();
    await expect.poll(() => focusIsAt(page)).toBe("H1 Overview");
    await page.getByRole("link", { name: "Keys", exact: true }).press("Enter");
    await expect.poll(() => focusIsAt(page)).toBe("H1 Keys");
    await close();
  });

  test("returns to what opened a dialog, and to the heading if nothing on the page did", async () => {
    const { page, close } = await open("/app/keys", "settled");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Create key" }).press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focusIsAt(page)).toBe("BUTTON Create key");
    await page.goto(`${gateway.origin}/app/keys?do=make`);
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focusIsAt(page)).toBe("H1 Keys");
    await close();
  });
});

test.each(["https://example.com/app", "//example.com/app", "/docs", "javascript:alert(1)", "/app/../docs"])(
  "signing in does not lead to %s",
  async (next) => {
    const { page, close } = await open(`/app/sign-in?next=${encodeURIComponent(next)}`, "nobody");
    await page.getByLabel("E-mail address").fill(emailOf("new"));
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).toBe(`${gateway.origin}/app`);
    await close();
  },
);

test.each(["/app/sign-in", "/app/sign-up"])(
  "%s links onwards for a reader who is signed in, and shows its form after signing out",
  async (path) => {
    const again = await signUp(gateway, `again${path.replaceAll("/", ".")}`);
    customers.set(path, again);
    const { page, faults, close } = await open(`${path}?next=%2Fapp%2Fkeys`, path);
    await page.getByText(`You are signed in as ${again.email}`).waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
    await page.getByRole("link", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Password").waitFor();
    expect(faults).toEqual([]);
    await close();
  },
);

test("signing in checks once whether there is a session", async () => {
  const { page, close } = await open("/docs", "nobody");
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).pathname));
  await page.goto("/app/sign-in", { waitUntil: "networkidle" });
  await page.getByLabel("Password").waitFor();
  expect(requested.filter((path) => path.startsWith("/quintet."))).toEqual(["/quintet.account.v1.AccountService/GetAccount"]);
  await close();
});

test("an error is shown at its field, which has the focus", async () => {
  const { page, close } = await open("/app/sign-up", "nobody");
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Password").fill("short");
  await page.keyboard.press("Enter");
  await page.getByText("Password must").waitFor();
  await expect.poll(() => focused(page)).toBe("password");
  await page.getByLabel("E-mail address").fill("ada");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.keyboard.press("Enter");
  await page.getByText("This must be an e-mail address like name@example.com.").waitFor();
  await close();
});

test("a wrong password and an unknown address get the same message", async () => {
  const words: (string | null)[] = [];
  for (const email of [emailOf("new"), "nobody@example.com"]) {
    const { page, close } = await open("/app/sign-in", "nobody");
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password").fill("not the password");
    await page.keyboard.press("Enter");
    words.push(await page.getByRole("alert").textContent());
    await close();
  }
  const said = "The e-mail address or the password is wrong. Check both, and try again.";
  expect(words).toEqual([said, said]);
});

test("a dialog stays open when the page is reloaded, and Back closes it", async () => {
  const { page, close } = await open("/app/keys", "settled");
  await chooseKeyAction(page, "a server", "Rotate");
  await page.getByRole("dialog", { name: "Rotate a server" }).waitFor();
  await page.reload();
  await page.getByRole("dialog", { name: "Rotate a server" }).waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(page.url()).toBe(`${gateway.origin}/app/keys`);
  await close();
});

test("what was typed into a dialog survives a reload, and is gone once the dialog was closed", async () => {
  const { page, close } = await open("/app/keys?do=make", "settled");
  await page.getByRole("textbox", { name: "Name" }).fill("half");
  await page.getByLabel("Only these").check();
  await page.getByLabel("Bitcoin valuation").check();
  await page.getByLabel("Notes").fill("half a note");
  await page.getByLabel("Expires").selectOption("on a date I choose");
  await page.getByLabel("Expiry date").fill("2030-02-03");
  await page.reload();
  const values = async (): Promise<readonly unknown[]> => [
    await page.getByRole("textbox", { name: "Name" }).inputValue(),
    await page.getByLabel("Bitcoin valuation").isChecked(),
    await page.getByLabel("Farkle").isChecked(),
    await page.getByLabel("Expires").inputValue(),
    await page.getByLabel("Notes").inputValue(),
  ];
  await page.getByRole("dialog").waitFor();
  await expect.poll(values).toEqual(["half", true, false, "day", "half a note"]);
  await expect.poll(() => page.getByLabel("Expiry date").inputValue()).toBe("2030-02-03");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Create key" }).click();
  expect(await values()).toEqual(["", false, false, "", ""]);
  await close();
});

test.each(["points at a link", "focuses a link"])(
  "a page is loaded when the reader %s, before the link is followed",
  async (how) => {
    const { page, close } = await open("/app", "settled");
    await page.getByRole("heading", { name: "Make a call" }).waitFor();
    const link = page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Keys" });
    const loaded = () =>
      page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => /\/assets\/Keys-[^/]*\.js$/.test(name)));
    const before = await loaded();
    await (how === "points at a link" ? link.hover() : link.focus());
    await expect.poll(loaded).toBe(true);
    expect([before, page.url()]).toEqual([false, `${gateway.origin}/app`]);
    await close();
  },
);

test("a session that has ended elsewhere leads to the sign-in page, and back", async () => {
  const leaving = await signUp(gateway, "leaving");
  customers.set("leaving", leaving);
  const { page, close } = await open("/app/account", "leaving");
  await page.getByText("Change password").first().waitFor();
  await createClient(ProfileService, leaving.transport).endSessions({ which: { case: "current", value: true } });
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.getByLabel("New password").fill("another horse battery");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(page.url()).toBe(`${gateway.origin}/app/sign-in?next=%2Fapp%2Faccount`);
  await close();
});

const focused = (page: Page): Promise<string | null> => page.evaluate(() => document.activeElement?.getAttribute("name") ?? null);
