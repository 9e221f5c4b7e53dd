// Accounts in a browser, on a server that sends mail: sign up and verify, forget the password and set a new one, see and end sessions, and
// delete the account. Every page in light, in dark and on a phone.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MemberRole } from "../../gen/quintet/account/v1/member_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { linkOf, type SmtpServer, startSmtp } from "../fixtures/servers/smtp.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { PASSWORD, randomEmail, signIn, signUp } from "./customer.ts";
import { LOOKS, layoutShift, type OpenPage, openPage, pageFaults, takePicture } from "./open-page.ts";

const PUBLIC_URL = "https://api.example.com";
const NEXT_PASSWORD = "six honest dice, thrown by hand";
const SHIFT_MAX = 0.01;

let browser: Browser;
let gateway: Gateway;
let smtp: SmtpServer;
beforeAll(async () => {
  smtp = await startSmtp();
  const variables = { QUINTET_SMTP_URL: smtp.url, QUINTET_MAIL_FROM: "no-reply@example.com", QUINTET_PUBLIC_URL: PUBLIC_URL };
  gateway = await startGateway({ clock: systemClock, variables });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
  await smtp.close();
});

// The tokens of this many sessions of somebody.
async function sessionsOf(name: string, count: number): Promise<readonly string[]> {
  const customer = await signUp(gateway, name);
  const others = await Promise.all(Array.from({ length: count - 1 }, () => signIn(gateway, customer)));
  return [customer, ...others].map(({ token }) => token);
}

const open = (path: string, token?: string, look: keyof typeof LOOKS = "light"): Promise<OpenPage> =>
  openPage(browser, gateway.origin, path, LOOKS[look], token);

// Where the link leads on this server.
async function nextLink(email: string): Promise<string> {
  const link = linkOf(await smtp.nextMail(email));
  expect(link.startsWith(`${PUBLIC_URL}/app/`)).toBe(true);
  return link.slice(PUBLIC_URL.length);
}

const isTokenGone = (page: Page): Promise<boolean> =>
  page.evaluate(() => !`${location.href}${JSON.stringify([{ ...localStorage }, { ...sessionStorage }])}`.includes("token"));

const PAGES = [
  { path: "/app/forgot", ready: "Send me a link" },
  { path: "/app/reset", ready: "This link does not work" },
  { path: "/app/reset#token=none", ready: "Choose a new password" },
  { path: "/app/finish#token=none", ready: "Finish signing up" },
  { path: "/app/change-email", ready: "This link does not work" },
  { path: "/app/change-email#token=none", ready: "Change e-mail address" },
  { path: "/app/verify", ready: "This link does not work" },
  { path: "/app/verify#token=none", ready: "Verify e-mail address" },
  { path: "/app/invitation#token=none", ready: "This link does not work" },
  { path: "/app/members", ready: "primary owner" },
  { path: "/app/members?do=invite", ready: "They sign in or sign up with this address to accept." },
  { path: "/app/account", ready: "Sign out all others" },
  { path: "/app/account?do=email", ready: "We will send a link to the new address" },
  { path: "/app/account?do=delete", ready: "Delete permanently" },
  { path: "/app/alerts", ready: "Your e-mail address is not verified" },
  { path: "/app/alerts?offset=25", ready: "No older alerts" },
] as const;

describe.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])("%s", (look) => {
  test.each(PAGES)("$path has no problems", async ({ path, ready }) => {
    const token = /^\/app\/(account|alerts|members)/.test(path) ? (await sessionsOf("viewer", 3))[0] : undefined;
    const { page, faults, close } = await open(path, token, look);
    await page.getByText(ready).first().waitFor();
    await takePicture(page, `${look} ${path}`);
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect(await layoutShift(page)).toBeLessThan(SHIFT_MAX);
    expect(faults).toEqual([]);
    await close();
  });
});

