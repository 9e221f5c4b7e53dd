import { describe, expect, test } from "vitest";
import type { Exchange } from "../src/exchange.ts";
import { IDLE_GRACE_MS } from "../src/h1/connection-life.ts";
import { DISCARDED_BYTES_MAX, LINGER_BYTES_MAX, LINGER_MS } from "../src/linger.ts";
import {
  acceptedSockets,
  dial,
  echo,
  listening,
  responseAfterBody,
  responseDismissed,
  responseHalfRead,
  turns,
  until,
} from "./listening.ts";

const get = (path: string, ...headers: string[]): string => [`GET ${path} HTTP/1.1`, "host: a", ...headers, "", ""].join("\r\n");

const IDLE_LIMITS = { idleTimeoutMs: 30_000, headerTimeoutMs: 10_000 };
/** When we close a connection without a request, whatever it sends: a caller may still use it in the last announced second. */
const IDLE_MS = IDLE_LIMITS.idleTimeoutMs + IDLE_GRACE_MS;

/** The parts of a complete response, and whether it closes the connection. */
function parts(response: string): { status: number; body: string; closes: boolean; headers: string } {
  const end = response.indexOf("\r\n\r\n");
  const headers = response.slice(0, end).toLowerCase();
  return {
    status: Number(response.slice(9, 12)),
    body: response.slice(end + 4),
    closes: headers.includes("connection: close"),
    headers,
  };
}

/** The response to a peer that sends this and waits for the end of the connection. */
async function answerTo(request: string | Uint8Array, limits = {}): Promise<ReturnType<typeof parts>> {
  const { port } = await listening(echo, { limits });
  const peer = await dial(port);
  peer.send(request);
  return parts(await peer.closed());
}

