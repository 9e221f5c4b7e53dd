// Keys that may only be used from some addresses, or by pages of some origins: over HTTP, in every protocol that browsers can use, and for
// tools. No byte of a refused body is read.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KeyChanges } from "../../src/store/records.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";

const ORIGIN = "https://app.example.com";
const PLANS = { farkle: [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 100 }] };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS, variables: { QUINTET_TRUSTED_PROXIES: "127.0.0.1" } });
});
afterAll(() => gateway.close());

async function keyWith(changes: KeyChanges): Promise<string> {
  const { secret, key } = await gateway.makeCustomer({ farkle: "free" });
  await gateway.store.updateKey(key.id, changes);
  return secret;
}

const SCORE = "/quintet.farkle.v1.FarkleService/Score";
// A message of three bytes: the field `dice` with a single 1.
const FRAME = new Uint8Array([0, 0, 0, 0, 3, 10, 1, 1]);
const PROTOCOLS: Readonly<Record<string, RequestInit & { readonly path: string }>> = {
  REST: { path: "/farkle/v1/score?dice=1" },
  Connect: { path: SCORE, method: "POST", headers: { "content-type": "application/json" }, body: '{"dice":[1]}' },
  "gRPC-Web": {
    path: SCORE,
    method: "POST",
    headers: { "content-type": "application/grpc-web+proto" },
    body: FRAME,
  },
};

// The HTTP status, gRPC-Web's status, and the reason of a refusal.
async function call(protocol: string, key: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { path, ...request } = PROTOCOLS[protocol] as (typeof PROTOCOLS)[string];
  const response = await fetch(`${gateway.origin}${path}`, {
    ...request,
    headers: { ...request.headers, ...headers, "x-gateway-key": key },
  });
  const text = await response.text();
  const grpcStatus = response.headers.get("grpc-status") ?? /grpc-status: (\d+)/.exec(text)?.[1];
  const reason = /KEY_\w+_REFUSED/.exec(text)?.[0];
  return [response.status, grpcStatus, reason].filter((part) => part !== undefined && part !== null).join(" ");
}

describe.each(Object.keys(PROTOCOLS))("a call over %s with a key that is limited to an origin", (protocol) => {
  const isGrpcWeb = protocol === "gRPC-Web";

  test("is admitted from a page of that origin", async () => {
    const key = await keyWith({ allowedOrigins: [ORIGIN] });
    expect(await call(protocol, key, { origin: ORIGIN })).toBe(isGrpcWeb ? "200 0" : "200");
  });

  test.each<[string, Record<string, string>]>([
    ["from a page of another origin", { origin: "https://evil.example" }],
    ["without an origin", {}],
  ])("is refused %s", async (_, headers) => {
    const key = await keyWith({ allowedOrigins: [ORIGIN] });
    // 7 is PERMISSION_DENIED.
    expect(await call(protocol, key, headers)).toBe(isGrpcWeb ? "200 7" : "403 KEY_ORIGIN_REFUSED");
  });
});

test("a preflight is allowed whatever the origin, because it has no key", async () => {
  const response = await fetch(`${gateway.origin}/farkle/v1/score`, {
    method: "OPTIONS",
    headers: {
      origin: "https://evil.example",
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-gateway-key",
    },
  });
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
});

test("the address that counts is the one that a trusted proxy names", async () => {
  const key = await keyWith({ allowedAddresses: ["203.0.113.0/24", "2001:db8::/32"] });
  const from = (address: string) => call("REST", key, { "x-forwarded-for": address });
  expect(await from("203.0.113.9")).toBe("200");
  expect(await from("2001:db8::9")).toBe("200");
  expect(await from("198.51.100.1")).toBe("403 KEY_ADDRESS_REFUSED");
  expect(await call("REST", key, {})).toBe("403 KEY_ADDRESS_REFUSED");
  // The caller made up the first address.
  expect(await from("203.0.113.9, 198.51.100.1")).toBe("403 KEY_ADDRESS_REFUSED");
});

test("a tool's caller is refused before the message is read", async () => {
  const key = await keyWith({ allowedOrigins: [ORIGIN] });
  const send = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.origin}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "x-gateway-key": key,
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "farkle_score", arguments: { dice: [1] } },
      }),
    });
    return `${response.status} ${/KEY_\w+_REFUSED/.exec(await response.text())?.[0] ?? "OK"}`;
  };
  expect(await send({})).toBe("403 KEY_ORIGIN_REFUSED");
  expect(await send({ origin: ORIGIN })).toBe("200 OK");
});

test("a refusal does not wait for the body", async () => {
  const key = await keyWith({ allowedAddresses: ["203.0.113.7"] });
  const socket = connect(gateway.port, "127.0.0.1");
  socket.write(
    `POST ${SCORE} HTTP/1.1\r\nhost: a\r\nx-gateway-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`,
  );
  const [head] = (await new Promise<Buffer>((resolve) => socket.once("data", resolve))).toString().split("\r\n");
  socket.destroy();
  expect(head).toBe("HTTP/1.1 403 Forbidden");
});
