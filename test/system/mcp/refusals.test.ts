// What the MCP endpoint refuses, and when. Without a valid key the body is not read. A tool call is refused, charged and counted like the
// same call over REST, with the same messages.
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { connectClient } from "./client.ts";

const PLANS = {
  farkle: [
    { name: "free", callsPerMonth: 1000, requestsPerSecond: 1000 },
    { name: "slow", callsPerMonth: 1000, requestsPerSecond: 1 },
    { name: "single", callsPerMonth: 1, requestsPerSecond: 1000 },
  ],
  radio: [{ name: "free", callsPerMonth: 10, requestsPerSecond: 10 }],
};
const KEY_MISSING =
  "Send your API key in the x-gateway-key header. To get one, sign up at /app; or POST /account/v1/sign-up, follow the link if you get an e-mail, then POST /account/v1/keys.";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
});
afterAll(() => gateway?.close());

const message = (method: unknown, params: unknown = {}): unknown => ({ jsonrpc: "2.0", id: 1, method, params });
const score = (dice: unknown): unknown => message("tools/call", { name: "farkle_score", arguments: { dice } });

interface ToolResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly result?: { readonly content: readonly { text: string }[]; readonly isError?: boolean; readonly _meta?: unknown };
    readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly reason: string } };
  };
}

async function send(body: unknown, more: Readonly<Record<string, string>> = {}, method = "POST"): Promise<ToolResponse> {
  const response = await fetch(`${gateway.origin}/mcp`, {
    method,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...more },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "null");
  return { status: response.status, headers: response.headers, body: JSON.parse(json) as ToolResponse["body"] };
}

// In the protocol's new generation: each message has the version, and headers repeat what a proxy wants to know.
async function sendNew(method: string, params: object): Promise<ToolResponse> {
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { name } = params as { readonly name?: unknown };
  return send(message(method, { ...params, _meta: meta }), {
    ...(await keyOf("free")),
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": String(name) }),
  });
}

const keyOf = async (plan: "free" | "slow" | "single"): Promise<Readonly<Record<string, string>>> => ({
  "x-gateway-key": (await gateway.makeCustomer({ farkle: plan })).secret,
});

