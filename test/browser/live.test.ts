// The live page as a person sees it: a call in any protocol is shown within a second, and a refused one with its reason.
import { createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { type Customer, signUp } from "./customer.ts";
import { LOOKS, openPage, pageFaults } from "./open-page.ts";

let browser: Browser;
let gateway: Gateway;
let customer: Customer;
let secret: string;
beforeAll(async () => {
  gateway = await startGateway({
    clock: systemClock,
    plans: { farkle: [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 100 }] },
  });
  browser = await sharedBrowser();
});
// Each test, and each further attempt, has its own: calls are remembered.
beforeEach(async () => {
  customer = await signUp(gateway, "ada");
  const account = accountClient(customer.transport);
  await account.setSubscription({ service: "farkle", plan: "free" });
  ({ secret } = await account.createKey({}));
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

const rest = (key = secret): Promise<Response> =>
  fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": key } });

const score = (transportOf: (baseUrl: string) => Transport) => (): Promise<unknown> =>
  createClient(FarkleService, transportOf(gateway.origin)).score({ dice: [1] }, { headers: { "x-gateway-key": secret } });

const CALLS: readonly (readonly [protocol: string, call: () => Promise<unknown>])[] = [
  ["REST", rest],
  ["Connect", score((baseUrl) => createConnectTransport({ baseUrl }))],
  ["gRPC-Web", score((baseUrl) => createGrpcWebTransport({ baseUrl }))],
  ["gRPC", score((baseUrl) => createGrpcTransport({ baseUrl }))],
];

// Then the calls so far are there too.
const untilLive = (page: Page): Promise<void> => page.locator('[data-state="live"]').waitFor();
const rows = (page: Page) => page.getByRole("list", { name: "Calls, newest first" }).getByRole("listitem");

test.each(Object.entries(LOOKS))("%s: shows calls of every protocol as they arrive, and has no problems", async (_, look) => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/live", look, customer.token);
  await untilLive(page);
  for (const [protocol, call] of CALLS) {
    const before = await rows(page).count();
    await call();
    const newest = rows(page).first();
    await expect.poll(() => rows(page).count()).toBe(before + 1);
    expect(await newest.textContent()).toContain(protocol);
    expect(await newest.textContent()).toContain("farkle/Score");
    const summary = newest.locator("summary");
    const isWide = look.viewport.width > 1152;
    expect([await summary.getByText(`…${secret.slice(-4)}`).isVisible(), await summary.getByText(/\d bytes/).isVisible()]).toEqual([
      isWide,
      isWide,
    ]);
  }
  await rows(page).first().locator("summary").click();
  await page.getByRole("link", { name: "Open in console" }).waitFor();
  expect(await page.getByRole("link", { name: "Open in console" }).getAttribute("href")).toBe("/app/console/farkle/score");
  expect(await pageFaults(page)).toEqual({ sideways: 0, serious: [] });
  expect(faults).toEqual([]);
  await close();
});

test("shows why a call was refused, filters by that, and keeps the filter when the page is reloaded", async () => {
  const account = accountClient(customer.transport);
  const { key, secret: revoked } = await account.createKey({ name: "old" });
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/live", LOOKS.light, customer.token);
  await untilLive(page);
  await rest();
  await account.revokeKey({ keyId: key?.id ?? "" });
  await rest(revoked);
  await page.getByText("KEY_REVOKED").first().waitFor();
  await page.getByLabel("Only refused calls").check();
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(await rows(page).first().textContent()).toContain("KEY_REVOKED");
  await page.reload();
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(new URL(page.url()).search).toBe("?refused=true");
  await page.getByRole("searchbox", { name: "Search" }).fill("nothing like it");
  await page.getByText("No calls match these filters.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(1);
  expect(faults).toEqual([]);
  await close();
});

test("keeps calls back while it is paused, and says how many wait", async () => {
  const { page, faults, close } = await openPage(browser, gateway.origin, "/app/live", LOOKS.light, customer.token);
  await untilLive(page);
  await rest();
  await expect.poll(() => rows(page).count()).toBe(1);
  await page.getByRole("button", { name: "Pause" }).click();
  await rest();
  await rest();
  await page.getByRole("button", { name: "Resume (2 calls waiting)" }).waitFor();
  expect(await rows(page).count()).toBe(1);
  await page.getByRole("button", { name: "Resume (2 calls waiting)" }).click();
  await expect.poll(() => rows(page).count()).toBe(3);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("No calls yet").waitFor();
  expect(faults).toEqual([]);
  await close();
});