describe("an HTTP/1.1 connection", () => {
  test("stays open for further requests", async () => {
    const { port } = await listening(echo);
    const peer = await dial(port);
    peer.send(get("/1"));
    await peer.until("1 GET /1");
    peer.send(get("/2"));
    expect(await peer.until("1 GET /2")).not.toContain("connection: close");
  });

  test("responds to pipelined requests in order, whichever is ready first", async () => {
    const waiting: Exchange[] = [];
    const { port } = await listening((exchange) => waiting.push(exchange));
    const peer = await dial(port);
    peer.send(get("/1") + get("/2") + get("/3"));
    await until(() => waiting.length === 3);
    for (const exchange of waiting.reverse()) {
      exchange.respond(200, {}, `<${exchange.path}>`);
    }
    expect((await peer.until("</3>")).match(/<[^>]*>/g)).toEqual(["</1>", "</2>", "</3>"]);
  });

  test("refuses more waiting requests than are allowed, after responding to those before", async () => {
    const waiting: Exchange[] = [];
    const { port } = await listening((exchange) => waiting.push(exchange), { limits: { concurrentRequestsMax: 2 } });
    const peer = await dial(port);
    peer.send(get("/1") + get("/2") + get("/3"));
    await until(() => waiting.length === 2);
    for (const exchange of waiting) {
      exchange.respond(200, {}, "fine");
    }
    expect(await peer.until("RATE_LIMITED")).toMatch(/200 OK[\s\S]*200 OK[\s\S]*429 Too Many Requests/);
  });

  test.each(["at once", "later"])(
    "serves many pipelined requests that the handler responds to %s, and refuses the excess once",
    async (when) => {
      const count = 5000;
      const { port } = await listening(
        (exchange) => {
          const response = (): void => exchange.respond(200, {}, `<${exchange.path}>`);
          when === "later" ? setImmediate(response) : response();
        },
        { limits: { concurrentRequestsMax: 10 } },
      );
      const peer = await dial(port);
      peer.send(Array.from({ length: count }, (_, index) => get(`/${index}`)).join(""));
      await until(() => (peer.received().match(/HTTP\/1\.1 /g) ?? []).length === count);
      const refused = peer.received().match(/ 429 /g)?.length ?? 0;
      expect({ refused, responded: peer.received().match(/<[^>]*>/g)?.length }).toEqual({ refused: 1, responded: count - 1 });
    },
  );

  test.each([
    { what: "waiting requests", first: "" },
    { what: "requests after an unread body", first: "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello" },
    { what: "an unread body", first: "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n" },
  ])("reads at most a chunk or two of $what", async ({ first }) => {
    const sockets = acceptedSockets();
    const { port } = await listening(() => {});
    const peer = await dial(port);
    peer.send(first + get("/").repeat(1_000_000));
    await until(() => (sockets[0]?.bytesRead ?? 0) > 0);
    await turns(300);
    expect(sockets[0]?.bytesRead).toBeLessThan(4 * 64 * 1024);
  });

  test("is closed after the allowed number of requests", async () => {
    const { port } = await listening(echo, { limits: { requestsPerConnectionMax: 2 } });
    const peer = await dial(port);
    peer.send(get("/1"));
    await peer.until("1 GET /1");
    peer.send(get("/2") + get("/3"));
    expect(await peer.closed()).toMatch(/1 GET \/2 $/);
  });

  test("is closed without a request for longer than the idle timeout", async () => {
    const { port, clock } = await listening(echo, { limits: IDLE_LIMITS });
    const peer = await dial(port);
    peer.send(get("/1"));
    expect(await peer.until("1 GET /1")).toContain("connection: keep-alive\r\nkeep-alive: timeout=30\r\n");
    clock.advance(IDLE_MS - 1);
    await turns(20);
    expect(peer.socket.readableEnded).toBe(false);
    clock.advance(1);
    await peer.closed();
    await until(() => clock.pending === 0);
  });

  test.each([
    { what: "after a request", requested: get("/1") },
    { what: "before the first request", requested: "" },
  ])("is closed when only blank lines arrive $what", async ({ requested }) => {
    const { port, clock } = await listening(echo, { limits: IDLE_LIMITS });
    const peer = await dial(port);
    peer.send(`\r\n${requested}`);
    await (requested === "" ? until(() => clock.hasAlarmIn(IDLE_MS)) : peer.until("1 GET /1"));
    for (const afterMs of [IDLE_MS - 2, 1]) {
      clock.advance(afterMs);
      peer.send("\r\n");
      await turns(20);
    }
    expect(peer.socket.readableEnded).toBe(false);
    clock.advance(1);
    await peer.closed();
    await until(() => clock.pending === 0);
  });

  test("stays open for a request whose headers started to arrive within the idle timeout", async () => {
    const { port, clock } = await listening(echo, { limits: IDLE_LIMITS });
    const peer = await dial(port);
    peer.send(get("/1"));
    await peer.until("1 GET /1");
    clock.advance(IDLE_MS - 1);
    peer.send("GET /2 HTTP/1.1\r\n");
    await until(() => clock.hasAlarmIn(1) && clock.pending === 1);
    await turns(20);
    clock.advance(IDLE_LIMITS.headerTimeoutMs - 1);
    peer.send("host: a\r\n\r\n");
    await peer.until("1 GET /2");
    clock.advance(IDLE_MS - 1);
    peer.send(get("/3"));
    expect(await peer.until("1 GET /3")).not.toContain("connection: close");
  });

  test("is not idle while a call is in progress", async () => {
    const waiting: Exchange[] = [];
    const { port, clock } = await listening((exchange) => waiting.push(exchange), {
      limits: { ...IDLE_LIMITS, stallTimeoutMs: 10 * IDLE_MS + 1 },
    });
    const peer = await dial(port);
    peer.send(get("/"));
    await until(() => waiting.length === 1);
    clock.advance(10 * IDLE_MS);
    waiting[0]?.respond(200, {}, "late");
    expect(await peer.until("late")).not.toContain("connection: close");
  });

  test("is closed when nothing moves during a request for longer than the stall timeout", async () => {
    const completed: boolean[] = [];
    const waiting: Exchange[] = [];
    const { port, clock } = await listening(
      (exchange) => {
        waiting.push(exchange);
        exchange.onEnd((whole) => completed.push(whole));
      },
      { limits: { stallTimeoutMs: 5000 } },
    );
    const peer = await dial(port);
    peer.send(get("/never-answered"));
    await until(() => waiting.length === 1);
    clock.advance(4999);
    expect(completed).toEqual([]);
    clock.advance(1);
    expect(await peer.closed()).toBe("");
    await until(() => completed.length === 1);
    expect(completed).toEqual([false]);
  });

  test("accepts a target in absolute form, and HTTP/1.0 without a host", async () => {
    const { port } = await listening(echo);
    const peer = await dial(port);
    peer.send(get("http://example.com/absolute?a=b"));
    await peer.until("1 GET /absolute a=b");
    peer.send("GET /old HTTP/1.0\r\n\r\n");
    expect(await peer.closed()).toContain("1 GET /old");
  });

  test("ignores an offer to upgrade to HTTP/2, and unknown expectations", async () => {
    const { port } = await listening(echo);
    const peer = await dial(port);
    peer.send(get("/upgrade", "connection: upgrade, http2-settings", "upgrade: h2c", "http2-settings: AAMAAABk"));
    await peer.until("1 GET /upgrade");
    peer.send(get("/expectant", "expect: miracles"));
    expect(await peer.until("1 GET /expectant")).not.toContain("HTTP/1.1 417");
  });
});

