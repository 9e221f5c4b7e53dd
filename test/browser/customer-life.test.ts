// A customer's whole life in a browser: sign up, subscribe, create a key, call in three protocols, see the quota and the live view change,
// call too often and get advice on a better plan, rotate, revoke, be refused. The live view is open in a second tab all the time. The key
// is created with the keyboard only.
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { PASSWORD, randomEmail } from "./customer.ts";
import { chooseKeyAction } from "./key-menu.ts";
import { LOOKS, openPage, pageFaults } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    clock: systemClock,
    plans: {
      farkle: [
        { name: "free", callsPerMonth: 1000, requestsPerSecond: 7 },
        { name: "pro", callsPerMonth: 100_000, requestsPerSecond: 50, priceMinor: 1290 },
      ],
    },
  });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

test("a customer signs up, subscribes, calls, and revokes the key", async () => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/sign-up", LOOKS.light);
  await page.getByLabel("E-mail address").fill(randomEmail("ada"));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();

  await page.getByRole("link", { name: "Choose a plan" }).click();
  await page.getByRole("button", { name: "Subscribe: Farkle" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("You're on the Free plan for Farkle.").waitFor();

  await page.getByRole("link", { name: "Keys" }).click();
  const first = await makeKeyByKeyboard(page);
  await page.getByText("Try Farkle", { exact: true }).waitFor();
  expect(await page.getByRole("dialog").textContent()).toContain(
    `curl -sS --fail-with-body \\\n  -H "x-gateway-key: ${first}" \\\n  '${gateway.origin}/farkle/v1/score`,
  );
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "I have saved it" }).click();
  const live = await page.context().newPage();
  await live.goto("/app/live");
  await live.getByText("No calls yet").waitFor();
  expect(await score(first)).toEqual({ rest: "ok", connect: "ok", grpcWeb: "ok" });
  await expect.poll(() => shownCalls(live, first)).toEqual(["gRPC-Web OK", "Connect OK", "REST OK"]);

  await page.getByRole("link", { name: "Overview" }).click();
  await expect.poll(() => monthOf(page)).toContain("3 of 1,000");

  // A slow machine may spread some of them over seconds.
  let refused = 0;
  while (refused < 2) {
    const statuses = await Promise.all(Array.from({ length: 25 }, () => statusOf(first)));
    refused += statuses.filter((status) => status === 429).length;
  }
  const limited = async (): Promise<number> =>
    (await shownCalls(live, first)).filter((call) => call === "REST RATE_LIMITED").length;
  await expect.poll(limited).toBe(refused);
  await page.getByRole("link", { name: "Subscriptions" }).click();
  const advice = page.getByText(`pro (€12.90 a month) would have admitted all of this month's ${refused} refused calls.`);
  await expect.poll(() => seenAgain(page, advice)).toBe(true);

  await page.getByRole("link", { name: "Keys" }).click();
  await chooseKeyAction(page, "laptop", "Rotate");
  await page.getByLabel("Keep the old key working").selectOption("for an hour");
  await page.getByRole("button", { name: "Rotate key" }).click();
  const second = await issuedKey(page);
  await page.getByRole("button", { name: "I have saved it" }).click();
  // The current second may be used up by the calls above.
  for (const secret of [first, second]) {
    await expect.poll(() => score(secret), { interval: 1500 }).toEqual({ rest: "ok", connect: "ok", grpcWeb: "ok" });
  }

  for (const secret of [second, first]) {
    await chooseKeyAction(page, secret.slice(-4), "Revoke");
    await page.getByRole("button", { name: "Revoke permanently" }).click();
    const notice = page.getByRole("status").filter({ hasText: `(…${secret.slice(-4)}) has been revoked.` });
    expect(await notice.textContent()).toMatch(/Every server refused it within [\d,]+ ms\./);
    expect(await score(secret)).toEqual({ rest: "KEY_REVOKED", connect: "unauthenticated", grpcWeb: "unauthenticated" });
    await expect
      .poll(async () => (await shownCalls(live, secret)).slice(0, 3))
      .toEqual(["gRPC-Web KEY_REVOKED", "Connect KEY_REVOKED", "REST KEY_REVOKED"]);
  }
  await page.getByText("You have no active key").waitFor();

  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

// Only the keyboard is used, starting at the top of the page.
async function makeKeyByKeyboard(page: Page): Promise<string> {
  await page.getByText("No keys yet").waitFor();
  await tabTo(page, "Create key");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Create key" }).waitFor();
  await tabTo(page, "Name");
  await page.keyboard.type("laptop");
  await tabTo(page, "All services, including new ones");
  await page.keyboard.press("ArrowDown");
  await tabTo(page, "Farkle");
  await page.keyboard.press("Space");
  await tabTo(page, "Create key");
  await page.keyboard.press("Enter");
  return await issuedKey(page);
}

const STEPS_MAX = 40;

async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const at = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return [...(element?.labels ?? [])].map(({ textContent }) => textContent).join("") || element?.textContent || "";
    });
    if (at.trim() === name) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`The Tab key does not lead to ${name}`);
}

async function issuedKey(page: Page): Promise<string> {
  await page.getByText("Save it now").waitFor();
  return (await page.getByRole("dialog").locator("code").first().textContent()) ?? "";
}

async function monthOf(page: Page): Promise<string> {
  await page.reload();
  return (await page.getByRole("region", { name: "Your services" }).textContent()) ?? "";
}

async function seenAgain(page: Page, text: Locator): Promise<boolean> {
  await page.reload();
  await page.getByRole("heading", { name: "Farkle" }).waitFor();
  return await text.isVisible();
}

// What the live view says about the calls with this key, newest first: protocol and outcome.
const shownCalls = (live: Page, secret: string): Promise<readonly string[]> =>
  live.getByRole("list", { name: "Calls, newest first" }).evaluate(
    (list, lastFour) =>
      [...list.children]
        .filter((row) => row.querySelector("dl")?.textContent?.includes(`…${lastFour}`))
        .map((row) => [...row.querySelectorAll("summary > span")].map(({ textContent }) => textContent))
        .map(([, protocol, outcome]) => `${protocol} ${outcome}`),
    secret.slice(-4),
  );

const statusOf = async (secret: string): Promise<number> =>
  (await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } })).status;

// The outcome of a call in each protocol.
async function score(secret: string): Promise<Readonly<Record<string, string>>> {
  const headers = { "x-gateway-key": secret };
  const rest = (await (await fetch(`${gateway.origin}/farkle/v1/score?dice=1,5`, { headers })).json()) as {
    readonly status: string;
    readonly error?: { readonly reason: string };
  };
  const rpc = async (createTransport: typeof createConnectTransport | typeof createGrpcWebTransport): Promise<string> => {
    const client = createClient(FarkleService, createTransport({ baseUrl: gateway.origin }));
    try {
      await client.score({ dice: [1, 5] }, { headers });
      return "ok";
    } catch (error) {
      return ConnectError.from(error).code === Code.Unauthenticated ? "unauthenticated" : String(error);
    }
  };
  return {
    rest: rest.error?.reason ?? rest.status,
    connect: await rpc(createConnectTransport),
    grpcWeb: await rpc(createGrpcWebTransport),
  };
}