test("a forgotten password is reset by the link in the e-mail, whose token is removed from the address, and which works once", async () => {
  const { email } = await signUp(gateway, "ada");
  const first = await open("/app/sign-in");
  await first.page.getByRole("link", { name: "Forgot your password?" }).click();
  // The page before it has a field of the same name.
  await first.page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
  await first.page.getByLabel("E-mail address").fill(email);
  await first.page.keyboard.press("Enter");
  await first.page.getByText(`If ${email} has an account, an e-mail is on its way.`).waitFor();
  await first.close();
  const link = await nextLink(email);
  const { page, faults, close } = await open(link);
  await page.getByLabel("New password").fill("short");
  await expect.poll(() => isTokenGone(page)).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByText("New password must").waitFor();
  await page.getByLabel("New password").fill(NEXT_PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Your password is set" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(NEXT_PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expect(faults).toEqual([]);
  await close();
  const again = await open(link);
  await again.page.getByLabel("New password").fill(NEXT_PASSWORD);
  await again.page.keyboard.press("Enter");
  await again.page.getByRole("heading", { name: "This link does not work" }).waitFor();
  await again.close();
});

test("a new customer types the password once, at the link in the e-mail, and is signed in with it", async () => {
  const email = randomEmail("eve");
  const first = await open(`/app/sign-up?next=${encodeURIComponent("/app/keys?do=make")}`);
  await first.page.getByLabel("E-mail address").fill(randomEmail("evil.typo"));
  expect(await first.page.getByLabel("Password").count()).toBe(0);
  await first.page.getByRole("link", { name: "terms", exact: true }).waitFor();
  await first.page.keyboard.press("Enter");
  await first.page.getByRole("heading", { name: "Check your inbox" }).waitFor();
  await first.page.getByRole("button", { name: "Wrong address?" }).click();
  await first.page.getByLabel("E-mail address").fill(email);
  await first.page.keyboard.press("Enter");
  await first.page.getByText(`We sent a link to ${email}`).waitFor();
  await nextLink(email);
  await first.page.getByRole("button", { name: "Resend" }).click();
  await first.page.getByText("Sent again.").waitFor();
  await first.close();
  const { page, faults, close } = await open(await nextLink(email));
  await page.getByLabel("Password").fill(NEXT_PASSWORD);
  await expect.poll(() => isTokenGone(page)).toBe(true);
  await page.keyboard.press("Enter");
  // Where they came from.
  await page.getByRole("dialog", { name: "Create key" }).waitFor();
  await page.getByTitle(email).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a person who was invited by mail chooses a password at the link, and is a member", async () => {
  const owner = await signUp(gateway, "host");
  const email = randomEmail("guest");
  await accountClient(owner.transport).inviteMember({ email, role: MemberRole.READER });
  const { page, faults, close } = await open(await nextLink(email));
  await page.getByText(`${owner.email} invites you to share their account, as a reader.`).waitFor();
  await page.getByLabel("Password").fill(NEXT_PASSWORD);
  await page.getByRole("button", { name: "Create account and join" }).click();
  await page.getByText(`Account of ${owner.email}. Your role: reader.`).waitFor();
  expect((await gateway.store.findAccount(email))?.emailVerifiedAtMs).toBeDefined();
  expect(faults).toEqual([]);
  await close();
});

test("the sign-up page does not ask for a password either if it was reached from the dashboard without a session", async () => {
  const { page, faults, close } = await open("/app/keys");
  await page.getByRole("link", { name: "Sign up", exact: true }).click();
  await page.getByRole("heading", { name: "Sign up" }).waitFor();
  expect(await page.getByLabel("Password").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test("an owner verifies the address, and the notice is gone", async () => {
  const { email, token } = await signUp(gateway, "bob");
  const first = await open("/app/account", token);
  await first.page.getByRole("button", { name: "Send me a link" }).click();
  await first.page.getByText(`We sent a link to ${email}`).waitFor();
  await first.close();
  const { page, close } = await open(await nextLink(email), token);
  await page.getByLabel("Password").fill(NEXT_PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("Password is wrong.").waitFor();
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Continue" }).click();
  await page.getByRole("link", { name: "Account" }).click();
  await page.getByText("Where you are signed in").waitFor();
  expect(await page.getByText("Your e-mail address is not verified").count()).toBe(0);
  await close();
});

test("sessions are ended one by one and all at once, and the current one stays", async () => {
  const [own, second, third] = await sessionsOf("dan", 3);
  const { page, faults, close } = await open("/app/account", own);
  await page.getByRole("button", { name: "End session: Firefox on Linux from 192.0.2.7" }).first().click();
  await expect.poll(() => page.getByRole("button", { name: /^End session/ }).count()).toBe(1);
  await page.getByRole("button", { name: "Sign out all others" }).click();
  await page.getByText("One other session has ended.").waitFor();
  const alive = await Promise.all(
    [own, second, third].map(async (token) => {
      const response = await fetch(`${gateway.origin}/account/v1/account`, { headers: { authorization: `Bearer ${token}` } });
      return response.status;
    }),
  );
  expect({ alive, faults }).toEqual({ alive: [200, 401, 401], faults: [] });
  await close();
});

test("the account is deleted once its address and the password are typed", async () => {
  const { email, token } = await signUp(gateway, "gone");
  const { page, faults, close } = await open("/app/account", token);
  await page.getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await dialog.getByLabel(`Type ${email}`).fill("other@example.com");
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("does not match").waitFor();
  await dialog.getByLabel(`Type ${email}`).fill(email);
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("Your account has been deleted.").waitFor();
  expect({ account: await gateway.store.findAccount(email), faults }).toEqual({ account: undefined, faults: [] });
  await close();
});

test("alerts are listed with what to do, and the choice of mailed ones is saved", async () => {
  const { email, token } = await signUp(gateway, "alerted");
  const accountId = (await gateway.store.findAccount(email))?.id ?? "";
  await gateway.store.addMailToken({ tokenHash: email, purpose: "verify", email, accountId, expiresAtMs: Date.now() + 60_000 });
  await gateway.store.verifyEmail(email, undefined);
  const month = { service: "radio", plan: "free", month: "2026-11", used: 812, calls_per_month: 1000 };
  const of = { accountId, period: "2026-11/free", isMailed: true } as const;
  const resets_at = "2026-12-01T00:00:00Z";
  const runs = { calls_per_day: 40, runs_out_at: "2026-11-26T00:00:00Z", resets_at };
  const key = { key_id: "k", name: "web shop", last_four: "wxyz", expires_at: "2026-11-28T00:00:00Z" };
  const failing = { service: "radio", since: resets_at, calls: 200, failed: 90, percent: 45, usual_percent: 1 };
  await gateway.store.addAlerts(
    [
      { ...of, type: "quota.threshold", subject: "radio", level: 80, details: { ...month, percent: 80, resets_at } },
      { ...of, type: "quota.forecast", subject: "radio", level: 0, details: { ...month, ...runs } },
      { ...of, type: "key.expiring", subject: "k", level: 7, details: key },
      { ...of, type: "calls.failing", subject: "radio", level: 0, details: failing },
    ],
    { mails: false },
  );
  for (const look of Object.keys(LOOKS) as (keyof typeof LOOKS)[]) {
    const { page, faults, close } = await open("/app/alerts", token, look);
    await page.getByText("Radio stations: 80% of the calls for November 2026 used, 812 of 1,000 on the Free plan").waitFor();
    await page.getByText("The key web shop (…wxyz) expires on").waitFor();
    await page.getByLabel("Calls suddenly fail").waitFor();
    expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
    expect([await layoutShift(page), faults]).toEqual([expect.toSatisfy((shift: number) => shift < SHIFT_MAX), []]);
    await close();
  }
  const { page, close } = await open("/app/alerts", token);
  await page.getByLabel("Calls suddenly fail").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.reload();
  await page.getByLabel("A key is about to expire").waitFor();
  expect([
    await page.getByLabel("Calls suddenly fail").isChecked(),
    await page.getByLabel("A key is about to expire").isChecked(),
  ]).toEqual([false, true]);
  await close();
});

test("changes the address with the password and the link that the new address gets", async () => {
  const { email, token } = await signUp(gateway, "moved");
  const next = randomEmail("moved");
  const { page, faults, close } = await open("/app/account", token);
  await page.getByRole("button", { name: "Change e-mail address" }).click();
  const dialog = page.getByRole("dialog", { name: "Change e-mail address" });
  await dialog.getByLabel("New e-mail address").fill(email);
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Change e-mail address" }).click();
  await dialog.getByText("is already the account's address").first().waitFor();
  await dialog.getByLabel("New e-mail address").fill(next);
  await dialog.getByRole("button", { name: "Change e-mail address" }).click();
  await page.getByRole("dialog", { name: "Check your inbox" }).getByText(next).waitFor();
  await page.goto(gateway.origin + (await nextLink(next)));
  await page.getByLabel("Password").fill(PASSWORD);
  await expect.poll(() => isTokenGone(page)).toBe(true);
  await page.getByRole("button", { name: "Change e-mail address" }).click();
  await page.getByText("You have been signed out everywhere.").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("E-mail address").fill(next);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/app");
  await page.goto(`${gateway.origin}/app/account`);
  await page.getByRole("definition").filter({ hasText: next }).waitFor();
  expect(faults.filter((fault) => !/40[01]/.test(fault))).toEqual([]);
  await close();
});
