import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ProxyTrust } from "../src/client/trusted-proxies.ts";
import type { RequestHandler } from "../src/exchange.ts";
import { LOCAL_PROXY_HEADER, proxyHeader, UNSPECIFIED_PROXY_HEADER } from "./client/proxy-header.ts";
import { makeAuthority } from "./fixtures/certificates.ts";
import { dial, dialHttp2, fetchHttp2, type ListeningOptions, listening, until } from "./listening.ts";

/** Responds with the client's identity. */
const whoami: RequestHandler = (exchange) => {
  const { address, isSecure, certificate } = exchange.client;
  const names = certificate === undefined ? "-" : [...certificate.names.uris, ...certificate.names.dnsNames].join(" ");
  exchange.respond(200, { "content-type": "text/plain" }, `[${address} ${isSecure ? "https" : "http"} ${names}]`);
};

const LOOPBACK: ProxyTrust = { networks: ["127.0.0.0/8"], sendsProxyProtocol: false, forwardsClientCert: false };
const FORWARDED = {
  "x-forwarded-for": "198.51.100.66, 203.0.113.9",
  "x-forwarded-proto": "https",
  "x-forwarded-client-cert": "URI=spiffe://a/victim,By=spiffe://a/proxy;URI=spiffe://a/b",
  forwarded: "for=198.51.100.77;proto=https",
};
const HEAD = `GET / HTTP/1.1\r\nhost: a\r\n${Object.entries(FORWARDED)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("")}\r\n`;
const WITHOUT_FORWARDING = `GET / HTTP/1.1\r\nhost: a\r\n\r\n`;
const responseOf = (received: string): string | undefined => /\[.*\]/.exec(received)?.[0];

async function identityOf(options: ListeningOptions, bytes: string | Buffer): Promise<string | undefined> {
  const { port } = await listening(whoami, options);
  const peer = await dial(port);
  peer.send(bytes);
  return responseOf(await peer.until("]"));
}

describe("the headers of a proxy", () => {
  test.for<[what: string, proxies: ProxyTrust | undefined, client: string]>([
    ["that is not trusted are ignored", undefined, "[127.0.0.1 http -]"],
    [
      "are ignored if only another is trusted",
      { ...LOOPBACK, networks: ["10.0.0.0/8"], forwardsClientCert: true },
      "[127.0.0.1 http -]",
    ],
    ["that is trusted are used, except for certificates", LOOPBACK, "[203.0.113.9 https -]"],
    ["that verifies certificates are used", { ...LOOPBACK, forwardsClientCert: true }, "[203.0.113.9 https spiffe://a/b]"],
  ])("%s", async ([, proxies, client]) => {
    const { port } = await listening(whoami, proxies === undefined ? {} : { proxies });
    const peer = await dial(port);
    peer.send(HEAD);
    const overHttp1 = responseOf(await peer.until("]"));
    const overHttp2 = (await fetchHttp2(dialHttp2(port), { ":path": "/", ...FORWARDED })).body;
    expect([overHttp1, overHttp2]).toEqual([client, client]);
  });

  test("on several lines are read as one list, from its end", async () => {
    const lines = ["198.51.100.1", "203.0.113.9, 127.0.0.2"].map((list) => `x-forwarded-for: ${list}\r\n`).join("");
    expect(await identityOf({ proxies: LOOPBACK }, `GET / HTTP/1.1\r\nhost: a\r\n${lines}\r\n`)).toBe("[203.0.113.9 http -]");
  });

  test("are read with each request of a connection", async () => {
    const { port } = await listening(whoami, { proxies: LOOPBACK });
    const peer = await dial(port);
    peer.send(HEAD);
    await peer.until("203.0.113.9");
    peer.send(WITHOUT_FORWARDING);
    expect(responseOf((await peer.until("127.0.0.1")).slice(-30))).toBe("[127.0.0.1 http -]");
  });
});

