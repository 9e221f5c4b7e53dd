import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../src/runtime/clock.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { UpstreamFault } from "../../src/upstream/fault.ts";
import { createUpstream, type UpstreamOptions } from "../../src/upstream/undici-upstream.ts";
import type { Parse, Upstream, UpstreamCall } from "../../src/upstream/upstream.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { startForwardProxy } from "../fixtures/servers/forward-proxy.ts";
import { startLoopbackServer } from "./loopback-server.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");
const asIs: Parse<unknown> = (json) => json;

function open(options: Partial<UpstreamOptions> = {}): Upstream {
  const upstream = createUpstream({
    name: "demo",
    userAgent: "Quintet/1.2.3 (+https://example.com)",
    concurrencyMax: 4,
    queueMax: 4,
    bodyBytesMax: 100_000,
    bodyValuesMax: 100,
    connectTimeoutMs: 2000,
    cacheMs: 0,
    retries: 0,
    clock: systemClock,
    randomness: { ...systemRandomness, unit: () => 0 },
    log: createLog("silent"),
    ...options,
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

const call = (more: Partial<UpstreamCall> = {}): UpstreamCall => ({
  signal: new AbortController().signal,
  timeoutMs: 10_000,
  ...more,
});

/** The fault with which a call fails. */
async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  const fault = await promise.then(
    (value) => ({ responded: value }),
    (thrown: unknown) => thrown,
  );
  return fault instanceof UpstreamFault
    ? { kind: fault.kind, message: fault.message, status: fault.status, retryAfterMs: fault.retryAfterMs }
    : fault;
}

const fault = (kind: string, message: unknown, status?: number, retryAfterMs?: number) => ({ kind, message, status, retryAfterMs });

/** A TCP server that passes each connection to `serve`; returns its host and port. */
async function startPlainServer(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The system's clock, except that short pauses take no time. */
const impatientClock: Clock = {
  ...systemClock,
  after: (delayMs, run) => systemClock.after(delayMs < 1000 ? 0 : delayMs, run),
};

describe("a response", () => {
  test("is parsed and dated, and has its validators; the request named us and no caller", async () => {
    const server = await startLoopbackServer((_request, response) => {
      response.setHeader("etag", '"7"').setHeader("last-modified", "Fri, 20 Nov 2026 00:00:00 GMT").end('{"a":1}');
    });
    const upstream = open({ clock: createManualClock({ nowMs }) });
    const fetched = await upstream.get(`${server.origin}/p?q=1,2`, (json) => ({ got: json }), call());
    expect(fetched).toEqual({
      value: { got: { a: 1 } },
      receivedAtMs: nowMs,
      validators: { etag: '"7"', lastModified: "Fri, 20 Nov 2026 00:00:00 GMT" },
      bodyBytes: 7,
    });
    expect([server.requests[0]?.url, server.requests[0]?.headers]).toEqual([
      "/p?q=1,2",
      {
        host: server.origin.slice("http://".length),
        connection: "keep-alive",
        "user-agent": "Quintet/1.2.3 (+https://example.com)",
        accept: "application/json, */*;q=0.1",
        "accept-encoding": "gzip, br",
      },
    ]);
  });

  test("is decompressed", async () => {
    const server = await startLoopbackServer((_request, response) => {
      response.setHeader("content-encoding", "gzip").end(gzipSync('["x"]'));
    });
    expect((await open().get(server.origin, asIs, call())).value).toEqual(["x"]);
  });

  test("to a conditional request may say that nothing changed, and the request has the validators", async () => {
    const server = await startLoopbackServer((request, response) => {
      response.statusCode = request.headers["if-none-match"] === '"7"' ? 304 : 200;
      response.end(response.statusCode === 304 ? undefined : "{}");
    });
    const upstream = open();
    const validators = { etag: '"7"', lastModified: "Fri, 20 Nov 2026 00:00:00 GMT" };
    expect(await upstream.getIfChanged(server.origin, asIs, call({ validators }))).toBe("unchanged");
    expect(server.requests[0]?.headers["if-modified-since"]).toBe(validators.lastModified);
    expect(await upstream.getIfChanged(server.origin, asIs, call())).toMatchObject({ value: {} });
  });

  test("is reused for the same URL until it is too old", async () => {
    const server = await startLoopbackServer((_request, response, count) => response.end(String(count)));
    const clock = createManualClock({ nowMs });
    const upstream = open({ clock, cacheMs: 1000 });
    const send = async (path = "/"): Promise<unknown> => {
      const { value, receivedAtMs } = await upstream.get(server.origin + path, asIs, call());
      return [value, receivedAtMs - nowMs];
    };
    expect(await send()).toEqual([1, 0]);
    clock.advance(999);
    expect(await send()).toEqual([1, 0]);
    expect(await send("/other")).toEqual([2, 999]);
    clock.advance(1);
    expect(await send()).toEqual([3, 1000]);
  });
});

describe("invalid content is a body fault", () => {
  const bomb = gzipSync(Buffer.alloc(200_000));
  test.each<[string, Record<string, string>, string | Buffer, unknown]>([
    ["a web page", { "content-type": "text/html; charset=utf-8" }, "<html></html>", "the body is a web page"],
    ["a web page that says it is JSON", {}, "<html></html>", "the body is not JSON"],
    ["half of a JSON text", {}, '{"a":', "the body is not JSON"],
    ["nothing", {}, "", "the body is not JSON"],
    ["JSON of more values than are expected", {}, `[${"0,".repeat(99)}0]`, "the body has more than 100 values"],
    ["JSON that nests too deep", {}, "[".repeat(17), "the body nests more than 16 deep"],
    ["text that is not UTF-8", {}, Buffer.from([0x22, 0xff, 0x22]), "the body is not JSON"],
    ["a body cut short", { "content-length": "50" }, '{"a":1}', expect.stringMatching(/^the body was cut off or is too large/)],
    ["a body that is too large", {}, " ".repeat(100_001), expect.stringMatching(/too large/)],
    [
      "a body that decompresses to too much",
      { "content-encoding": "gzip" },
      bomb,
      "the body cannot be decompressed, or becomes too large",
    ],
    [
      "a body that cannot be decompressed",
      { "content-encoding": "gzip" },
      "plain",
      "the body cannot be decompressed, or becomes too large",
    ],
    ["a coding not asked for", { "content-encoding": "zstd" }, "{}", "the body has a content coding that was not requested"],
  ])("%s", async (_name, headers, body, message) => {
    const server = await startLoopbackServer((_request, response) => {
      response.writeHead(200, headers);
      response.write(body, () => (headers["content-length"] === undefined ? response.end() : response.destroy()));
    });
    expect(await faultOf(open().get(server.origin, asIs, call()))).toEqual(fault("body", message));
  });

  test("a response that is not HTTP", async () => {
    const origin = await startPlainServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
    expect(await faultOf(open().get(`http://${origin}`, asIs, call()))).toEqual(fault("body", "no response (HTTPParserError)"));
  });

  test("JSON that parse rejects is a body fault, with a shortened reason for the log", async () => {
    const server = await startLoopbackServer((_request, response) => response.end("[]"));
    const parse = (): never => {
      throw new Error(`no coins ${"x".repeat(300)}`);
    };
    expect(await faultOf(open().get(server.origin, parse, call()))).toEqual(
      fault("body", `not accepted: no coins ${"x".repeat(191)}`),
    );
  });
});

describe("a bad status", () => {
  test.each<[number, Record<string, string>, number | undefined]>([
    [404, {}, undefined],
    [500, {}, undefined],
    [429, { "retry-after": "7" }, 7000],
    [503, { "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }, 30_000],
    [503, { "retry-after": "99999999" }, 300_000],
    [302, { location: "/elsewhere" }, undefined],
  ])("%i %j is a status fault", async (status, headers, retryAfterMs) => {
    const server = await startLoopbackServer((_request, response) => response.writeHead(status, headers).end("secret"));
    const upstream = open({ clock: createManualClock({ nowMs }) });
    expect(await faultOf(upstream.get(server.origin, asIs, call()))).toEqual(
      fault("status", `responded with status ${status}`, status, retryAfterMs),
    );
  });

  test("with Retry-After prevents requests until then, and a 429 without it for a second", async () => {
    const responses = [{ "retry-after": "7" }, {}];
    const server = await startLoopbackServer((_request, response, count) => {
      const headers = responses[count - 1];
      response.writeHead(headers === undefined ? 200 : 429, headers).end("1");
    });
    const clock = createManualClock({ nowMs });
    const upstream = open({ clock, retries: 1 });
    const send = (): Promise<unknown> => faultOf(upstream.get(server.origin, asIs, call()));
    expect(await send()).toEqual(fault("status", "responded with status 429", 429, 7000));
    clock.advance(6500);
    expect(await send()).toEqual(fault("throttled", "no request was sent: the upstream had asked us to wait", 429, 500));
    expect(server.requests).toHaveLength(1);
    clock.advance(500);
    expect(await send()).toEqual(fault("status", "responded with status 429", 429));
    expect(await send()).toEqual(fault("throttled", "no request was sent: the upstream had asked us to wait", 429, 1000));
    clock.advance(1000);
    expect(await send()).toMatchObject({ responded: { value: 1 } });
  });
});

describe("a retry", () => {
  test.each([502, 503, 504])("follows a %i, once", async (status) => {
    const server = await startLoopbackServer((_request, response, count) => {
      response.writeHead(count === 1 ? status : 200).end("1");
    });
    const upstream = open({ clock: impatientClock, retries: 1 });
    expect((await upstream.get(server.origin, asIs, call())).value).toBe(1);
    expect(server.requests).toHaveLength(2);
  });

  test("follows a cut connection, once and not twice", async () => {
    const server = await startLoopbackServer((request) => request.socket.destroy());
    const upstream = open({ clock: impatientClock, retries: 1 });
    expect(await faultOf(upstream.get(server.origin, asIs, call()))).toEqual(fault("connect", "no response (UND_ERR_SOCKET)"));
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    ["500", 500, {}],
    ["404", 404, {}],
    ["503 with Retry-After", 503, { "retry-after": "1" }],
  ])("does not follow a %s", async (_name, status, headers) => {
    const server = await startLoopbackServer((_request, response) => response.writeHead(status, headers).end());
    await faultOf(open({ clock: impatientClock, retries: 1 }).get(server.origin, asIs, call()));
    expect(server.requests).toHaveLength(1);
  });

  test("is skipped if no time is left for it", async () => {
    const server = await startLoopbackServer((_request, response) => response.writeHead(503).end());
    const upstream = open({ clock: createManualClock({ nowMs }), retries: 1 });
    expect(await faultOf(upstream.get(server.origin, asIs, call({ timeoutMs: 40 })))).toMatchObject({ status: 503 });
    expect(server.requests).toHaveLength(1);
  });
});

describe("time", () => {
  test("a call ends when its time is up, and the request is aborted", async () => {
    const clock = createManualClock({ nowMs });
    let closed = (): void => {};
    const aborted = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await startLoopbackServer((request) => request.socket.once("close", closed));
    const responded = faultOf(open({ clock }).get(server.origin, asIs, call({ timeoutMs: 300 })));
    await server.received(1);
    clock.advance(300);
    expect(await responded).toEqual(fault("timeout", "no response within 300 ms"));
    await aborted;
    expect(clock.pending).toBe(0);
  });

  test("a body that stops half-way fails when the time is up", async () => {
    const clock = createManualClock({ nowMs });
    const server = await startLoopbackServer((_request, response) => response.write("["));
    const responded = faultOf(open({ clock }).get(server.origin, asIs, call({ timeoutMs: 300 })));
    await server.received(1);
    clock.advance(300);
    expect(await responded).toEqual(fault("timeout", "no response within 300 ms"));
  });

  test("a call without time left, or whose caller has gone, sends nothing", async () => {
    const server = await startLoopbackServer((_request, response) => response.end("1"));
    const upstream = open();
    expect(await faultOf(upstream.get(server.origin, asIs, call({ timeoutMs: 0 })))).toEqual(fault("timeout", "no time is left"));
    expect(await faultOf(upstream.get(server.origin, asIs, call({ signal: AbortSignal.abort() })))).toEqual(
      fault("timeout", "the caller has disconnected"),
    );
    expect(server.requests).toHaveLength(0);
  });

  test("a server that does not finish the handshake is a connect fault", async () => {
    const origin = await startPlainServer(() => {});
    const upstream = open({ connectTimeoutMs: 50 });
    expect(await faultOf(upstream.get(`https://${origin}`, asIs, call()))).toEqual(
      fault("connect", "no response (UND_ERR_CONNECT_TIMEOUT)"),
    );
  });

  test("closing ends the calls in progress and refuses new ones", async () => {
    const server = await startLoopbackServer(() => {});
    const upstream = open();
    const responded = faultOf(upstream.get(server.origin, asIs, call()));
    await server.received(1);
    await upstream.close();
    expect(await responded).toEqual(fault("connect", "closed"));
    expect(await faultOf(upstream.get(server.origin, asIs, call()))).toEqual(fault("connect", "closed"));
  });
});

describe("many calls", () => {
  test("for one URL share a request, and a caller that leaves does not fail the others", async () => {
    let respond = (): void => {};
    const server = await startLoopbackServer((_request, response) => {
      respond = () => response.end("1");
    });
    const upstream = open();
    const leaving = new AbortController();
    const first = faultOf(upstream.get(server.origin, asIs, call({ signal: leaving.signal })));
    const second = upstream.get(server.origin, asIs, call());
    await server.received(1);
    const third = upstream.get(server.origin, asIs, call());
    leaving.abort();
    expect(await first).toEqual(fault("timeout", "the caller has disconnected"));
    respond();
    expect((await second).value).toBe(1);
    expect(await third).toBe(await second);
    expect(server.requests).toHaveLength(1);
  });

  test("for one URL are separate requests if they say so", async () => {
    const server = await startLoopbackServer((_request, response, count) => response.end(String(count)));
    const upstream = open({ cacheMs: 1000 });
    const values = [1, 2].map(async () => (await upstream.get(server.origin, asIs, call({ alone: true }))).value);
    expect((await Promise.all(values)).sort()).toEqual([1, 2]);
  });

  test("for one URL abort their request when the last caller has gone, and a new call sends another", async () => {
    let closed = (): void => {};
    const aborted = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await startLoopbackServer((request, response, count) => {
      if (count === 1) {
        request.socket.once("close", closed);
      } else {
        response.end("2");
      }
    });
    const upstream = open();
    const leaving = new AbortController();
    const gone = [1, 2].map(() => faultOf(upstream.get(server.origin, asIs, call({ signal: leaving.signal }))));
    await server.received(1);
    leaving.abort();
    await Promise.all([...gone, aborted]);
    expect((await upstream.get(server.origin, asIs, call())).value).toBe(2);
  });

  test("wait in a queue for a place, and one too many is refused at once", async () => {
    const waiting: (() => void)[] = [];
    const server = await startLoopbackServer((_request, response) => waiting.push(() => response.end("1")));
    const upstream = open({ concurrencyMax: 1, queueMax: 1 });
    const send = (path: string, more: Partial<UpstreamCall> = {}): Promise<unknown> =>
      faultOf(upstream.get(`${server.origin}/${path}`, asIs, call(more)));
    const first = send("1");
    await server.received(1);
    const leaving = new AbortController();
    const second = send("2", { signal: leaving.signal });
    await Promise.resolve();
    expect(await send("3")).toEqual(fault("busy", "1 requests are in progress and 1 are waiting"));
    leaving.abort();
    expect(await second).toEqual(fault("timeout", "the caller has disconnected"));
    const fourth = send("4");
    waiting[0]?.();
    expect(await first).toMatchObject({ responded: { value: 1 } });
    await server.received(2);
    waiting[1]?.();
    expect(await fourth).toMatchObject({ responded: { value: 1 } });
    expect(server.requests.map(({ url }) => url)).toEqual(["/1", "/4"]);
  });
});

describe("redirects", () => {
  test("are followed three times, even to another private origin if the first is private", async () => {
    const last = await startLoopbackServer((_request, response) => response.end("1"));
    const steps: Readonly<Record<string, string>> = { "/0": "/1", "/1": "/2", "/2": "/3", "/3": `${last.origin}/4` };
    const server = await startLoopbackServer((request, response) => {
      response.writeHead(302, { location: steps[request.url ?? ""] }).end("moved");
    });
    expect((await open().get(`${server.origin}/1`, asIs, call())).value).toBe(1);
    expect(await faultOf(open().get(`${server.origin}/0`, asIs, call()))).toEqual(
      fault("status", "responded with status 302", 302),
    );
  });
});

describe("a proxy", () => {
  test("is given the URL of a request, but not if its host is an exception", async () => {
    const { origin } = await startLoopbackServer((request, response) => response.end(JSON.stringify(request.headers.host)));
    const { url, targets } = await startForwardProxy(Number(new URL(origin).port));
    const upstream = open({ proxy: { http: url, https: "", none: "127.0.0.1" } });
    const get = async (target: string) => (await upstream.get(target, asIs, call())).value;
    expect([await get("http://prices.example/a?b=1"), await get(`${origin}/c`)]).toEqual(["prices.example", new URL(origin).host]);
    expect(targets).toEqual(["http://prices.example/a?b=1"]);
  });

  test.each([403, 407])("that refuses a tunnel with %i is named in the fault", async (status) => {
    const { url } = await startForwardProxy(1, status);
    const upstream = open({ proxy: { http: "", https: url, none: "" } });
    expect(await faultOf(upstream.get("https://prices.example/", asIs, call()))).toEqual(
      fault("connect", `no response (the proxy responded with status ${status})`),
    );
  });
});