describe("before the body is read", () => {
  test.each([
    ["no key", {}, 401, "KEY_MISSING", KEY_MISSING],
    [
      "a malformed key",
      { "x-gateway-key": "secret" },
      401,
      "KEY_INVALID",
      /^The x-gateway-key header does not contain a Quintet API key/,
    ],
    ["a sandbox's key", { "x-gateway-key": `qk_test_${"a".repeat(38)}` }, 401, "KEY_INVALID", /^This is a sandbox key/],
    ["another content type", { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE", /must be application\/json/],
    ["another charset", { "content-type": "application/json; charset=latin1" }, 415, "UNSUPPORTED_MEDIA_TYPE", /UTF-8/],
    ["a caller that accepts only pages", { accept: "text/html" }, 406, "NOT_ACCEPTABLE", /application\/json or text\/event-stream/],
    ["a caller that refuses both types", { accept: "*/*;q=0" }, 406, "NOT_ACCEPTABLE", /accept header allows neither/],
  ])("refuses %s", async (_, headers, status, reason, text) => {
    const { body, ...received } = await send("{", headers);
    expect({ status: received.status, reason: body.error?.data?.reason, code: body.error?.code }).toEqual({
      status,
      reason,
      code: -32_000,
    });
    expect(body.error?.message).toMatch(text);
  });

  test("says how to authenticate", async () => {
    const { headers } = await send(message("initialize"));
    expect(headers.get("www-authenticate")).toBe('ApiKey realm="quintet", header="x-gateway-key"');
  });

  test("responds to a caller without a key who has sent only a head", async () => {
    const socket = connect(gateway.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n");
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(String(head)).toContain("401");
  });

  test.each(["GET", "DELETE", "PUT"])("does not accept %s", async (method) => {
    const { status, headers, body } = await send(undefined, await keyOf("free"), method);
    expect({ status, allow: headers.get("allow"), reason: body.error?.data?.reason }).toEqual({
      status: 405,
      allow: "POST",
      reason: "METHOD_NOT_ALLOWED",
    });
  });

  test("refuses a revoked key", async () => {
    const { secret, key } = await gateway.makeCustomer({ farkle: "free" });
    await gateway.store.revokeKey(key.id);
    const { status, body } = await send(message("tools/list"), { "x-gateway-key": secret });
    expect({ status, reason: body.error?.data?.reason }).toEqual({ status: 401, reason: "KEY_REVOKED" });
  });
});

describe("a message that cannot be read", () => {
  test.each<readonly [string, unknown, string]>([
    ["no JSON", "{", "The message is not valid JSON: expected a key in double quotes at line 1, column 2."],
    ["a batch", [message("tools/list")], "Send one JSON-RPC message in each request; batches are not accepted."],
    ["deep nesting", "[".repeat(30), "The message nests deeper than 24 levels."],
    ["a number", 1, "A message must be a JSON object."],
    ["null", "null", "A message must be a JSON object."],
    ["no version", { id: 1, method: "ping" }, 'A message must have jsonrpc, with the value "2.0".'],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }, 'A message must have jsonrpc, with the value "2.0".'],
    ...[null, {}, 1.5, true].map(
      (id) =>
        [
          `the id ${JSON.stringify(id)}`,
          { jsonrpc: "2.0", id, method: "ping" },
          "The id of a message must be a string or a whole number; leave it out of a notification.",
        ] as const,
    ),
    ["a number as the method", message(1), 'The method of a message must be a string, such as "tools/list".'],
    ["a list as params", message("ping", []), "The params of a message must be an object."],
    ["text as params", message("ping", "x"), "The params of a message must be an object."],
    ["a number as _meta", message("ping", { _meta: 1 }), "params._meta must be an object."],
  ])("with %s is refused", async (_, body, text) => {
    const { status, body: responded } = await send(body, await keyOf("free"));
    expect({ status, code: responded.error?.code, message: responded.error?.message }).toEqual({
      status: 400,
      code: -32_600,
      message: text,
    });
  });

  test.each([
    ["tools/list", { cursor: 1 }, "cursor must be a string"],
    ["tools/call", {}, "name is required"],
    ["tools/call", { name: 1 }, "name must be a string"],
    ["tools/call", { name: "farkle_score", arguments: [] }, "arguments must be an object"],
    ["tools/call", { name: "farkle_score", arguments: "x" }, "arguments must be an object"],
    ["initialize", {}, "protocolVersion is required; capabilities is required; clientInfo is required"],
  ])("%s with the parameters %j gets an error that names them", async (method, params, text) => {
    const [old, now] = [await send(message(method, params), await keyOf("free")), await sendNew(method, params)];
    const error = { code: -32_602, message: `Invalid params: ${text}.` };
    expect({ status: old.status, error: old.body.error }).toEqual({ status: 200, error });
    // The new generation has no initialize.
    expect(now.body.error).toEqual(method === "initialize" ? { code: -32_601, message: "Method not found" } : error);
  });

  test("that is too long is refused", async () => {
    const received = await send(JSON.stringify(score("x".repeat(4_000_000))), await keyOf("free"));
    expect({ status: received.status, reason: received.body.error?.data?.reason }).toEqual({
      status: 413,
      reason: "BODY_TOO_LARGE",
    });
  });

  test("that is compressed is refused", async () => {
    const received = await send(score([1]), { ...(await keyOf("free")), "content-encoding": "gzip" });
    expect({ status: received.status, reason: received.body.error?.data?.reason }).toEqual({
      status: 415,
      reason: "ENCODING_UNKNOWN",
    });
  });
});

describe("the type of a response is one that the caller accepts", () => {
  const JSON_TYPE = "application/json";
  const EVENTS = "text/event-stream";
  test.each([
    ["application/json, text/event-stream", JSON_TYPE],
    ["Application/JSON, Text/Event-Stream", JSON_TYPE],
    ["text/event-stream, application/json", JSON_TYPE],
    ["*/*", JSON_TYPE],
    ["application/*", JSON_TYPE],
    ["application/json", JSON_TYPE],
    ["application/json; charset=utf-8", JSON_TYPE],
    ["", JSON_TYPE],
    ["text/event-stream", EVENTS],
    ["text/*", EVENTS],
    ["application/json;q=0.5, text/event-stream", EVENTS],
    ["text/html, */*;q=0.1", JSON_TYPE],
  ])("%j: %s", async (accept, type) => {
    const key = await keyOf("free");
    const called = await send(score([1]), { ...key, accept });
    const missing = await send(message("nothing"), { ...key, accept });
    expect([called, missing].map(({ status, headers }) => [status, headers.get("content-type")])).toEqual([
      [200, type],
      [200, type],
    ]);
    expect(called.body.result?.content).toHaveLength(1);
    expect(missing.body.error).toEqual({ code: -32_601, message: "Method not found" });
  });
});

describe("a tool's call", () => {
  const callOver = async (headers: Readonly<Record<string, string>>, dice: unknown): Promise<ToolResponse> =>
    send(score(dice), headers);
  const restOf = async (headers: Readonly<Record<string, string>>, body: unknown): Promise<{ message: string; error: object }> => {
    const response = await fetch(`${gateway.origin}/farkle/v1/score`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { message: string; error: object };
  };

  test.each([
    ["over the rate", "slow", [1], "RATE_LIMITED"],
    ["over the month", "single", [1], "QUOTA_EXCEEDED"],
    ["with bad input", "free", [7, "x"], "INVALID_ARGUMENT"],
  ] as const)("%s is refused like the REST call", async (_, plan, dice, reason) => {
    const headers = await keyOf(plan);
    await callOver(headers, [1]);
    const { status, headers: responded, body } = await callOver(headers, dice);
    const rest = await restOf(headers, { dice });
    const facts = JSON.parse(body.result?.content[1]?.text ?? "null") as { details: object; retry_after_seconds?: number };
    expect({ status, isError: body.result?.isError, message: body.result?.content[0]?.text }).toEqual({
      status: 200,
      isError: true,
      message: rest.message,
    });
    expect(facts).toMatchObject({ reason, details: (rest.error as { details: object }).details });
    expect(body.result?._meta).toMatchObject({ "quintet/error": facts });
    expect(facts.retry_after_seconds ?? null).toBe(Number(responded.get("retry-after")) || null);
  });

  test("to a service without a subscription is refused", async () => {
    const { secret } = await gateway.makeCustomer({ radio: "free" });
    const { body } = await send(score([1]), { "x-gateway-key": secret });
    expect(body.result?.content[0]?.text).toMatch(/^This account has no active subscription to farkle\./);
  });

  test("is charged once, and reports what is left", async () => {
    const headers = await keyOf("free");
    await send(message("tools/list"), headers);
    const first = await callOver(headers, [1]);
    const second = await callOver(headers, [1]);
    const left = (received: ToolResponse): string | undefined =>
      /"month";r=(\d+)/.exec(received.headers.get("ratelimit") ?? "")?.[1];
    expect([left(first), left(second)]).toEqual(["999", "998"]);
  });

  test("as a dry run is not made, and uses nothing of the month's quota", async () => {
    const headers = await keyOf("single");
    const dry = await send(score([1]), { ...headers, "x-quintet-dry-run": "true" });
    const created = await callOver(headers, [1]);
    expect(dry.body.result?.content).toEqual([
      {
        type: "text",
        text: "Dry run: the call was not made. It would be admitted, as far as a dry run checks its input.",
      },
    ]);
    expect(created.body.result?.isError).toBeUndefined();
  });

  test.each([{ arguments: null }, { arguments: {} }, {}])("with %j has no arguments", async (params) => {
    const { body } = await send(message("tools/call", { name: "farkle_score", ...params, _meta: null }), await keyOf("free"));
    expect(body.result?.content[0]?.text).toBe("dice is required");
  });

  test("with a misspelt name gets the nearest one as a suggestion", async () => {
    const { body } = await send(message("tools/call", { name: "farkle_scores", arguments: {} }), await keyOf("free"));
    expect(body.error).toEqual({ code: -32_602, message: "There is no such tool. Did you mean farkle_score?" });
  });

  test("with a repeated argument is refused", async () => {
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"farkle_score","arguments":{"dice":[1],"dice":[2]}}}';
    const received = await send(body, await keyOf("free"));
    expect(received.body.result?.content[0]?.text).toBe("dice is given twice");
  });
});

