// Requests to customers' servers that fail, hang, drip, redirect, lie about their address or send too much.
import { createServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { post } from "../../../src/alerts/webhooks/request.ts";
import { makeAuthority } from "../../fixtures/certificates.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { startForwardProxy } from "../../fixtures/servers/forward-proxy.ts";
import { startReceiver, type WebhookReceiver, withStatus } from "../../fixtures/servers/webhook-receiver.ts";

/** Name → what it resolves to. */
const names = vi.hoisted(() => new Map<string, readonly string[]>());

vi.mock("node:dns/promises", () => {
  const resolved = (hostname: string, pattern: RegExp): Promise<readonly string[]> => {
    const addresses = names.get(hostname)?.filter((address) => pattern.test(address)) ?? [];
    return addresses.length > 0
      ? Promise.resolve(addresses)
      : Promise.reject(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }));
  };
  return {
    Resolver: class {
      resolve4 = (hostname: string) => resolved(hostname, /^[^:]*$/);
      resolve6 = (hostname: string) => resolved(hostname, /:/);
    },
  };
});

const headers = { "webhook-id": "d7a2" };
const clock = createManualClock({ nowMs: 0 });
const options = { clock, userAgent: "Quintet/1", connectTimeoutMs: 1000, allowsPrivate: true };
const send = (url: string, changes: Partial<Parameters<typeof post>[3]> = {}) =>
  post(url, headers, '{"type":"webhook.test"}', { signal: new AbortController().signal, ...options, ...changes });
const failed = (error: string) => ({ httpStatus: undefined, response: "", error });

async function start(...args: Parameters<typeof startReceiver>): Promise<WebhookReceiver> {
  const receiver = await startReceiver(...args);
  onTestFinished(() => receiver.close());
  return receiver;
}

beforeEach(() => names.clear());

test("a request is one POST of JSON with the given headers and our own user agent, and its connection is closed", async () => {
  const receiver = await start(undefined, withStatus(200, "thanks"));
  expect(await send(receiver.url)).toEqual({ httpStatus: 200, response: "thanks", error: undefined });
  expect(receiver.received).toMatchObject([
    {
      ...{ method: "POST", path: "/hooks?from=quintet", body: '{"type":"webhook.test"}' },
      headers: { "webhook-id": "d7a2", "content-type": "application/json", "user-agent": "Quintet/1", "content-length": "23" },
    },
  ]);
  expect([receiver.connections, clock.pending]).toEqual([1, 0]);
});

describe("over TLS", () => {
  const certified = () => {
    const authority = makeAuthority();
    return { authority, tls: authority.certify({ names: "IP:127.0.0.1", holder: "server" }) };
  };

  test("a request goes to a server whose certificate is trusted", async () => {
    const { authority, tls } = certified();
    const receiver = await start(tls);
    const before = getCACertificates("default");
    onTestFinished(() => setDefaultCACertificates(before));
    setDefaultCACertificates([...before, authority.cert]);
    expect(await send(receiver.url)).toEqual({ httpStatus: 204, response: "", error: undefined });
  });

  test("a request does not go to a server whose certificate is not trusted", async () => {
    const receiver = await start(certified().tls);
    const { error } = await send(receiver.url);
    expect(error).toMatch(/^The TLS connection failed; check the certificate \(UNABLE_TO_\w+\)\.$/);
    expect(receiver.received).toEqual([]);
  });
});

