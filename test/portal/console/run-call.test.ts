// A call of the console is bounded whatever the server does: responses that are too long, never end, break off, or are not responses at
// all.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CallState, MESSAGES_KEPT, outcomeOf } from "../../../portal/app/console/call-state.ts";
import { runCall } from "../../../portal/app/console/run-call.ts";
import { CONTRACT, methodAt } from "./contract.ts";

const MIB = 1024 * 1024;
const json = { "content-type": "application/json" };

// A path → how the server responds.
const RESPONSES: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/whole": (response) => response.writeHead(200, json).end('{"data":{"score":100}}'),
  "/long": (response) => response.writeHead(200, json).end(JSON.stringify({ data: { filler: "x".repeat(6 * MIB) } })),
  "/broken": (response) => {
    response.writeHead(200, { ...json, "content-length": 100 });
    response.write('{"data":', () => response.destroy());
  },
  "/empty-502": (response) => response.writeHead(502).end(),
  "/html-502": (response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>"),
  "/json-404": (response) => response.writeHead(404, json).end('{"detail":"nothing here"}'),
  "/text": (response) => response.writeHead(200, json).end("<html>"),
  "/stream": (response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    for (let count = 1; count <= 250; count++) {
      response.write(`{"missing":["${count}"]}\n`);
    }
    response.end();
  },
  "/endless": (response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write('{"missing":["1"]}\n');
  },
};

describe("A call", () => {
  const server = createServer((request, response) => RESPONSES[request.url ?? ""]?.(response));
  let origin: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  // `watch` sees each state, and may stop the call.
  function call(target: string, slug: string, watch: (state: CallState, stop: () => void) => void = () => {}): Promise<CallState> {
    const controller = new AbortController();
    return runCall({
      method: methodAt(slug),
      protocol: "rest",
      request: { verb: "GET", target, headers: [], body: undefined },
      registry: CONTRACT.registry,
      key: "qk_test_x",
      signal: controller.signal,
      fetch: (path, init) => fetch(`${origin}${path}`, init),
      nowMs: () => 0,
      onChange: (state) => watch(state, () => controller.abort()),
    });
  }
  const inShort = ({ stage, bodyBytes, body, messageCount, messages, failure }: CallState) => ({
    stage,
    bodyBytes,
    kept: body.length,
    messageCount,
    first: messages[0],
    failure,
  });

  // A proxy in front of the server may refuse a call in its own way.
  test.each(["/empty-502", "/html-502", "/json-404"])(
    "that gets %s has failed, even though its body says nothing in the protocol",
    async (target) => {
      const state = await call(target, "farkle/score");
      const code = `HTTP ${target.slice(-3)}`;
      const message = "A proxy in front of the server may have refused the call: the body is not an error of this protocol.";
      expect({ stage: state.stage, failure: state.failure, outcome: outcomeOf(state) }).toEqual({
        stage: "done",
        failure: { reason: "", code, message, faults: [], details: [] },
        outcome: code,
      });
    },
  );

  test("that ends is done, with its message", async () => {
    expect(inShort(await call("/whole", "farkle/score"))).toEqual({
      stage: "done",
      bodyBytes: 22,
      kept: 22,
      messageCount: 1,
      first: { score: 100 },
      failure: undefined,
    });
  });

  test("whose response is too long is truncated, and the rest is not read", async () => {
    const { stage, body, bodyBytes } = await call("/long", "farkle/score");
    expect([stage, body.length, bodyBytes < 6 * MIB]).toEqual(["cut", 4 * MIB, true]);
  });

  test.each([
    ["breaks off", "/broken"],
    ["is not what its protocol says", "/text"],
  ])("whose response %s is lost", async (_, target) => {
    const { stage, head, messageCount } = await call(target, "farkle/score");
    expect([stage, head?.status, messageCount]).toEqual(["lost", 200, 0]);
  });

  test("that reaches no server is lost, without a response", async () => {
    const { stage, head } = await call(":0/nowhere", "farkle/score");
    expect([stage, head]).toEqual(["lost", undefined]);
  });

  test("that streams keeps the latest messages, and counts all", async () => {
    const state = await call("/stream", "token-price/watch-prices");
    expect([state.stage, state.messageCount, state.messages.length, state.messages[0]]).toEqual([
      "done",
      250,
      MESSAGES_KEPT,
      { missing: ["151"] },
    ]);
  });

  test("that never ends is stopped on request, with what has arrived", async () => {
    const state = await call("/endless", "token-price/watch-prices", ({ messageCount }, stop) => {
      if (messageCount === 1) {
        stop();
      }
    });
    expect([state.stage, state.messages]).toEqual(["stopped", [{ missing: ["1"] }]]);
  });
});
