import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, signUp } from "./customer.ts";
import { LOOKS, layoutShift, openPage, pageFaults, takePicture } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
let customer: Customer;
beforeAll(async () => {
  gateway = await startGateway({
    clock: systemClock,
    plans: { farkle: [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 100 }] },
  });
  browser = await sharedBrowser();
  customer = await signUp(gateway, "ada");
  const account = accountClient(customer.transport);
  const { subscription } = await account.setSubscription({ service: "farkle", plan: "free" });
  const { key } = await account.createKey({ name: "shop" });
  await account.revokeKey({ keyId: key?.id ?? "" });
  const month = new Date().toISOString().slice(0, 7) as `${number}-${number}`;
  const operator = gateway.store.by({ kind: "operator", name: "alice", origin: "host-1" });
  await operator.credit(subscription?.id ?? "", month, 1500);
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

const entries = (page: Page) => page.getByRole("region", { name: "Activity" }).locator("tbody tr").count();

test.each(Object.entries(LOOKS))("%s: it says in sentences what was done, and has no problems", async (name, look) => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/activity", look, customer.token);
  await page.getByText("An operator added 1,500 calls to Farkle").waitFor();
  await page.getByText(/^You revoked key shop \(….{4}\)\.$/).waitFor();
  await page.getByText("You subscribed to Farkle on the Free plan.").waitFor();
  await page.getByText("Someone signed up.").waitFor();
  expect([await pageFaults(page), faults]).toEqual([{ sideways: 0, serious: [] }, []]);
  await takePicture(page, `activity ${name}`);
  expect(await layoutShift(page)).toBeLessThan(0.1);
  await close();
});

test("it is found in the navigation, and filtered by subject and day", async () => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app", LOOKS.light, customer.token);
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Activity" }).click();
  await page.getByText("Someone signed up.").waitFor();
  await page.getByLabel("Topic").selectOption("Keys");
  await expect.poll(() => entries(page)).toBe(2);
  await page.reload();
  await expect.poll(() => entries(page)).toBe(2);
  await page.getByLabel("Last day").fill("2020-01-01");
  await page.getByRole("heading", { name: "No entries found" }).waitFor();
  await page.getByLabel("First day").fill("2021-01-01");
  await page.getByText("must not be before the first day").waitFor();
  await page.getByLabel("Last day").fill("");
  await expect.poll(() => entries(page)).toBe(2);
  expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
  await close();
});