describe("to a private address", () => {
  test.each([
    "127.0.0.1",
    "localhost",
    "[::1]",
    "10.0.0.1",
    "169.254.169.254",
    "[fe80::1]",
    "[::ffff:10.0.0.1]",
    "2130706433",
    "0x7f.1",
  ])("no request goes to the host %s", async (host) => {
    const receiver = await start();
    expect(await send(`https://${host}:${receiver.port}/`, { allowsPrivate: false })).toEqual(
      failed("The host has a private address."),
    );
    expect(receiver.connections).toBe(0);
  });

  test.each([
    ["the metadata service", ["169.254.169.254"]],
    ["this machine", ["127.0.0.1"]],
    ["this machine over IPv6", ["::1"]],
    ["a public address and a private one", ["93.184.215.14", "192.168.1.1"]],
  ])("no request goes to a name that resolves to %s when the connection is opened", async (_, addresses) => {
    const receiver = await start();
    names.set("rebound.example", addresses);
    expect(await send(`https://rebound.example:${receiver.port}/`, { allowsPrivate: false })).toEqual(
      failed("The host has a private address."),
    );
    expect(receiver.connections).toBe(0);
  });

  test("no request goes out without TLS, even to a public address", async () => {
    names.set("acme.example", ["93.184.215.14"]);
    expect(await send("http://acme.example/", { allowsPrivate: false })).toEqual(failed("The URL is not https."));
  });
});

describe("through a proxy", () => {
  const begin = async () => {
    const authority = makeAuthority();
    const receiver = await start(authority.certify({ names: "DNS:acme.example", holder: "server" }));
    const before = getCACertificates("default");
    onTestFinished(() => setDefaultCACertificates(before));
    setDefaultCACertificates([...before, authority.cert]);
    const { url, targets } = await startForwardProxy(receiver.port);
    const through = { allowsPrivate: false, proxy: { https: url, http: "", none: "" } };
    return { receiver, targets, send: (to: string) => send(to, through) };
  };

  test.each([
    ["93.184.215.14", "93.184.215.14:443"],
    ["2606:2800:21f:cb07:6820:80da:af6b:8b2c", "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443"],
  ])(
    "a request goes to the address %s that was looked up here, with the name only for TLS and the server",
    async (address, target) => {
      const proxied = await begin();
      names.set("acme.example", [address]);
      expect(await proxied.send("https://acme.example/hooks")).toEqual({ httpStatus: 204, response: "", error: undefined });
      expect(proxied.targets).toEqual([target]);
      expect(proxied.receiver.received).toMatchObject([{ path: "/hooks", headers: { host: "acme.example" } }]);
    },
  );

  test("the certificate must be for the name", async () => {
    const proxied = await begin();
    names.set("other.example", ["93.184.215.14"]);
    expect((await proxied.send("https://other.example/")).error).toMatch(/certificate/);
    expect(proxied.receiver.received).toEqual([]);
  });

  test("a proxy that refuses is named", async () => {
    const { url } = await startForwardProxy(1, 403);
    names.set("acme.example", ["93.184.215.14"]);
    const through = { allowsPrivate: false, proxy: { https: url, http: "", none: "" } };
    expect(await send("https://acme.example/", through)).toEqual(
      failed("The proxy of this server's network refused the connection."),
    );
  });

  test.each([
    ["https://rebound.example/", "The host has a private address."],
    ["https://mixed.example/", "The host has a private address."],
    ["https://169.254.169.254/", "The host has a private address."],
    ["https://nobody.example/", "The host name could not be resolved."],
  ])("the proxy hears nothing of %s", async (to, error) => {
    const proxied = await begin();
    names.set("rebound.example", ["127.0.0.1"]).set("mixed.example", ["93.184.215.14", "::1"]);
    expect(await proxied.send(to)).toEqual(failed(error));
    expect(proxied.targets).toEqual([]);
  });
});

