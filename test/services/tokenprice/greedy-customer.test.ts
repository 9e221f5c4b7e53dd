// One customer asks for large charts while the source is slow; another asks for a price.
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { startLoopbackServer } from "../../upstream/loopback-server.ts";
import { nowMs, startTokenPrice } from "./start-token-price.ts";

test("a greedy customer's charts do not delay another customer's price", async () => {
  const waiting: ServerResponse[] = [];
  const source = await startLoopbackServer((request, response) => {
    if (request.url?.startsWith("/prices/") === true) {
      response.end(`{"coins":{"coingecko:modest":{"price":1,"symbol":"M","timestamp":${Math.floor(nowMs / 1000)}}}}`);
    } else {
      waiting.push(response);
    }
  });
  const client = startTokenPrice(source.origin, { concurrencyMax: 8 });
  const charts = Array.from({ length: 30 }, (_, call) => {
    const tokens = Array.from({ length: 100 }, (__, token) => `coingecko:greedy-${call}-${token}`);
    return client.getPriceCharts({ tokens, span: 50, period: "1d" }, { headers: { account: "greedy" } }).catch(() => undefined);
  });
  await source.received(6);
  const { results } = await client.getPrices({ tokens: ["coingecko:modest"] }, { headers: { account: "modest" } });
  expect([results.map(({ token }) => token), source.requests.length, waiting.length]).toEqual([["coingecko:modest"], 7, 6]);
  const responding = setInterval(() => {
    for (const response of waiting.splice(0)) {
      response.end('{"coins":{}}');
    }
  }, 1);
  await Promise.all(charts);
  clearInterval(responding);
});
