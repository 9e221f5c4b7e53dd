// The limits of a key in the dashboard: when it is created, in its menu, and in the table.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { furnish, signUp } from "./customer.ts";
import { chooseKeyAction } from "./key-menu.ts";
import { LOOKS, openPage, pageFaults } from "./open-page.ts";

const FREE = { name: "free", callsPerMonth: 1000, requestsPerSecond: 7 };
const PRO = { ...FREE, name: "pro", priceMinor: 1290 };

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock, plans: { farkle: [FREE], bitcoin: [FREE, PRO] } });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

test("a key is created with limits, which the table shows with the calls of the month", async () => {
  const customer = await signUp(gateway, "limits");
  await furnish(customer);
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/keys?do=make", LOOKS.light, customer.token);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("web");
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByRole("textbox", { name: "Calls per month" }).fill("1.5");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Calls per month must be a whole number of at most 1,000,000,000.").waitFor();
  await dialog.getByRole("textbox", { name: "Calls per month" }).fill("50");
  await dialog.getByRole("textbox", { name: "Allowed origins" }).fill("https://app.example.com/");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText('write "https://app.example.com/" as https://app.example.com').waitFor();
  await dialog.getByRole("textbox", { name: "Allowed origins" }).fill("https://app.example.com\nhttps://b.example.com");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await dialog.getByRole("button", { name: "Create key" }).click();
  await page.getByText("Save it now").waitFor();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByText("Limits: 0 of 50 calls this month, 2 allowed origins").waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("the limits of a key are changed and removed in its menu", async () => {
  const customer = await signUp(gateway, "limits-menu");
  await furnish(customer);
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/keys", LOOKS.dark, customer.token);
  const dialog = page.getByRole("dialog");
  await chooseKeyAction(page, "a server", "Limits");
  await dialog.getByRole("textbox", { name: "Requests per second" }).fill("3");
  await dialog.getByRole("textbox", { name: "Calls per month" }).fill("1000000");
  await dialog.getByRole("textbox", { name: "Allowed IP addresses" }).fill("203.0.113.7/32\n2001:db8::/32");
  await dialog.getByRole("textbox", { name: "Allowed origins" }).fill("https://shop.example.com");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("has been changed.").waitFor();
  const limits = page.getByText(
    "Limits: 0 of 1,000,000 calls this month, 3 requests per second, 2 allowed IP addresses, 1 allowed origin",
  );
  // All of them can be read: nothing is cut after the second line.
  expect(await limits.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
  await chooseKeyAction(page, "a server", "Limits");
  expect(await dialog.getByRole("textbox", { name: "Allowed IP addresses" }).inputValue()).toBe("203.0.113.7\n2001:db8::/32");
  for (const name of ["Calls per month", "Requests per second", "Allowed IP addresses", "Allowed origins"]) {
    await dialog.getByRole("textbox", { name }).fill("");
  }
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Limits:").waitFor({ state: "detached" });
  expect(faults).toEqual([]);
  await close();
});
