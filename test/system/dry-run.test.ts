// Dry runs: what they cost, and that they reach neither a handler nor an upstream. Their responses in each protocol are in the matrix.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { describe, expect, onTestFinished, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { TokenPriceService } from "../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";

const DRY = { "x-quintet-dry-run": "true" };
const SCORE = "/farkle/v1/score?dice=1";
const WATCH = "/token-price/v1/watch?tokens=coingecko:bitcoin";
const MESSAGE = "Dry run: the call was not made. It would be admitted, as far as a dry run checks its input.";
const PLANS = {
  farkle: [{ name: "free", callsPerMonth: 5, requestsPerSecond: 2 }],
  "token-price": [{ name: "free", callsPerMonth: 5, requestsPerSecond: 100, tokensPerCallMax: 3 }],
};

interface Scene {
  readonly gateway: Gateway;
  readonly headers: Readonly<Record<string, string>>;
  /** The requests to the upstream. */
  readonly requested: readonly string[];
  call(
    path: string,
    more?: Readonly<Record<string, string>>,
    method?: string,
  ): Promise<{ status: number; body: Envelope; month: number; headers: Headers }>;
}

interface Envelope {
  readonly data: unknown;
  readonly message: string;
  readonly error?: { readonly reason: string };
}

async function open(): Promise<Scene> {
  const requested: string[] = [];
  const upstream = createServer((request, response) => {
    requested.push(String(request.url));
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const gateway = await startGateway({ plans: PLANS, variables: { QUINTET_COINS_URL: `http://127.0.0.1:${port}` } });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer({ farkle: "free", "token-price": "free" });
  const headers = { "x-gateway-key": secret };
  return {
    gateway,
    headers,
    requested,
    async call(path, more = {}, method = "GET") {
      const response = await fetch(gateway.origin + path, { method, headers: { ...headers, ...more } });
      const [, month] = /"month";r=(\d+)/.exec(response.headers.get("ratelimit") ?? "") ?? [];
      return {
        status: response.status,
        body: (await response.json()) as Envelope,
        month: Number(month),
        headers: response.headers,
      };
    },
  };
}

test("counts towards the rate but not the month's quota, and is not in the usage", async () => {
  const { gateway, call } = await open();
  const seen: (readonly [number, number])[] = [];
  const outcome = async (headers = {}): Promise<void> => {
    const { status, month } = await call(SCORE, headers);
    seen.push([status, month]);
  };
  await outcome(DRY);
  await outcome(DRY);
  await outcome(DRY);
  for (let call = 0; call < 5; call++) {
    gateway.clock.advance(1000);
    await outcome();
  }
  gateway.clock.advance(1000);
  await outcome(DRY);
  expect(seen).toEqual([
    [200, 5],
    [200, 5],
    [429, 5],
    [200, 4],
    [200, 3],
    [200, 2],
    [200, 1],
    [200, 0],
    [429, 0],
  ]);
  expect((await call(SCORE, DRY)).body.error?.reason).toBe("QUOTA_EXCEEDED");
});

test.each([
  ["yes", "The x-quintet-dry-run header must be true or false."],
  ["", "The x-quintet-dry-run header must be true or false."],
  ["TRUE", "The x-quintet-dry-run header must be true or false."],
  ["true, true", "The x-quintet-dry-run header must be true or false."],
])("a header of %j is refused before anything is charged", async (value, message) => {
  const { call } = await open();
  const { status, body } = await call(SCORE, { "x-quintet-dry-run": value });
  expect({ status, message: body.message, reason: body.error?.reason }).toEqual({
    status: 400,
    message,
    reason: "MALFORMED_REQUEST",
  });
  expect((await call(SCORE)).month).toBe(4);
});

test("with false, the call itself is made", async () => {
  const { call } = await open();
  const { body, month, headers } = await call(SCORE, { "x-quintet-dry-run": "false" });
  expect({ data: body.data, month, header: headers.get("x-quintet-dry-run") }).toMatchObject({
    data: { score: 100 },
    month: 4,
    header: null,
  });
});

test("an account method, which has no dry run, is refused and not called", async () => {
  const { gateway } = await open();
  const signUp = (headers: object): Promise<Response> =>
    fetch(`${gateway.origin}/account/v1/sign-up`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ email: "ada@example.com", password: "seven green bicycles" }),
    });
  const refused = await signUp(DRY);
  expect([refused.status, ((await refused.json()) as Envelope).message]).toEqual([
    400,
    "quintet.account.v1.SignInService/SignUp does not support dry runs; leave the x-quintet-dry-run header out.",
  ]);
  expect((await signUp({})).status).toBe(200);
});

const TRANSPORTS: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl })],
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
];

describe.each(TRANSPORTS)("a stream over %s", (_, transportOf) => {
  test("ends at once, without a message, if it would begin", async () => {
    const { gateway, headers, call, requested } = await open();
    const client = createClient(TokenPriceService, transportOf(gateway.origin));
    let responded: string | null = null;
    const options = {
      headers: { ...headers, ...DRY },
      onHeader: (header: Headers) => {
        responded = header.get("x-quintet-dry-run");
      },
    };
    const messages = await Array.fromAsync(client.watchPrices({ tokens: ["coingecko:bitcoin"] }, options));
    expect({ messages, responded, requested, month: (await call("/token-price/v1/price?nonsense=1", DRY)).month }).toEqual({
      messages: [],
      responded: "admitted",
      requested: [],
      month: 5,
    });
  });

  test("is refused like the call itself", async () => {
    const { gateway, headers } = await open();
    const client = createClient(TokenPriceService, transportOf(gateway.origin));
    const reasonOf = async (input: object, sent: Readonly<Record<string, string>>): Promise<unknown> =>
      Array.fromAsync(client.watchPrices(input, { headers: { ...sent, ...DRY } })).catch(
        (thrown) => ConnectError.from(thrown).findDetails(ErrorInfoSchema)[0]?.reason,
      );
    expect(await reasonOf({ tokens: ["coingecko:bitcoin"], intervalSeconds: 4 }, headers)).toBe("INVALID_ARGUMENT");
    expect(await reasonOf({ tokens: ["coingecko:bitcoin"] }, {})).toBe("KEY_MISSING");
  });
});

test("a stream over REST gets the envelope, or is refused like the call itself", async () => {
  const { call, requested } = await open();
  for (const accept of ["text/event-stream", "application/x-ndjson"]) {
    const { status, body, month } = await call(WATCH, { ...DRY, accept });
    expect({ status, data: body.data, message: body.message, month }).toEqual({
      status: 200,
      data: null,
      message: MESSAGE,
      month: 5,
    });
  }
  expect((await call(`${WATCH}&interval_seconds=4`, DRY)).body.error?.reason).toBe("INVALID_ARGUMENT");
  expect(requested).toEqual([]);
});

test("no upstream is queried", async () => {
  const { call, requested } = await open();
  const { status, headers } = await call("/token-price/v1/price?tokens=coingecko:bitcoin", DRY);
  expect([status, headers.get("x-quintet-dry-run"), requested]).toEqual([200, "admitted", []]);
  expect((await call("/token-price/v1/price?tokens=coingecko:bitcoin")).status).toBe(502);
  expect(requested).not.toEqual([]);
});
