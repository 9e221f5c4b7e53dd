// What a call passes on to the upstreams: its request id, its trace and its deadline, and nothing else.
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { startGateway } from "../../fixtures/gateway.ts";
import { startLoopbackServer } from "../../upstream/loopback-server.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const REQUEST_ID = "6f1c8a52-0d9e-4b7a-9f55-0c1e2d3f4a5b";
const OWN = ["accept", "accept-encoding", "connection", "host", "user-agent"];

async function scene(result: Parameters<typeof startLoopbackServer>[0]) {
  const upstream = await startLoopbackServer(result);
  const gateway = await startGateway({
    variables: {
      QUINTET_COINS_URL: upstream.origin,
      QUINTET_RADIO_MIRRORS: upstream.origin,
    },
  });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer({ "token-price": "free", radio: "free" });
  // Everything that a careless or malicious caller could send along.
  const headers = {
    "x-gateway-key": secret,
    "x-request-id": REQUEST_ID,
    traceparent: TRACEPARENT,
    tracestate: "congo=t61rcWkgMzE",
    authorization: "Bearer secret",
    cookie: "quintet_session=secret",
    baggage: "user=ada",
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-client-cert": "URI=spiffe://a/b",
    "x-other": "other",
  };
  return { upstream, gateway, headers };
}

const TRACED = { "x-request-id": REQUEST_ID, traceparent: TRACEPARENT, tracestate: "congo=t61rcWkgMzE" };

/** What reached the upstream besides its own headers. */
function reached(request: { readonly headers: NodeJS.Dict<string | string[]> } | undefined): unknown {
  return Object.fromEntries(Object.entries(request?.headers ?? {}).filter(([name]) => !OWN.includes(name)));
}

// A list is a good response of the directory of radio stations, and an object one of the source of prices.
const nothingFound: Parameters<typeof startLoopbackServer>[0] = ({ url = "" }, response) =>
  response.end(url.startsWith("/json/") ? "[]" : "{}");

describe("an upstream gets the request id and the trace of a call, and nothing else", () => {
  test.for([
    ["token prices", "/token-price/v1/price?tokens=ethereum:0x0000000000000000000000000000000000000000"],
    ["the radio directory, through its mirrors", "/radio/v1/search?tag=jazz"],
  ])("over REST, to %s", async ([, path]) => {
    const { upstream, gateway, headers } = await scene(nothingFound);
    const response = await fetch(`${gateway.origin}${path}`, { headers });
    await response.text();
    expect([response.headers.get("x-request-id"), reached(upstream.requests[0])]).toEqual([REQUEST_ID, TRACED]);
  });

  test("over gRPC, on a unary call and on a stream", async () => {
    const { upstream, gateway, headers } = await scene((_, response) => response.end('{"coins":{}}'));
    const client = createClient(TokenPriceService, createGrpcTransport({ baseUrl: gateway.origin }));
    const tokens = ["ethereum:0x0000000000000000000000000000000000000000"];
    await client.getPrices({ tokens }, { headers }).catch(() => undefined);
    await upstream.received(1);
    const other = ["ethereum:0x0000000000000000000000000000000000000001"];
    const stopped = new AbortController();
    const watching = (async () => {
      for await (const _ of client.watchPrices({ tokens: other }, { headers, signal: stopped.signal })) {
        // Any message will do.
      }
    })().catch(() => undefined);
    await upstream.received(2);
    stopped.abort();
    await watching;
    expect(upstream.requests.map(reached)).toEqual([TRACED, TRACED]);
  });

  test("with a request id of our own if the caller has none", async () => {
    const { upstream, gateway, headers } = await scene(nothingFound);
    const response = await fetch(`${gateway.origin}/radio/v1/search?tag=jazz`, {
      headers: { "x-gateway-key": headers["x-gateway-key"], "x-request-id": "not a UUID", traceparent: "x" },
    });
    await response.text();
    expect(reached(upstream.requests[0])).toEqual({ "x-request-id": response.headers.get("x-request-id") });
  });
});

test("a request to an upstream ends at the deadline of its call", async () => {
  const cut = Promise.withResolvers<void>();
  const { upstream, gateway, headers } = await scene((request) => void request.socket.once("close", () => cut.resolve()));
  const url = `${gateway.origin}/token-price/v1/price?tokens=ethereum:0x0000000000000000000000000000000000000000`;
  const responded = fetch(url, { headers: { ...headers, "x-server-timeout": "2" } });
  await upstream.received(1);
  gateway.clock.advance(2000);
  await cut.promise;
  expect((await responded).status).toBe(504);
});