describe("the HTTP/1.1 transport itself", () => {
  test.each([
    { what: "bytes that are not HTTP", request: "GARBAGE\r\n\r\n", status: 400, reason: "MALFORMED_REQUEST" },
    {
      what: "a method that does not exist",
      request: "FETCH / HTTP/1.1\r\nhost: a\r\n\r\n",
      status: 400,
      reason: "MALFORMED_REQUEST",
    },
    {
      what: "both a length and chunks",
      request: "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n",
      status: 400,
      reason: "MALFORMED_REQUEST",
    },
    { what: "a space before a colon", request: get("/", "name : value"), status: 400, reason: "MALFORMED_REQUEST" },
    { what: "no host", request: "GET / HTTP/1.1\r\n\r\n", status: 400, reason: "MALFORMED_REQUEST" },
    { what: "two hosts", request: get("/", "host: b"), status: 400, reason: "MALFORMED_REQUEST" },
    {
      what: "an invalid host",
      request: "GET / HTTP/1.1\r\nhost: a/b\r\n\r\n",
      status: 400,
      reason: "MALFORMED_REQUEST",
    },
    {
      what: "a URL that is a little too long",
      request: get(`/${"a".repeat(300)}`),
      status: 414,
      reason: "URI_TOO_LONG",
    },
    { what: "a URL that is far too long", request: get(`/${"a".repeat(90_000)}`), status: 414, reason: "URI_TOO_LONG" },
    {
      what: "headers that are a little too large",
      request: get("/", `b: ${"b".repeat(1100)}`),
      status: 431,
      reason: "HEADERS_TOO_LARGE",
    },
    {
      what: "headers that are far too large",
      request: get("/", `b: ${"b".repeat(90_000)}`),
      status: 431,
      reason: "HEADERS_TOO_LARGE",
    },
    {
      what: "too many headers",
      request: get("/", ..."abcdefghijklmnopqr".split("").map((name) => `${name}: 1`)),
      status: 431,
      reason: "HEADERS_TOO_LARGE",
    },
    {
      what: "a transfer-encoding other than chunked",
      request: "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      status: 501,
      reason: "TRANSFER_ENCODING_UNKNOWN",
    },
    {
      what: "HTTP/2.0 in a request line",
      request: "GET / HTTP/2.0\r\nhost: a\r\n\r\n",
      status: 505,
      reason: "HTTP_VERSION_UNKNOWN",
    },
    {
      what: "a tunnel",
      request: "CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n",
      status: 405,
      reason: "METHOD_NOT_ALLOWED",
    },
  ])("refuses $what with $status $reason, and closes the connection", async ({ request, status, reason }) => {
    const response = await answerTo(request, { urlBytesMax: 256, headerBytesMax: 1024, headersMax: 16 });
    expect(response).toMatchObject({ status, closes: true, body: expect.stringMatching(new RegExp(`^${reason}: `)) });
    expect(response.headers).toMatch(/x-request-id: [0-9a-f-]{36}/);
  });

  test("reports malformed input after the response to a request in progress", async () => {
    const waiting: Exchange[] = [];
    const { port } = await listening((exchange) => waiting.push(exchange));
    const peer = await dial(port);
    peer.send(`${get("/1")}GARBAGE\r\n\r\n`);
    await until(() => waiting.length === 1);
    waiting[0]?.respond(200, {}, "fine");
    expect(await peer.closed()).toMatch(/200 OK[\s\S]*fineHTTP\/1.1 400 Bad Request[\s\S]*MALFORMED_REQUEST/);
  });

  test("fails the reading of a body at a malformed chunk, and closes the connection with the response", async () => {
    expect(
      await answerTo(`POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n${get("/behind")}`),
    ).toMatchObject({ status: 422, closes: true, body: "MALFORMED_REQUEST" });
  });

  test("responds with 408 to headers that take too long", async () => {
    const { port, clock } = await listening(echo, { limits: { headerTimeoutMs: 5000 } });
    const peer = await dial(port);
    peer.send("GET / HTTP/1.1\r\nhost: ");
    await until(() => clock.hasAlarmIn(5000));
    clock.advance(4999);
    await turns(20);
    expect(peer.received()).toBe("");
    clock.advance(1);
    expect(parts(await peer.closed())).toMatchObject({
      status: 408,
      closes: true,
      body: expect.stringContaining("REQUEST_TIMEOUT"),
    });
  });

  test("reads a bounded number of bytes from a peer that keeps sending after a fault", async () => {
    const sockets = acceptedSockets();
    const { port, clock } = await listening((exchange) => {
      exchange.respond(200, {}, "fine");
    });
    const peer = await dial(port);
    peer.send(get("/"));
    await peer.until("fine");
    peer.send("GARBAGE\r\n\r\n");
    await peer.until("MALFORMED_REQUEST");
    peer.send(Buffer.alloc(50_000_000));
    await until(() => clock.hasAlarmIn(LINGER_MS));
    await turns(100);
    clock.advance(LINGER_MS);
    await peer.closed();
    expect(sockets[0]?.bytesRead).toBeLessThan(LINGER_BYTES_MAX + 3 * 64 * 1024);
    await until(() => clock.pending === 0);
  });
});