test("messages that do not call a tool are limited for each account", async () => {
  const headers = await keyOf("free");
  const statuses = [];
  for (let sent = 0; sent < 102; sent += 1) {
    statuses.push((await send(message("ping"), headers)).status);
  }
  const call = await send(score([1]), headers);
  gateway.clock.advance(200);
  const later = await send(score([1]), headers);
  expect(statuses).toEqual([...new Array<number>(100).fill(200), 429, 429]);
  expect({ status: call.status, retry: call.headers.get("retry-after"), later: later.status }).toEqual({
    status: 429,
    retry: "1",
    later: 200,
  });
});

test("messages that do not call a tool are limited even if all of them begin before the first is served", async () => {
  const key = await keyOf("free");
  await send(message("ping"), key);
  const sessions = [connectHttp2(gateway.origin), connectHttp2(gateway.origin)];
  onTestFinished(() => {
    for (const session of sessions) {
      session.destroy();
    }
  });
  const types = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const headers = { ...key, ...types, ":method": "POST", ":path": "/mcp" };
  const requests = sessions.flatMap((session) => Array.from({ length: 75 }, () => session.request(headers)));
  // The server has read the heads once it responds to a ping that was sent after them.
  await Promise.all(sessions.map((session) => new Promise((resolve) => session.ping(resolve))));
  const statuses = await Promise.all(
    requests.map(async (request) => {
      request.end(JSON.stringify(message("ping")));
      const [received] = await once(request.resume(), "response");
      return received[":status"];
    }),
  );
  expect(Map.groupBy(statuses, (status) => status).get(200)?.length).toBe(99);
});

test("the SDK's client without a key gets the reason", async () => {
  await expect(connectClient(gateway.origin, {}, "legacy")).rejects.toThrow(/KEY_MISSING/);
});

test("the SDK's client with an OAuth provider is told to send a key", async () => {
  const nothing = { saveClientInformation() {}, saveTokens() {}, redirectToAuthorization() {}, saveCodeVerifier() {} };
  const authProvider: OAuthClientProvider = {
    ...nothing,
    redirectUrl: "http://127.0.0.1/callback",
    clientMetadata: { redirect_uris: ["http://127.0.0.1/callback"] },
    clientInformation: () => undefined,
    tokens: () => undefined,
    codeVerifier: () => "",
  };
  const client = new Client({ name: "test", version: "1" });
  const connected = client.connect(new StreamableHTTPClientTransport(new URL("/mcp", gateway.origin), { authProvider }));
  await expect(connected).rejects.toThrow(/"This server has no OAuth: send an API key in the x-gateway-key header/);
});
