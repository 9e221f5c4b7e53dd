// A key for browsers: pages of its allowed origins can call with it, over each protocol that pages can use, and pages of others cannot.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { closePages, sharedBrowser } from "./chromium.ts";

let gateway: Gateway;
let browser: Browser;
let servers: readonly Server[] = [];
beforeAll(async () => {
  gateway = await startGateway({ plans: { farkle: [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 100 }] } });
  browser = await sharedBrowser();
  servers = [await startPage(), await startPage()];
});
afterAll(async () => {
  await closePages(browser);
  for (const server of servers) {
    server.close();
  }
  await gateway.close();
});

async function startPage(): Promise<Server> {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// Calls from a page in each protocol. Each call needs a preflight, because of the header with the key.
async function callsFrom(origin: string, key: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  try {
    await page.goto(origin);
    return await page.evaluate(
      async ([target = "", secret = ""]) => {
        const rpc = `${target}/quintet.farkle.v1.FarkleService/Score`;
        const headers = { "x-gateway-key": secret };
        const post = (type: string, body: BodyInit) =>
          fetch(rpc, { method: "POST", headers: { ...headers, "content-type": type }, body });
        const responses = await Promise.all([
          fetch(`${target}/farkle/v1/score?dice=1`, { headers }),
          post("application/json", '{"dice":[1]}'),
          // A message of three bytes: the field `dice` with a single 1.
          post("application/grpc-web+proto", new Uint8Array([0, 0, 0, 0, 3, 10, 1, 1])),
        ]);
        return Promise.all(
          responses.map(async (response) => {
            const text = await response.text();
            const status = response.headers.get("grpc-status") ?? /grpc-status: (\d+)/.exec(text)?.[1];
            return `${response.status}${status === undefined ? "" : ` grpc-status ${status}`} ${/KEY_\w+_REFUSED/.exec(text)?.[0] ?? ""}`.trim();
          }),
        );
      },
      [gateway.origin, key],
    );
  } finally {
    await page.close();
  }
}

test("pages of an allowed origin may call with a key, and pages of other origins may not", async () => {
  const [allowed, other] = servers.map(originOf) as [string, string];
  const { secret, key } = await gateway.makeCustomer({ farkle: "free" });
  await gateway.store.updateKey(key.id, { allowedOrigins: [allowed] });
  expect(await callsFrom(allowed, secret)).toEqual(["200", "200", "200 grpc-status 0"]);
  // 7 is PERMISSION_DENIED.
  expect(await callsFrom(other, secret)).toEqual(["403 KEY_ORIGIN_REFUSED", "403 KEY_ORIGIN_REFUSED", "200 grpc-status 7"]);
  await gateway.store.updateKey(key.id, { allowedOrigins: [] });
  expect(await callsFrom(other, secret)).toEqual(["200", "200", "200 grpc-status 0"]);
});