describe("the server", () => {
  test.each([
    [404, "The endpoint responded with HTTP 404."],
    [500, "The endpoint responded with HTTP 500."],
    [410, "The endpoint is gone (HTTP 410)."],
  ])("responds with %i", async (status, error) => {
    const receiver = await start(undefined, withStatus(status, "no"));
    expect(await send(receiver.url)).toEqual({ httpStatus: status, response: "no", error });
  });

  test.each([301, 302, 307, 308])("redirects with %i are not followed", async (status) => {
    const other = await start();
    const receiver = await start(undefined, (response) => void response.writeHead(status, { location: other.url }).end());
    const error = `The endpoint redirected, and redirects are not followed (HTTP ${status}).`;
    expect(await send(receiver.url)).toEqual({ httpStatus: status, response: "", error });
    expect([receiver.received.length, other.connections]).toEqual([1, 0]);
  });

  test("hangs, and is given up after 15 seconds", async () => {
    const receiver = await start(undefined, () => {});
    const sent = send(receiver.url);
    await expect.poll(() => receiver.received.length).toBe(1);
    clock.advance(15_000);
    expect(await sent).toEqual(failed("No response arrived within 15 seconds."));
    expect(clock.pending).toBe(0);
  });

  test("drips its headers, and is given up after 15 seconds", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.write("HTTP/1.1 200 OK\r\nx-slow: a");
      const timer = setInterval(() => socket.write("a"), 5);
      socket.on("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const sent = send(`http://127.0.0.1:${port}/`);
    await expect.poll(() => clock.pending).toBe(1);
    await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(1);
    clock.advance(15_000);
    expect(await sent).toEqual(failed("No response arrived within 15 seconds."));
  });

  test("drips its body, which is read for two seconds", async () => {
    const receiver = await start(undefined, (response) => {
      response.writeHead(200);
      response.write("slow");
    });
    const sent = send(receiver.url);
    await expect.poll(() => clock.pending).toBe(2);
    // The chunk has arrived with the headers, or soon after them.
    await expect.poll(() => receiver.received.length).toBe(1);
    clock.advance(2000);
    const { httpStatus, error, response } = await sent;
    expect([httpStatus, error, "slow".startsWith(response)]).toEqual([200, undefined, true]);
    expect(clock.pending).toBe(0);
  });

  test("sends a body without an end, of which only the beginning is read", async () => {
    let written = 0;
    const receiver = await start(undefined, (response) => {
      response.writeHead(500);
      const chunk = Buffer.alloc(65_536, "x");
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) {
          written += chunk.length;
        }
      };
      response.on("drain", more);
      more();
    });
    const { response, error } = await send(receiver.url);
    expect([response, error]).toEqual(["x".repeat(1000), "The endpoint responded with HTTP 500."]);
    expect(written).toBeLessThan(20_000_000);
  });

  test("sends a body with control characters and half a character, which are replaced", async () => {
    const receiver = await start(undefined, (response) => void response.end(Buffer.from([0x61, 0, 0x1b, 0x0a, 0xf0, 0x9f])));
    expect((await send(receiver.url)).response).toBe("a\u{FFFD}\u{FFFD}\n\u{FFFD}");
  });

  test("sends what would reverse or break the text of the log, which is replaced; tabs and line breaks stay", async () => {
    const body = "a\u009b\u0085\u200e\u202e\u2066\u061c\u2028b\tc\r\n\u00e9";
    const receiver = await start(undefined, (response) => void response.end(Buffer.from(body)));
    expect((await send(receiver.url)).response).toBe(`a${"\u{FFFD}".repeat(7)}b\tc\r\né`);
  });

  test.each([
    ["closes the connection", (): string => "", "The connection was closed before a response arrived."],
    ["does not speak HTTP", () => "220 smtp.example ESMTP\r\n", "The response is not valid HTTP."],
    ["sends endless headers", () => `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}`, "The response's headers are too large."],
  ])("%s", async (_, bytes, error) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(bytes()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual(failed(error));
  });

  test("is not there", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    expect(await send(receiver.url)).toEqual(failed("The connection was refused."));
  });

  test("has a name that does not resolve", async () => {
    expect(await send("https://nobody.example/", { allowsPrivate: false })).toEqual(failed("The host name could not be resolved."));
  });
});

test("a request ends when the server that sends it stops", async () => {
  const receiver = await start(undefined, () => {});
  const stopping = new AbortController();
  const sent = send(receiver.url, { signal: stopping.signal });
  await expect.poll(() => receiver.received.length).toBe(1);
  stopping.abort();
  expect((await sent).httpStatus).toBeUndefined();
});
