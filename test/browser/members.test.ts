import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { PASSWORD, signUp } from "./customer.ts";
import { LOOKS, openPage, pageFaults, takePicture } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

test("a person is invited, joins as a reader, switches accounts, cannot create a key, and is told that they were removed", async () => {
  const [owner, guest] = [await signUp(gateway, "owner"), await signUp(gateway, "guest")];
  const account = accountClient(owner.transport);
  const inviting = await openPage(browser, gateway.origin, "/app/members", LOOKS.light, owner.token);
  await inviting.page.getByRole("button", { name: "Invite member" }).click();
  await inviting.page.getByLabel("E-mail address").fill(guest.email);
  await inviting.page.getByLabel("Role").selectOption({ label: "Reader" });
  await inviting.page.getByRole("button", { name: "Invite", exact: true }).click();
  const link = await inviting.page.getByText(`${gateway.origin}/app/invitation#token=`).textContent();
  await inviting.page.getByRole("button", { name: "Done" }).click();
  await inviting.page.getByRole("button", { name: `Withdraw the invitation to ${guest.email}` }).waitFor();
  const list = inviting.page.getByRole("region", { name: "Pending invitations" });
  expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await takePicture(inviting.page, "members");
  expect(inviting.faults).toEqual([]);
  await inviting.close();

  const path = (link ?? "").slice(gateway.origin.length);
  const { page, faults, close } = await openPage(browser, gateway.origin, path, LOOKS.light, guest.token);
  const header = page.getByRole("banner");
  await header.getByRole("link", { name: "Dashboard" }).waitFor();
  expect(await header.getByRole("link", { name: "Sign in" }).isVisible()).toBe(false);
  await page.getByRole("button", { name: `Join as ${guest.email}` }).click();
  const bar = page.getByText(`Account of ${owner.email}. Your role: reader.`);
  await bar.waitFor();
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByText("You are a reader of this account. Only developers and owners can create or change keys.").waitFor();
  await page.getByText("No keys yet").waitFor();
  expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
  await takePicture(page, "a shared account");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });

  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Activity", exact: true }).click();
  await page.getByText("Only owners can see its activity.").waitFor();
  // There is nothing to filter.
  expect(await page.getByLabel("Topic").count()).toBe(0);

  // Their own account, and back.
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("button", { name: `${guest.email} your own` }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await bar.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("button", { name: `${owner.email} reader` }).click();
  await bar.waitFor();

  // Only the password makes them an owner.
  const members = await openPage(browser, gateway.origin, "/app/members", LOOKS.light, owner.token);
  await members.page.getByRole("button", { name: `Actions for ${guest.email}` }).click();
  await members.page.getByRole("menuitem", { name: "Change role to owner" }).click();
  const dialog = members.page.getByRole("dialog", { name: `Make ${guest.email} an owner` });
  await dialog.getByLabel("Your password").fill("not the password");
  await dialog.getByRole("button", { name: "Make owner" }).click();
  await dialog.getByText("Your password is wrong.").waitFor();
  expect(await dialog.getByLabel("Code").count()).toBe(0);
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Make owner" }).click();
  await dialog.waitFor({ state: "hidden" });
  await members.page.getByRole("cell", { name: "Owner", exact: true }).waitFor();
  await members.close();

  const { results } = await account.listMembers({});
  await account.removeMember({ memberId: results.find(({ email }) => email === guest.email)?.id ?? "" });
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Usage", exact: true }).click();
  await page.getByText("You no longer have access to the account that was shown here.").waitFor();
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByText(`Signed in as ${guest.email}`).waitFor();
  expect(await bar.count()).toBe(0);
  expect(faults.filter((fault) => !fault.includes("403"))).toEqual([]);
  await close();
});
