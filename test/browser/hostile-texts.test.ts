// What customers and receivers of webhooks write, as an attacker would write it: no page of theirs or of the operators runs any of it, or
// links to it. The responses are changed on their way, because most of these texts would not get past the server.
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";
import { changeOutput } from "./connect-calls.ts";
import { type Customer, signIn, signUp } from "./customer.ts";
import { emptyPage, LOOKS } from "./open-page.ts";

const MARKUP = `"'></title></script><img src=/x onerror=hacked=1><script>hacked=1</script>`;
const LINK = "javascript:hacked=1//https://example.com/";
const TEXTS = /^(?:name|notes|email|title|text|description|error|response|userAgent|.*(?:Name|Email))$/;
const LINKS = /^(?:url|.+Url)$/;

let gateway: Gateway;
let browser: Browser;
let operator: Customer;
beforeAll(async () => {
  gateway = await startGateway({ clock: systemClock });
  browser = await sharedBrowser();
  const customer = await signUp(gateway, "mallory");
  const account = accountClient(customer.transport);
  await account.createKey({ name: "a server", notes: "a note" });
  await account.createWebhookEndpoint({ url: "https://example.com/hook", description: "alerts" });
  await gateway.store.setOperator(customer.id, true);
  operator = await signIn(gateway, customer);
});
afterAll(async () => {
  await closePages(browser);
  await gateway.close();
});

function hostile(value: JsonValue, field = ""): JsonValue {
  if (Array.isArray(value)) {
    return value.map((each) => hostile(each, field));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, name)]));
  }
  const isText = typeof value === "string" && TEXTS.test(field);
  return isText ? MARKUP : typeof value === "string" && LINKS.test(field) ? LINK : value;
}

test.each([
  "/app/keys",
  "/app/alerts",
  "/app/account",
  "/app/operator/accounts",
  "/app/operator/accounts/id/:account",
  "/app/operator/audit",
])("%s shows it as text", async (path) => {
  const { page, faults, close } = await emptyPage(browser, gateway.origin, LOOKS.light, operator.token);
  await page.route(/\/quintet\.\w+\.v1\.\w+\/(?:GetAccount|List\w+)$/, (route) =>
    changeOutput(route, (output) => hostile(output) as JsonObject),
  );
  await page.goto(path.replace(":account", operator.id));
  await page.getByText("<script>hacked=1</script>").filter({ visible: true }).first().waitFor();
  const found = await page.evaluate(() => ({
    hacked: "hacked" in globalThis,
    added: document.querySelectorAll("[onerror], script:not([src]), [href^='javascript' i], img[src^='javascript' i]").length,
  }));
  expect(found).toEqual({ hacked: false, added: 0 });
  expect(faults).toEqual([]);
  await close();
});
