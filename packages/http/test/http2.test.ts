import { once } from "node:events";
import { constants } from "node:http2";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../src/exchange.ts";
import { BLOCK_BYTES_MAX } from "../src/h2/header-blocks.ts";
import { DISCARDED_BYTES_MAX, LINGER_BYTES_MAX, LINGER_MS, PEER_REACTION_MS } from "../src/linger.ts";
import {
  acceptedSockets,
  dial,
  dialHttp2,
  echo,
  fetchHttp2,
  frame,
  listening,
  PREFACE,
  postFrame,
  resetFrame,
  responseAfterBody,
  responseHalfRead,
  until,
} from "./listening.ts";

describe("an HTTP/2 connection", () => {
  test("responds to streams as they are ready", async () => {
    const waiting: Exchange[] = [];
    const { port } = await listening((exchange) => waiting.push(exchange));
    const session = dialHttp2(port);
    const responses = ["/1", "/2", "/3"].map((path) => fetchHttp2(session, { ":path": path }));
    await until(() => waiting.length === 3);
    for (const exchange of waiting.reverse()) {
      exchange.respond(200, {}, exchange.path);
    }
    expect((await Promise.all(responses)).map(({ body }) => body)).toEqual(["/1", "/2", "/3"]);
  });

  test("announces its limits, and that it does not push", async () => {
    const { port } = await listening(echo, { limits: { concurrentRequestsMax: 7 } });
    const session = dialHttp2(port);
    const [settings] = await once(session, "remoteSettings");
    expect(settings).toMatchObject({ maxConcurrentStreams: 7, maxHeaderListSize: 16_384 + 8192 + 3200, enablePush: false });
  });

  test("is closed gracefully without a request for longer than the idle timeout", async () => {
    let ended = 0;
    const { port, clock } = await listening(
      (exchange) => {
        exchange.onEnd(() => {
          ended += 1;
        });
        exchange.respond(200, {}, "");
      },
      { limits: { idleTimeoutMs: 10_000 } },
    );
    const session = dialHttp2(port);
    for (const afterMs of [9000, 9999, 9999]) {
      clock.advance(afterMs);
      const before = ended;
      await fetchHttp2(session, { ":path": "/" });
      await until(() => ended > before);
    }
    const goaway = once(session, "goaway");
    const closed = once(session, "close");
    clock.advance(10_000);
    const [code, lastStream] = await goaway;
    // Node's client acknowledges no ping after a GOAWAY: the server does not wait for it.
    clock.advance(PEER_REACTION_MS);
    await closed;
    expect([code, lastStream]).toEqual([constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1]);
    await until(() => clock.pending === 0);
  });

  test("is cut if its peer does not close its end after the idle timeout", async () => {
    const { port, clock } = await listening(echo, { limits: { idleTimeoutMs: 10_000 } });
    const peer = await dial(port);
    peer.socket.allowHalfOpen = true;
    peer.send(PREFACE);
    await until(() => peer.received().length >= 9 && clock.pending === 1);
    const ended = once(peer.socket, "end");
    clock.advance(10_000 + 2 * PEER_REACTION_MS);
    await ended;
    // If the server closed only its own end, it would accept this forever.
    await until(() => {
      peer.send(PREFACE);
      return peer.socket.destroyed;
    });
    expect(clock.pending).toBe(0);
  });

  test("is not idle while a call is in progress", async () => {
    const waiting: Exchange[] = [];
    const { port, clock } = await listening((exchange) => waiting.push(exchange), { limits: { idleTimeoutMs: 10_000 } });
    const response = fetchHttp2(dialHttp2(port), { ":path": "/" });
    await until(() => waiting.length === 1);
    clock.advance(60_000);
    waiting[0]?.respond(200, {}, "late");
    expect((await response).body).toBe("late");
  });

  test("is closed when a peer resets too many streams", async () => {
    let started = 0;
    const { port } = await listening(
      () => {
        started += 1;
      },
      { limits: { streamResetBurst: 20, streamResetsPerSecond: 1 } },
    );
    const peer = await dial(port);
    peer.send(PREFACE);
    for (let stream = 1; stream < 20_000; stream += 2) {
      peer.send(Buffer.concat([postFrame(stream), resetFrame(stream, constants.NGHTTP2_CANCEL)]));
    }
    await peer.closed();
    expect(started).toBe(0);
  });
});

