// How many requests to the source a call causes, which it is charged for, and what happens to a caller whose requests fill the queue.
import { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { PriceMatch } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { startLoopbackServer } from "../../upstream/loopback-server.ts";
import { nowMs, startTokenPrice } from "./start-token-price.ts";

const tokens = (count: number, call = 0): string[] => Array.from({ length: count }, (_, token) => `coingecko:t-${call}-${token}`);

test.each([
  ["GetPrices of one token", 1, (client: ReturnType<typeof startTokenPrice>) => client.getPrices({ tokens: tokens(1) })],
  ["GetPrices of 100 tokens", 1, (client: ReturnType<typeof startTokenPrice>) => client.getPrices({ tokens: tokens(100) })],
  [
    "GetPriceCharts of one token",
    1,
    (client: ReturnType<typeof startTokenPrice>) => client.getPriceCharts({ tokens: tokens(1), span: 10, period: "1d" }),
  ],
  [
    "GetPriceCharts of 100 tokens",
    10,
    (client: ReturnType<typeof startTokenPrice>) => client.getPriceCharts({ tokens: tokens(100), span: 50, period: "1d" }),
  ],
])("%s is charged for %i requests", async (_, charged, call) => {
  const source = await startLoopbackServer((_request, response) => response.end('{"coins":{}}'));
  let sent = 0;
  const client = startTokenPrice(source.origin, {
    onSend: () => {
      sent++;
    },
  });
  await call(client).catch(() => undefined);
  expect([sent, source.requests.length]).toEqual([charged, charged]);
});

test.each([
  [PriceMatch.AT_OR_BEFORE, 30],
  [PriceMatch.NEAREST, 10],
])("a chart with match %i, of tokens that have only later prices, is charged for %i requests", async (match, charged) => {
  const source = await startLoopbackServer((request, response) => {
    const ids = decodeURIComponent(request.url?.split("?")[0]?.split("/")[2] ?? "").split(",");
    const later = { symbol: "T", prices: [{ timestamp: Math.floor(nowMs / 1000) - 86_400 + 60, price: 1 }] };
    response.end(JSON.stringify({ coins: Object.fromEntries(ids.map((id) => [id, later])) }));
  });
  let sent = 0;
  const client = startTokenPrice(source.origin, {
    onSend: () => {
      sent++;
    },
  });
  const end = Math.floor(nowMs / 1000) - 86_400;
  await client.getPriceCharts({ tokens: tokens(100), span: 50, period: "1d", end, match });
  expect([sent, source.requests.length]).toEqual([charged, charged]);
});

test("a caller whose own requests fill the queue is told to slow down", async () => {
  const source = await startLoopbackServer(() => {});
  const client = startTokenPrice(source.origin, { concurrencyMax: 1, timeoutMs: 2000 });
  const calls = Array.from({ length: 400 }, (_, call) =>
    client.getPrices({ tokens: tokens(1, call) }, { headers: { account: "greedy" } }).then(
      () => "OK",
      (error: unknown) => ConnectError.from(error).rawMessage,
    ),
  );
  const messages = new Set(await Promise.all(calls));
  expect(messages).toContain(
    "Too many requests to the price source are waiting, most of them of this account's other calls; retry in 1 s.",
  );
  expect([...messages].filter((message) => message.includes("usable"))).toEqual([]);
});
