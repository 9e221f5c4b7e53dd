import type { IncomingHttpHeaders } from "node:http";
import { request as request1 } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Exchange, RequestHandler } from "../src/exchange.ts";
import { LINGER_MS } from "../src/linger.ts";
import { dial, dialHttp2, fetchHttp2, type Listening, listening, responseAfterBody, until } from "./listening.ts";

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

interface Responded {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly body: string;
}

/** Makes one call with a client of the version. */
const callers: Record<1 | 2, (port: number, call: Call) => Promise<Responded>> = {
  1: (port, { method = "GET", path = "/", headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const request = request1({ host: "127.0.0.1", port, method, path, headers, agent: false }, async (response) => {
        const received = await text(response);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, trailers: response.trailers, body: received });
      });
      request.on("error", reject);
      request.end(body);
    }),
  2: (port, { method = "GET", path = "/", headers = {}, body }) =>
    fetchHttp2(dialHttp2(port), { ":method": method, ":path": path, ...headers }, body),
};

describe.each([1, 2] as const)("an exchange over HTTP/%i", (version) => {
  const call = async (handle: RequestHandler, requested: Call = {}): Promise<Responded> => {
    const { port } = await listening(handle);
    return callers[version](port, requested);
  };

  test("describes the request", async () => {
    let seen: unknown;
    const { port } = await listening((exchange) => {
      const { httpVersion, method, path, query, authority, hasBody, responded, headers } = exchange;
      seen = { httpVersion, method, path, query, authority, hasBody, responded, key: headers["x-gateway-key"] };
      exchange.respond(200, {}, "");
    });
    await callers[version](port, { method: "GET", path: "/a%2Fb/?c=d?e", headers: { "X-Gateway-Key": "k" } });
    expect(seen).toEqual({
      httpVersion: version,
      method: "GET",
      path: "/a%2Fb/",
      query: "c=d?e",
      authority: `127.0.0.1:${port}`,
      hasBody: false,
      responded: false,
      key: "k",
    });
  });

  test.each(["text", new TextEncoder().encode("text")])("responds with status, headers, length and request id", async (body) => {
    const {
      status,
      headers,
      body: received,
    } = await call((exchange) => exchange.respond(404, { "content-type": "text/x", allow: "GET, POST" }, body));
    expect({ status, received, type: headers["content-type"], length: headers["content-length"], allow: headers.allow }).toEqual({
      status: 404,
      received: "text",
      type: "text/x",
      length: "4",
      allow: "GET, POST",
    });
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("counts the length in bytes", async () => {
    const { headers, body } = await call((exchange) => exchange.respond(200, {}, "ä€"));
    expect([headers["content-length"], body]).toEqual(["5", "ä€"]);
  });

  test.each([
    { given: "3B241101-E2BB-4255-8CAF-4136C566A962", kept: true },
    { given: "3b241101-e2bb-4255-8caf-4136c566a962", kept: true },
    { given: "3b241101", kept: false },
    { given: "<script>", kept: false },
  ])("keeps the caller's request id $given: $kept", async ({ given, kept }) => {
    const { headers } = await call((exchange) => exchange.respond(200, {}, exchange.requestId), {
      headers: { "x-request-id": given },
    });
    expect(headers["x-request-id"] === given).toBe(kept);
  });

  test("responds to HEAD with the headers of GET and no body", async () => {
    const { status, headers, body } = await call((exchange) => exchange.respond(200, {}, "four"), { method: "HEAD" });
    expect([status, headers["content-length"], body]).toEqual([200, "4", ""]);
  });

  test.each([0, 100_000])("sends a header in latin1, and a body of %i or more characters in UTF-8", async (letters) => {
    const body = `${"a".repeat(letters)}café`;
    const result = await call((exchange) => exchange.respond(200, { "x-name": "café" }, body));
    expect([Buffer.from(result.headers["x-name"] as string, "latin1").toString("hex"), result.body]).toEqual(["636166e9", body]);
  });

  test.each([204, 304])("responds with %i without a length and without a body", async (status) => {
    const result = await call((exchange) => exchange.respond(status, {}, ""));
    expect([result.status, result.headers["content-length"], result.body]).toEqual([status, undefined, ""]);
  });

  test("sends trailers after the body", async () => {
    const result = await call((exchange) => exchange.respond(200, {}, "data", { "grpc-status": "5", "grpc-message": "none" }));
    expect([result.body, result.headers["content-length"], Object.entries(result.trailers ?? {})]).toEqual([
      "data",
      undefined,
      [
        ["grpc-status", "5"],
        ["grpc-message", "none"],
      ],
    ]);
  });

  test("sends only the first response", async () => {
    const { status, body } = await call((exchange) => {
      exchange.respond(200, {}, "first");
      exchange.respond(500, {}, "second");
    });
    expect([status, body]).toEqual([200, "first"]);
  });

  test("reads a body in many pieces, or an empty one", async () => {
    const body = "0123456789".repeat(20_000);
    const length: RequestHandler = (exchange) => responseAfterBody(exchange, 200_000, (received) => String(received.length));
    const responses = [
      await call(length, { method: "POST", body }),
      await call(length, { method: "POST", body: "" }),
      await call(length),
    ];
    expect(responses.map((result) => result.body)).toEqual(["200000", "0", "0"]);
  });

  test.each([
    { bytes: 100, headers: {}, result: "100" },
    { bytes: 101, headers: {}, result: "BODY_TOO_LARGE" },
    { bytes: 101, headers: { "content-length": "101" }, result: "BODY_TOO_LARGE" },
    { bytes: 900_000, headers: {}, result: "BODY_TOO_LARGE" },
  ])("responds to a body of $bytes bytes where 100 are allowed with $result", async ({ bytes, headers, result }) => {
    const { body } = await call((exchange) => responseAfterBody(exchange, 100, (received) => String(received.length)), {
      method: "POST",
      headers,
      body: "x".repeat(bytes),
    });
    expect(body).toBe(result);
  });

  test("reports its end once, and at once to a later listener", async () => {
    const told: string[] = [];
    let exchange: Exchange | undefined;
    await call((arrived) => {
      exchange = arrived;
      arrived.onEnd((completed) => told.push(`first ${completed}`));
      arrived.onEnd((completed) => told.push(`second ${completed}`));
      arrived.respond(200, {}, "fine");
    });
    await until(() => told.length > 0);
    exchange?.onEnd((completed) => told.push(`late ${completed}`));
    expect(told).toEqual(["first true", "second true", "late true"]);
  });

  test("reads its body and sends its response in pieces", async () => {
    let completed: boolean | undefined;
    const result = await call(
      async (exchange) => {
        exchange.onEnd((whole) => {
          completed = whole;
        });
        const received = await text(exchange.bodyChunks());
        const response = exchange.openResponse(200, { "x-seen": `${exchange.method} ${exchange.path}` });
        await response.write(received.toUpperCase());
        await response.write(Buffer.from(" in "));
        response.end("pieces");
      },
      { method: "POST", path: "/pieces", body: "body" },
    );
    expect([result.headers["x-seen"], result.body]).toEqual(["POST /pieces", "BODY in pieces"]);
    await until(() => completed === true);
  });
});

describe("a body that does not arrive", () => {
  const reading = async (): Promise<Listening & { hasArrived: () => boolean }> => {
    let hasArrived = false;
    const started = await listening(
      (exchange) => {
        responseAfterBody(exchange, 100, (body) => body);
        hasArrived = true;
      },
      { limits: { bodyTimeoutMs: 3000 } },
    );
    return { ...started, hasArrived: () => hasArrived };
  };

  test("is a REQUEST_TIMEOUT over HTTP/1.1, and closes the connection", async () => {
    const { port, clock, hasArrived } = await reading();
    const peer = await dial(port);
    peer.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhell");
    await until(hasArrived);
    clock.advance(3000);
    expect(await peer.until("REQUEST_TIMEOUT")).toMatch(/connection: close/i);
  });

  test("is a REQUEST_TIMEOUT over HTTP/2", async () => {
    const { port, clock, hasArrived } = await reading();
    const result = fetchHttp2(dialHttp2(port), { ":method": "POST", ":path": "/" }, undefined, true);
    await until(hasArrived);
    clock.advance(3000);
    // Until the server refuses the rest of the body.
    await until(() => clock.hasAlarmIn(LINGER_MS));
    clock.advance(LINGER_MS);
    expect((await result).body).toBe("REQUEST_TIMEOUT");
  });

  test("is CANCELLED when the caller goes away", async () => {
    const failures: string[] = [];
    let completed: boolean | undefined;
    const { port, clock } = await listening((exchange) => {
      exchange.onEnd((whole) => {
        completed = whole;
      });
      Promise.resolve(exchange.readBody(100, true)).catch((failure) => failures.push(failure.fault.reason));
    });
    const peer = await dial(port);
    peer.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhell");
    await until(() => clock.pending === 1);
    peer.socket.destroy();
    await until(() => failures.length > 0 && completed !== undefined);
    expect([failures, completed, clock.pending]).toEqual([["CANCELLED"], false, 0]);
  });
});