test("tells the sender of a non-ASCII URL how to fix it", async () => {
  const { status, body } = await answerTo(get("/search?name=café"));
  expect({ status, body }).toEqual({
    status: 400,
    body: "MALFORMED_REQUEST: The URL must be ASCII without control characters; percent-encode everything else, as UTF-8.",
  });
});

describe("a body over HTTP/1.1 that is never read", () => {
  const refuse = (exchange: Exchange): void => exchange.respond(401, {}, "no key");

  test("costs a bounded number of bytes and its sender gets the response", async () => {
    const sockets = acceptedSockets();
    const { port, clock } = await listening(refuse);
    const peer = await dial(port);
    const bytes = 50_000_000;
    peer.send(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`);
    peer.send(Buffer.alloc(bytes));
    expect(parts(await peer.until("no key"))).toMatchObject({ status: 401, closes: true, body: "no key" });
    clock.advance(LINGER_MS);
    await peer.closed();
    // What may be discarded, and what Node had buffered when reading stopped.
    expect(sockets[0]?.bytesRead).toBeLessThan(LINGER_BYTES_MAX + 3 * 64 * 1024);
    expect(clock.pending).toBe(0);
  });

  test("is discarded if it is short, and the connection is closed without a reset", async () => {
    const { port, clock } = await listening(refuse);
    const peer = await dial(port);
    let reset = false;
    peer.socket.on("error", () => {
      reset = true;
    });
    peer.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n");
    await peer.until("no key");
    peer.send("hello");
    expect([parts(await peer.closed()).closes, reset]).toEqual([true, false]);
    await until(() => clock.pending === 0);
  });

  test("ends the exchange once the response is sent", async () => {
    let completed: boolean | undefined;
    const { port } = await listening((exchange) => {
      exchange.onEnd((whole) => {
        completed = whole;
      });
      refuse(exchange);
    });
    const peer = await dial(port);
    peer.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n");
    await until(() => completed === true);
  });

  test("does not close the connection when it has arrived by then", async () => {
    const { port } = await listening((exchange) => setImmediate(() => refuse(exchange)));
    const peer = await dial(port);
    peer.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello");
    await peer.until("no key");
    peer.send(get("/again"));
    await until(() => (peer.received().match(/no key/g) ?? []).length === 2);
  });
});

describe("a body over HTTP/1.1 that is read partway", () => {
  const post = (bytes: number): string => `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`;

  test.each([1, 100_000, DISCARDED_BYTES_MAX])("does not block the next request if it has %i bytes", async (bytes) => {
    const { port, clock } = await listening(responseHalfRead);
    const peer = await dial(port);
    peer.send(post(bytes));
    peer.send(Buffer.alloc(bytes));
    await peer.until("enough");
    peer.send(post(1));
    peer.send("1");
    await until(() => (peer.received().match(/enough\r\n0\r\n\r\n/g) ?? []).length === 2);
    peer.socket.destroy();
    await until(() => clock.pending === 0);
  });

  // connect-go stops sending the body when the response begins, and closes the connection because the body is incomplete.
  test.each([
    { what: "that has arrived", lines: "content-length: 100000", rest: 99_999, waits: true },
    { what: "that is longer than we discard", lines: "content-length: 9999999", rest: DISCARDED_BYTES_MAX, waits: true },
    { what: "of unknown length without waiting for it", lines: "transfer-encoding: chunked", rest: 0, waits: false },
  ])("is read before the response begins: one $what", async ({ lines, rest, waits }) => {
    const { port, clock } = await listening(responseDismissed);
    const peer = await dial(port);
    peer.send(`POST / HTTP/1.1\r\nhost: a\r\n${lines}\r\n\r\n`);
    peer.send(waits ? "1" : "1\r\n1\r\n");
    if (waits) {
      await until(() => clock.pending === 2);
      await turns(20);
      expect(peer.received()).toBe("");
      peer.send(Buffer.alloc(rest));
    }
    await peer.until("enough");
    peer.socket.destroy();
    await until(() => clock.pending === 0);
  });

  test("that does not arrive in time holds up the response for a bounded time", async () => {
    const { port, clock } = await listening(responseDismissed);
    const peer = await dial(port);
    peer.send(post(100_000));
    peer.send("1");
    await until(() => clock.pending === 2);
    clock.advance(LINGER_MS);
    await peer.until("enough");
    clock.advance(LINGER_MS);
    await peer.closed();
    expect(clock.pending).toBe(0);
  });

  test("costs a bounded number of bytes and its sender gets the response", async () => {
    const sockets = acceptedSockets();
    const { port, clock } = await listening(responseHalfRead);
    const peer = await dial(port);
    peer.send(post(50_000_000));
    peer.send(Buffer.alloc(50_000_000));
    expect(parts(await peer.until("0\r\n\r\n"))).toMatchObject({ status: 200, body: "6\r\nenough\r\n0\r\n\r\n" });
    clock.advance(LINGER_MS);
    await peer.closed();
    expect(sockets[0]?.bytesRead).toBeLessThan(DISCARDED_BYTES_MAX + 4 * 64 * 1024);
    expect(clock.pending).toBe(0);
  });
});

describe("a response in pieces over HTTP/1.1", () => {
  const responseTo = async (request: string): Promise<string> => {
    const { port } = await listening(async (exchange) => {
      const response = exchange.openResponse(200, { "content-type": "text/plain", "content-length": 3 });
      await response.write("one ");
      await response.write("");
      await response.write(Buffer.from("two"));
      response.end("", { "x-after": "three" });
    });
    const peer = await dial(port);
    peer.send(request);
    await peer.until("200 OK");
    await turns(20);
    peer.socket.end();
    return (await peer.closed()).replace(/x-request-id: .*\r\n|date: .*\r\n|keep-alive: .*\r\n/g, "");
  };

  test.each([
    {
      what: "is chunked, with trailers after it",
      request: get("/"),
      response: "transfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n4\r\none \r\n3\r\ntwo\r\n0\r\nx-after: three\r\n\r\n",
    },
    {
      what: "ends with the connection for an HTTP/1.0 caller",
      request: "GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n",
      response: "connection: close\r\n\r\none two",
    },
    {
      what: "has no body for HEAD",
      request: get("/").replace("GET", "HEAD"),
      response: "transfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n",
    },
  ])("$what, and has no length, whatever its headers say", async ({ request, response }) => {
    expect(await responseTo(request)).toBe(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n${response}`);
  });

  test.each([
    { to: "HTTP/1.1", request: get("/") },
    { to: "HTTP/1.0", request: "GET / HTTP/1.0\r\n\r\n" },
    { to: "HEAD", request: get("/").replace("GET", "HEAD") },
  ])("that ends when all of it is sent counts as complete, to $to", async ({ request }) => {
    const ends: boolean[] = [];
    const { port } = await listening(async (exchange) => {
      exchange.onEnd((completed) => ends.push(completed));
      const response = exchange.openResponse(200, {});
      await response.write("one");
      await turns(2);
      response.end();
    });
    const peer = await dial(port);
    peer.send(request);
    await until(() => ends.length > 0);
    expect(ends).toEqual([true]);
  });

  test("that is aborted ends the connection without ending the response", async () => {
    const ends: boolean[] = [];
    const { port } = await listening(async (exchange) => {
      exchange.onEnd((completed) => ends.push(completed));
      const response = exchange.openResponse(200, {});
      await response.write("one");
      response.reset();
    });
    const peer = await dial(port);
    peer.send(get("/"));
    expect(await peer.closed()).toMatch(/3\r\none\r\n$/);
    expect(ends).toEqual([false]);
  });

  test("holds one piece while it waits for the responses before it", async () => {
    const waiting: Exchange[] = [];
    const written: string[] = [];
    const { port } = await listening(async (exchange) => {
      if (exchange.path === "/first") {
        waiting.push(exchange);
        return;
      }
      const response = exchange.openResponse(200, {});
      for (const piece of ["a", "b"]) {
        await response.write(piece);
        written.push(piece);
      }
      response.end();
    });
    const peer = await dial(port);
    peer.send(get("/first") + get("/second"));
    await until(() => waiting.length === 1);
    await turns(20);
    expect([written, peer.received()]).toEqual([[], ""]);
    waiting[0]?.respond(200, {}, "first");
    expect(await peer.until("0\r\n\r\n")).toMatch(/first[\s\S]*1\r\na\r\n1\r\nb\r\n0\r\n\r\n$/);
  });
});