describe("the PROXY protocol", () => {
  const proxies: ProxyTrust = { ...LOOPBACK, sendsProxyProtocol: true, forwardsClientCert: true };
  const withHeader = (header: Buffer, text = HEAD): Buffer => Buffer.concat([header, Buffer.from(text)]);

  test.for<[what: string, bytes: Buffer, client: string]>([
    [
      "of a caller who is not trusted: the headers are the caller's own",
      withHeader(proxyHeader("203.0.113.50")),
      "[203.0.113.50 http -]",
    ],
    ["of a caller over IPv6", withHeader(proxyHeader("2001:db8::50")), "[2001:db8::50 http -]"],
    ["of another trusted proxy, whose headers are used", withHeader(proxyHeader("127.0.0.9")), "[203.0.113.9 https spiffe://a/b]"],
    ["with TLVs", withHeader(proxyHeader("203.0.113.50", [Buffer.alloc(200), Buffer.from("vpce-1")])), "[203.0.113.50 http -]"],
    ["of the balancer itself: no header is used", withHeader(LOCAL_PROXY_HEADER), "[127.0.0.1 http -]"],
    ["of a caller without an address: no header is used", withHeader(UNSPECIFIED_PROXY_HEADER), "[127.0.0.1 http -]"],
  ])("%s", async ([, bytes, client]) => {
    expect(await identityOf({ proxies }, bytes)).toBe(client);
  });

  test("may arrive byte by byte, with or before what follows", async () => {
    const { port } = await listening(whoami, { proxies });
    const peer = await dial(port);
    for (const byte of withHeader(proxyHeader("203.0.113.50"), WITHOUT_FORWARDING)) {
      peer.send(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(responseOf(await peer.until("]"))).toBe("[203.0.113.50 http -]");
  });

  test.for<[what: string, bytes: Buffer]>([
    ["no header", Buffer.from(WITHOUT_FORWARDING)],
    ["version 1", Buffer.from(`PROXY TCP4 203.0.113.9 10.0.0.1 49152 443\r\n${WITHOUT_FORWARDING}`)],
    [
      "a header that is cut short and then HTTP",
      Buffer.concat([proxyHeader("203.0.113.50").subarray(0, 20), Buffer.from(WITHOUT_FORWARDING)]),
    ],
    ["two headers", Buffer.concat([proxyHeader("203.0.113.50"), proxyHeader("203.0.113.51"), Buffer.from(WITHOUT_FORWARDING)])],
  ])("with %s from a trusted proxy ends the connection, or is refused as not HTTP", async ([, bytes]) => {
    const { port } = await listening(whoami, { proxies });
    const peer = await dial(port);
    peer.send(bytes);
    peer.socket.end();
    expect(responseOf(await peer.closed())).toBeUndefined();
  });

  test("that does not arrive in time ends the connection", async () => {
    const { port, clock } = await listening(whoami, { proxies, limits: { firstByteTimeoutMs: 5000 } });
    const peer = await dial(port);
    peer.send(proxyHeader("203.0.113.50").subarray(0, 27));
    await until(() => clock.hasAlarmIn(5000));
    clock.advance(5000);
    expect(await peer.closed()).toBe("");
  });

  test("is expected from no other peer: its header is refused as not HTTP, and a request without it is served", async () => {
    const elsewhere = { ...proxies, networks: ["10.0.0.0/8"] };
    const { port } = await listening(whoami, { proxies: elsewhere });
    const forger = await dial(port);
    forger.send(withHeader(proxyHeader("10.0.0.1")));
    expect([responseOf(await forger.closed()), await identityOf({ proxies: elsewhere }, HEAD)]).toEqual([
      undefined,
      "[127.0.0.1 http -]",
    ]);
  });

  test("comes before TLS, whose first bytes may arrive with it", async () => {
    const authority = makeAuthority();
    const { cert, key } = authority.certify({ names: "DNS:localhost", holder: "server" });
    const tls = { cert, key, clientCa: undefined, clientCerts: "off" } as const;
    const { port } = await listening(whoami, { proxies, tls });
    const responses = [];
    for (const isTogether of [true, false]) {
      const peer = await dial(port);
      peer.socket.removeAllListeners("data");
      peer.socket.setEncoding();
      const header = proxyHeader(isTogether ? "203.0.113.50" : "203.0.113.51");
      if (isTogether) {
        // Held back until the TLS ClientHello is written after it.
        peer.socket.cork();
      }
      peer.socket.write(header);
      const secure = connectTls({ socket: peer.socket, ca: authority.cert, servername: "localhost", ALPNProtocols: ["http/1.1"] });
      onTestFinished(() => void secure.destroy());
      setImmediate(() => peer.socket.uncork());
      secure.write(HEAD);
      let received = "";
      secure.on("data", (chunk: Buffer) => {
        received += chunk;
      });
      await until(() => received.includes("]"));
      responses.push(responseOf(received));
    }
    expect(responses).toEqual(["[203.0.113.50 https -]", "[203.0.113.51 https -]"]);
  });

  test("says whose connections count: a caller's newest replaces its first, and the proxy's own are unlimited", async () => {
    const { port } = await listening(whoami, { proxies, limits: { connectionsPerAddressMax: 2 } });
    const peers = [];
    for (const caller of ["203.0.113.51", "203.0.113.50", "203.0.113.50", "203.0.113.50"]) {
      const peer = await dial(port);
      peer.send(withHeader(proxyHeader(caller), WITHOUT_FORWARDING));
      await peer.until("]");
      peers.push(peer);
    }
    await peers[1]?.closed();
    expect(peers.map(({ socket }) => socket.closed)).toEqual([false, true, false, false]);
  });
});

test("a trusted proxy may have more connections than one address may", async () => {
  const { port } = await listening(whoami, { proxies: LOOPBACK, limits: { connectionsPerAddressMax: 1 } });
  const peers = await Promise.all([dial(port), dial(port), dial(port)]);
  for (const peer of peers) {
    peer.send(WITHOUT_FORWARDING);
  }
  expect(await Promise.all(peers.map(async (peer) => responseOf(await peer.until("]"))))).toEqual(
    Array.from({ length: 3 }, () => "[127.0.0.1 http -]"),
  );
});