describe("the HTTP/2 transport itself", () => {
  test.each([
    { what: "a URL that is too long", headers: { ":path": `/${"a".repeat(300)}` }, status: 414, reason: "URI_TOO_LONG" },
    {
      what: "headers that are too large",
      headers: { ":path": "/", b: "b".repeat(1100) },
      status: 431,
      reason: "HEADERS_TOO_LARGE",
    },
    {
      what: "too many headers",
      headers: { ":path": "/", ...Object.fromEntries([..."abcdefghijklmnopq"].map((name) => [name, "1"])) },
      status: 431,
      reason: "HEADERS_TOO_LARGE",
    },
    { what: "an invalid authority", headers: { ":path": "/", ":authority": "a[" }, status: 400, reason: "MALFORMED_REQUEST" },
  ])("refuses $what with $status $reason", async ({ headers, status, reason }) => {
    const { port } = await listening(echo, { limits: { urlBytesMax: 256, headerBytesMax: 1024, headersMax: 16 } });
    const response = await fetchHttp2(dialHttp2(port), headers);
    expect(response).toMatchObject({ status, body: expect.stringMatching(new RegExp(`^${reason}: `)) });
    expect(response.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  // Of each `!`, Huffman coding makes more than a byte, so it is sent as it is.
  test.each([60_000, 64_000, 66_000, 200_000, BLOCK_BYTES_MAX - 100])(
    "responds to a header of %d bytes with 431, and other calls of the connection go on",
    async (bytes) => {
      const waiting: Exchange[] = [];
      const { port } = await listening((exchange) => waiting.push(exchange));
      const session = dialHttp2(port);
      const other = fetchHttp2(session, { ":path": "/other" });
      await until(() => waiting.length === 1);
      const response = await fetchHttp2(session, { ":path": "/", b: "!".repeat(bytes) });
      waiting[0]?.respond(200, {}, "served");
      expect([response.status, response.rstCode, (await other).body]).toEqual([431, constants.NGHTTP2_NO_ERROR, "served"]);
      const next = fetchHttp2(session, { ":path": "/next" });
      await until(() => waiting.length === 2);
      waiting[1]?.respond(200, {}, "served, too");
      expect((await next).body).toBe("served, too");
    },
  );

  test("ends the connection for a header that is longer than a whole block of headers may be", async () => {
    const { port } = await listening(echo);
    const response = await fetchHttp2(dialHttp2(port), { ":path": "/", b: "!".repeat(BLOCK_BYTES_MAX) });
    expect([response.status, response.rstCode]).toEqual([Number.NaN, constants.NGHTTP2_COMPRESSION_ERROR]);
  });
});

describe("a body over HTTP/2 that is never read", () => {
  test("is cut off after a bounded number of bytes, and its sender gets the response", async () => {
    let received = 0;
    const sockets = acceptedSockets();
    const { port } = await listening((exchange) => {
      exchange.respond(401, {}, "no key");
      exchange.onEnd(() => {
        received = sockets[0]?.bytesRead ?? 0;
      });
    });
    const session = dialHttp2(port);
    const response = await fetchHttp2(session, { ":method": "POST", ":path": "/" }, Buffer.alloc(50_000_000));
    expect([response.status, response.body, response.rstCode]).toEqual([401, "no key", constants.NGHTTP2_NO_ERROR]);
    expect(received).toBeGreaterThan(LINGER_BYTES_MAX);
    expect(received).toBeLessThan(LINGER_BYTES_MAX + 3 * 64 * 1024);
    expect((await fetchHttp2(session, { ":path": "/" })).status).toBe(401);
  });

  test("is cut off after a while if it does not arrive", async () => {
    const { port, clock } = await listening((exchange) => exchange.respond(401, {}, "no key"));
    const stream = dialHttp2(port).request({ ":method": "POST", ":path": "/" }, { endStream: false });
    const closed = once(stream, "close");
    await once(stream.resume(), "end");
    clock.advance(LINGER_MS);
    await closed;
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  test("is cut off after trailers too", async () => {
    const { port, clock } = await listening((exchange) => exchange.respond(200, {}, "data", { "grpc-status": "0" }));
    const stream = dialHttp2(port).request({ ":method": "POST", ":path": "/" }, { endStream: false });
    const closed = once(stream, "close");
    const [trailers] = await once(stream.resume(), "trailers");
    await until(() => clock.hasAlarmIn(LINGER_MS));
    clock.advance(LINGER_MS);
    await closed;
    expect([trailers["grpc-status"], stream.rstCode]).toEqual(["0", constants.NGHTTP2_NO_ERROR]);
  });
});

describe("a body over HTTP/2 that is read partway", () => {
  test.each([
    { bytes: 1, announced: true },
    { bytes: 100_000, announced: true },
    { bytes: 900_000, announced: true },
    { bytes: 50_000_000, announced: true },
    { bytes: 60_000, announced: false },
    { bytes: 50_000_000, announced: false },
  ])(
    "of $bytes bytes costs a bounded number, and its sender gets the response (announced: $announced)",
    async ({ bytes, announced }) => {
      let received = 0;
      const sockets = acceptedSockets();
      const { port } = await listening((exchange) => {
        exchange.onEnd(() => {
          received = sockets[0]?.bytesRead ?? 0;
        });
        responseHalfRead(exchange);
      });
      const session = dialHttp2(port);
      const length = announced ? { "content-length": bytes } : {};
      const response = await fetchHttp2(session, { ":method": "POST", ":path": "/", ...length }, Buffer.alloc(bytes));
      expect([response.status, response.body, response.rstCode]).toEqual([200, "enough", constants.NGHTTP2_NO_ERROR]);
      expect(received).toBeGreaterThan(announced ? Math.min(bytes, DISCARDED_BYTES_MAX) : 0);
      expect(received).toBeLessThan(DISCARDED_BYTES_MAX + LINGER_BYTES_MAX + 4 * 64 * 1024);
      expect((await fetchHttp2(session, { ":method": "POST", ":path": "/" }, "again")).body).toBe("enough");
    },
  );

  test("is cut off after a while if the rest does not arrive", async () => {
    const { port, clock } = await listening(responseHalfRead);
    const stream = dialHttp2(port).request({ ":method": "POST", ":path": "/" }, { endStream: false });
    const closed = once(stream, "close");
    stream.write("half");
    await once(stream.resume(), "end");
    await until(() => clock.hasAlarmIn(LINGER_MS));
    clock.advance(LINGER_MS);
    await closed;
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  test("delays the response for a while if it is announced as large and does not arrive", async () => {
    const { port, clock } = await listening(responseHalfRead);
    const headers = { ":method": "POST", ":path": "/", "content-length": 100_000 };
    const stream = dialHttp2(port).request(headers, { endStream: false });
    const closed = once(stream, "close");
    stream.write("half");
    const [head] = await once(stream, "response");
    const ended = once(stream.resume(), "end");
    await until(() => clock.hasAlarmIn(LINGER_MS));
    clock.advance(LINGER_MS);
    await ended;
    await until(() => clock.hasAlarmIn(LINGER_MS));
    clock.advance(LINGER_MS);
    await closed;
    expect([head[":status"], stream.rstCode]).toEqual([200, constants.NGHTTP2_NO_ERROR]);
  });
});

describe("a caller over HTTP/2 that expects 100-continue", () => {
  test("is told to continue when the body is wanted", async () => {
    const { port } = await listening(echo);
    const stream = dialHttp2(port).request({ ":method": "POST", ":path": "/", expect: "100-continue" });
    await once(stream, "continue");
    stream.end("hello");
    const [chunk] = await once(stream, "data");
    expect(String(chunk)).toBe("2 POST /  hello");
  });

  test("is refused without being told to continue", async () => {
    const { port } = await listening((exchange) => exchange.respond(401, {}, ""));
    const stream = dialHttp2(port).request({ ":method": "POST", ":path": "/", expect: "100-continue" });
    let told = false;
    stream.on("continue", () => {
      told = true;
    });
    const [headers] = await once(stream, "response");
    expect([headers[":status"], told]).toEqual([401, false]);
  });
});

describe("a stream that is reset while its body is read", () => {
  test.each([constants.NGHTTP2_CANCEL, constants.NGHTTP2_NO_ERROR])(
    "with code %i counts as a caller that went away",
    async (code) => {
      const failures: string[] = [];
      let completed: boolean | undefined;
      let started = false;
      const { port } = await listening((exchange) => {
        exchange.onEnd((whole) => {
          completed = whole;
        });
        Promise.resolve(exchange.readBody(100, true)).catch((failure) => failures.push(failure.fault.reason));
        started = true;
      });
      const peer = await dial(port);
      peer.send(Buffer.concat([PREFACE, postFrame(1), frame(0, 0, 1, [1, 2, 3])]));
      await until(() => started);
      peer.send(resetFrame(1, code));
      await until(() => completed !== undefined && failures.length > 0);
      expect([failures, completed]).toEqual([["CANCELLED"], false]);
    },
  );

  test("does not fail a response that is sent too late", async () => {
    const { port } = await listening((exchange) => {
      exchange.onEnd(() => exchange.respond(200, {}, "too late"));
    });
    const session = dialHttp2(port);
    const stream = session.request({ ":path": "/" });
    await new Promise((resolve) => session.ping(resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, "close");
    await new Promise((resolve) => session.ping(resolve));
    expect(session.destroyed).toBe(false);
  });
});

test("a body without an announced length is refused when it passes its limit", async () => {
  const { port } = await listening((exchange) => responseAfterBody(exchange, 4, (body) => body));
  const response = await fetchHttp2(dialHttp2(port), { ":method": "POST", ":path": "/" }, "hello");
  expect([response.status, response.body]).toEqual([422, "BODY_TOO_LARGE"]);
});
