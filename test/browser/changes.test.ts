// What customers change in the dashboard besides keys: names, states, plans, the password.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { furnish, PASSWORD, signUp } from "./customer.ts";
import { chooseKeyAction } from "./key-menu.ts";
import { LOOKS, type OpenPage, openPage, pageFaults } from "./open-page.ts";

const FREE = { name: "free", callsPerMonth: 1000, requestsPerSecond: 7 };
const PRO = { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 50, priceMinor: 1290 };

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock, plans: { farkle: [FREE, PRO], bitcoin: [FREE, PRO] } });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

async function openAs(name: string, path: string): Promise<OpenPage & { readonly email: string }> {
  const customer = await signUp(gateway, name);
  await furnish(customer);
  return { ...(await openPage(browser, gateway.origin, path, LOOKS.light, customer.token)), email: customer.email };
}

const badgesOf = async (page: Page, title: string): Promise<readonly string[]> =>
  await page
    .getByRole("region", { name: title })
    .getByText(/^(Active|Waiting for activation|Not subscribed)$/)
    .allTextContents();

test("a key is renamed, given other services and notes, disabled and enabled", async () => {
  const { page, faults, close } = await openAs("keys", "/app/keys");
  await chooseKeyAction(page, "a server", "Edit");
  await page.getByRole("textbox", { name: "Name" }).fill("");
  await page.keyboard.press("Enter");
  await page.getByText(/^Name (must|is)/).waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("<b>the cellar</b>");
  const dialog = page.getByRole("dialog");
  const chosen = () =>
    dialog.getByRole("checkbox", { checked: true }).evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));
  expect(await chosen()).toEqual(["farkle"]);
  await dialog.getByRole("checkbox", { name: "Farkle" }).uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Services are required: choose at least one, or all services.").waitFor();
  await dialog.getByRole("checkbox", { name: "Farkle" }).check();
  await dialog.getByRole("textbox", { name: "Notes" }).fill("Ask Ada.\nShe knows.");
  await dialog.getByRole("checkbox", { name: "Bitcoin valuation" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  const row = page.getByRole("row").filter({ hasText: "<b>the cellar</b>" });
  await page.getByText("has been changed.").waitFor();
  await row.getByText("Bitcoin valuation, Farkle").waitFor();
  await row.getByText("Ask Ada. She knows.").waitFor();
  await chooseKeyAction(page, "<b>the cellar</b>", "Disable");
  await page.getByText(/has been disabled\. Every server refused it within [\d,]+ ms\./).waitFor();
  await row.getByText("Disabled", { exact: true }).waitFor();
  await chooseKeyAction(page, "<b>the cellar</b>", "Enable");
  await page.getByText("has been enabled.").waitFor();
  await row.getByText("Active", { exact: true }).waitFor();
  expect({ faults, url: page.url() }).toEqual({ faults: [], url: `${gateway.origin}/app/keys` });
  await close();
});

test("a key that may call only some services is given all of them", async () => {
  const { page, close } = await openAs("all-services", "/app/keys");
  await chooseKeyAction(page, "a server", "Edit");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "All services, including new ones" }).check();
  expect(await dialog.getByRole("checkbox", { name: "Farkle" }).isVisible()).toBe(false);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("has been changed.").waitFor();
  await page.getByRole("row").filter({ hasText: "a server" }).getByText("All services").waitFor();
  await close();
});

test("a rotated key says which key replaced it, and keeps its calls of the month", async () => {
  const { page, close } = await openAs("replaced", "/app/keys?do=make");
  await page.getByRole("textbox", { name: "Name" }).fill("shop");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const secretOf = async (): Promise<string> => {
    await page.getByText("Save it now").waitFor();
    return (await page.getByRole("dialog").locator("code").first().textContent()) ?? "";
  };
  const first = await secretOf();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await fetch(`${gateway.origin}/farkle/v1/score?dice=1,1`, { headers: { "x-gateway-key": first } });
  await chooseKeyAction(page, "shop", "Rotate");
  await page.getByRole("button", { name: "Rotate key" }).click();
  const second = await secretOf();
  await page.getByRole("button", { name: "I have saved it" }).click();
  const cellsOf = async (secret: string): Promise<readonly string[]> => {
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader").filter({ hasText: secret.slice(-4) }) });
    return (await row.getByRole("cell").allTextContents()).slice(0, 4);
  };
  await expect.poll(() => cellsOf(second)).toEqual(["Active", "All services", "0", "Never"]);
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByText("Replaced by").waitFor();
      return cellsOf(first);
    })
    .toEqual([`ActiveReplaced by …${second.slice(-4)}`, "All services", "1", "now"]);
  await close();
});

