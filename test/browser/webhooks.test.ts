// Webhooks on the alerts page: an endpoint from its creation to its deletion, with a receiver that works and one that does not.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { startReceiver, verified, type WebhookReceiver, withStatus } from "../fixtures/servers/webhook-receiver.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { signUp } from "./customer.ts";
import { LOOKS, openPage, pageFaults, takePicture } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ clock: systemClock, variables: { QUINTET_WEBHOOK_ADDRESSES: "private" } });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
  await receiver.close();
});

test("an endpoint is added, tested, replayed, rotated, disabled and deleted", async () => {
  const { token } = await signUp(gateway, "ada");
  const before = receiver.received.length;
  receiver.respond = withStatus(204);
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/alerts", LOOKS.light, token);
  const act = async (name: string) => {
    await page.getByRole("button", { name: `Actions for ${receiver.url}` }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  const table = page.getByRole("region", { name: "Webhook endpoints" });
  const deliveries = page.getByRole("region", { name: "Deliveries, newest first" });
  await page.getByRole("button", { name: "Add webhook endpoint" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill("example.com");
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  await dialog.getByText("URL must be an https or http URL, such as https://example.com/webhooks.").waitFor();
  await dialog.getByLabel("URL").fill(receiver.url);
  await dialog.getByLabel("Description").fill("Our chat");
  await dialog.getByLabel("A monthly quota will probably run out early").uncheck();
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  await page.getByRole("heading", { name: "Signing secret" }).waitFor();
  const secret = /whsec_[\w+/]{43}=/.exec((await dialog.textContent()) ?? "")?.[0] ?? "";
  await page.getByRole("button", { name: "I have saved it" }).click();
  await table.getByText("(Our chat)").waitFor();
  await table.getByText("Enabled").waitFor();

  await act("Send test");
  await deliveries.getByText("Delivered", { exact: true }).waitFor();
  expect(verified(receiver.received[before] ?? expect.unreachable(), secret)).toMatchObject({ type: "webhook.test" });
  receiver.respond = withStatus(500, "out of order");
  await deliveries.getByRole("button", { name: "Replay webhook.test" }).click();
  await deliveries.getByText("The endpoint responded with HTTP 500.").first().waitFor();
  await deliveries.getByText("2 attempts").click();
  await deliveries.getByText("out of order").waitFor();
  expect(new Set(receiver.received.slice(before).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  await takePicture(page, "webhooks");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });

  await act("Rotate secret");
  await page.getByRole("heading", { name: "New signing secret" }).waitFor();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await act("Disable");
  await table.getByText("Disabled").waitFor();
  await act("Enable");
  await table.getByText("Enabled").waitFor();
  await act("Delete");
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await table.waitFor({ state: "detached" });
  expect(faults).toEqual([]);
  await close();
});

test.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("endpoints and deliveries fit the page: %s", async (look) => {
  const { token, transport: _ } = await signUp(gateway, look.replaceAll(/\W/g, ""));
  const bearing = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (const path of ["a", `${"long".repeat(30)}`]) {
    const body = JSON.stringify({ url: `${receiver.url}/${path}` });
    await fetch(`${gateway.origin}/account/v1/webhook-endpoints`, { method: "POST", headers: bearing, body });
  }
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/alerts", LOOKS[look], token);
  await page.getByRole("button", { name: "Actions for" }).first().click();
  await page.getByRole("menuitem", { name: "Send test" }).click();
  await page.getByText("webhook.test").first().waitFor();
  await takePicture(page, `${look} webhook endpoints`);
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  expect(faults).toEqual([]);
  await close();
});