test("a header that would end its line is not sent, nor anything of its response", async () => {
  const thrown: unknown[] = [];
  const { port } = await listening((exchange) => {
    for (const headers of [{ "x-a": "b\r\nc: d" }, { "x-a": "\u0100" }, { "x a": "b" }, { "x-a": ["b", "c\n"] }]) {
      try {
        exchange.respond(200, headers, "split");
      } catch (error) {
        thrown.push(error instanceof TypeError);
      }
    }
    exchange.respond(500, {}, "whole");
  });
  const peer = await dial(port);
  peer.send(get("/"));
  const response = await peer.until("whole");
  expect([thrown, response.startsWith("HTTP/1.1 500"), response.includes("split")]).toEqual([
    [true, true, true, true],
    true,
    false,
  ]);
});

describe("a caller that expects 100-continue", () => {
  const expectant = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\n";

  test("is told to continue when the body is wanted", async () => {
    const { port } = await listening(echo);
    const peer = await dial(port);
    peer.send(expectant);
    await peer.until("HTTP/1.1 100 Continue\r\n\r\n");
    peer.send("hello");
    expect(await peer.until("hello")).toContain("HTTP/1.1 200 OK");
  });

  test("is refused without being told to continue", async () => {
    const { port } = await listening((exchange) => exchange.respond(401, {}, "no key"));
    const peer = await dial(port);
    peer.send(expectant);
    expect(parts(await peer.until("no key"))).toMatchObject({ status: 401, closes: true });
  });

  test("is not told to continue with a body announced as too long", async () => {
    const { port } = await listening((exchange) => responseAfterBody(exchange, 4, (body) => body));
    const peer = await dial(port);
    peer.send(expectant);
    expect(parts(await peer.until("BODY_TOO_LARGE"))).toMatchObject({ status: 422, closes: true, body: "BODY_TOO_LARGE" });
  });
});