test("the menu of a key works by keyboard, and returns the focus", async () => {
  const { page, faults, close } = await openAs("key-menu", "/app/keys");
  const button = page.getByRole("button", { name: "Actions for a server" });
  const focused = (): Promise<string | null> => page.evaluate(() => document.activeElement?.textContent ?? null);
  await button.focus();
  await page.keyboard.press("Enter");
  await expect.poll(focused).toBe("Edit");
  expect(await button.getAttribute("aria-expanded")).toBe("true");
  const seen: (string | null)[] = [];
  for (const key of ["ArrowDown", "ArrowDown", "End", "ArrowDown", "ArrowUp", "Home"]) {
    await page.keyboard.press(key);
    seen.push(await focused());
  }
  expect(seen).toEqual(["Limits", "Rotate", "Revoke", "Edit", "Revoke", "Edit"]);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await page.keyboard.press("Escape");
  await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(await button.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Revoke" }).press("Enter");
  await page.getByRole("dialog", { name: "Revoke a server" }).getByRole("button", { name: "Cancel" }).press("Enter");
  await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(faults).toEqual([]);
  await close();
});

test("an expiry in the past is refused in the server's words, at its field", async () => {
  const { page, close } = await openAs("expiry", "/app/keys?do=make");
  await page.getByRole("textbox", { name: "Name" }).fill("late");
  await page.getByLabel("Expires").selectOption("on a date I choose");
  await page.getByLabel("Expiry date").fill("2020-02-02");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByText(/^Expiry date must be in the future/).waitFor();
  await close();
});

test("a key whose first response is lost is created once, and the page says that it has to be rotated", async () => {
  const { page, close } = await openAs("lost", "/app/keys?do=make");
  await page.route(
    "**/CreateKey",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByRole("textbox", { name: "Name" }).fill("once");
  await page.getByLabel("Expires").selectOption("in 7 days");
  const make = page.getByRole("dialog").getByRole("button", { name: "Create key" });
  await make.click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await make.click();
  await page.getByText(/^The key was created, but it did not reach your browser.+ Rotate the key once, ending in/).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect.poll(() => page.getByRole("row").filter({ hasText: "once" }).count()).toBe(1);
  await close();
});

test("a rotation whose first response is lost creates one key, and the page says that it has to be rotated", async () => {
  const { page, close } = await openAs("lost-rotation", "/app/keys?do=make");
  await page.getByRole("textbox", { name: "Name" }).fill("twice");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await chooseKeyAction(page, "twice", "Rotate");
  await page.route(
    "**/RotateKey",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  const rotate = page.getByRole("button", { name: "Rotate key" });
  await rotate.click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await rotate.click();
  await page.getByText(/^The key was created, but it did not reach your browser.+ Rotate the key twice, ending in/).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect.poll(() => page.getByRole("row").filter({ hasText: "twice" }).count()).toBe(2);
  await close();
});

test("a paid plan is requested, withdrawn and requested again, and the subscription is cancelled", async () => {
  const { page, faults, close } = await openAs("plans", "/app/subscriptions");
  const submit = async (button: string, choice: string, said: string): Promise<void> => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").getByRole("button", { name: choice }).click();
    await page.getByText(said).waitFor();
  };
  const farkle = page.getByRole("region", { name: "Farkle" });
  await farkle.getByText(/^Free: [\d,]+ calls per month/).waitFor();
  expect(await farkle.getByRole("button").allTextContents()).toEqual(["Switch plan", "Cancel subscription"]);
  await page.getByRole("button", { name: "Switch plan: Farkle" }).click();
  // The active plan cannot be chosen again.
  expect(await page.getByRole("radio", { name: "free" }).isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await submit("Switch plan: Farkle", "Request Pro", "You requested Pro for Farkle. It is waiting for activation.");
  await expect.poll(() => badgesOf(page, "Farkle")).toEqual(["Active", "Waiting for activation"]);
  await farkle.getByText(/You stay on Free until it is activated\.$/).waitFor();
  await submit("Withdraw request: Farkle", "Withdraw request", "Your request for Pro for Farkle has been withdrawn.");
  await expect.poll(() => badgesOf(page, "Farkle")).toEqual(["Active"]);
  await submit("Withdraw request: Bitcoin", "Withdraw request", "Your request for Pro for Bitcoin valuation has been withdrawn.");
  // The free plan has been active beside the request.
  await expect.poll(() => badgesOf(page, "Bitcoin valuation")).toEqual(["Active"]);
  await submit("Cancel subscription: Farkle", "Cancel subscription", "Your subscription to Farkle has been cancelled.");
  await page.getByRole("button", { name: "Subscribe: Farkle" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test.each([
  { width: 390, height: 700, name: "scrolled" },
  { width: 1280, height: 300, name: "scrolled-wide" },
])("the notice of a change stays in view at $width px when the page is scrolled, until it is closed", async ({ name, ...size }) => {
  const { page, close } = await openAs(name, "/app/subscriptions");
  await page.setViewportSize(size);
  await page.getByRole("button", { name: "Subscribe: Radio stations" }).waitFor();
  await page.getByRole("button", { name: "Switch plan: Farkle" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Request Pro" }).click();
  const notice = page.getByRole("status").filter({ hasText: "You requested Pro for Farkle." });
  await notice.waitFor();
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(300);
  await expect.poll(() => notice.evaluate((box) => Math.round(box.getBoundingClientRect().top))).toBeGreaterThanOrEqual(0);
  // Nothing lies over it, such as the header.
  const isOnTop = (box: Element): boolean => {
    const { left, top, height } = box.getBoundingClientRect();
    return [4, height / 2, height - 4].every((down) => box.contains(document.elementFromPoint(left + 20, top + down)));
  };
  await expect.poll(() => notice.evaluate(isOnTop)).toBe(true);
  await expect.poll(() => notice.evaluate((box) => box.getBoundingClientRect().bottom < innerHeight)).toBe(true);
  await notice.getByRole("button", { name: "Dismiss" }).click();
  await notice.waitFor({ state: "detached" });
  await close();
});

test("the password is changed, once the current one is right", async () => {
  const { page, email, faults, close } = await openAs("password", "/app/account");
  const change = async (current: string, next: string): Promise<void> => {
    await page.getByLabel("Current password").fill(current);
    await page.getByLabel("New password").fill(next);
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await change("not the password", "another horse battery");
  await page
    .getByText(/^Current password /)
    .last()
    .waitFor();
  await change(PASSWORD, "another horse battery");
  await page.getByText("Your password has been changed.").waitFor();
  await expect.poll(() => page.getByLabel("Current password").inputValue()).toBe("");
  expect(faults).toEqual([]);
  const signIn = await fetch(`${gateway.origin}/account/v1/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: "another horse battery" }),
  });
  expect(signIn.status).toBe(200);
  await close();
});
