import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { get as getHttps } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { PEER_REACTION_MS } from "../src/linger.ts";
import type { TlsMaterial } from "../src/tls.ts";
import { dial, echo, fetchHttp2, listening, until } from "./listening.ts";

const pem = (name: string): string => readFileSync(join(import.meta.dirname, "certificates", name), "utf8");
const files: TlsMaterial = { cert: pem("server.pem"), key: pem("server.key"), clientCa: undefined, clientCerts: "off" };
const ca = pem("authority.pem");

/** Completes the handshake, and resolves with the socket. Rejects if the server refuses. */
const handshake = (port: number, options: ConnectionOptions = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port, ca, servername: "localhost", ...options });
    onTestFinished(() => {
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("secureConnect", () => resolve(socket));
  });

/** Requests over HTTP/1.1, and resolves with the body or the failure's code. */
const fetchHttp1 = (port: number, options: ConnectionOptions = {}): Promise<string> =>
  new Promise((resolve) => {
    const request = getHttps({ host: "127.0.0.1", port, ca, servername: "localhost", agent: false, ...options }, async (response) =>
      resolve(await text(response)),
    );
    request.on("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });

describe("a port with TLS", () => {
  test("serves HTTP/2 or HTTP/1.1, as ALPN negotiates, and HTTP/1.1 without ALPN", async () => {
    const { port } = await listening(echo, { tls: files });
    const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: "localhost" });
    onTestFinished(() => session.destroy());
    const response2 = await fetchHttp2(session, { ":path": "/two" });
    expect([response2.body, await fetchHttp1(port, { ALPNProtocols: ["http/1.1"] }), await fetchHttp1(port)]).toEqual([
      "2 GET /two ",
      "1 GET / ",
      "1 GET / ",
    ]);
  });

  test("prefers HTTP/2", async () => {
    const { port } = await listening(echo, { tls: files });
    const socket = await handshake(port, { ALPNProtocols: ["http/1.1", "h2"] });
    expect([socket.alpnProtocol, socket.getProtocol()]).toEqual(["h2", "TLSv1.3"]);
  });

  test("refuses TLS 1.1 and protocols that it does not speak", async () => {
    const { port } = await listening(echo, { tls: files });
    // At OpenSSL's usual security level the client would not even offer TLS 1.1.
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    await expect(handshake(port, old)).rejects.toMatchObject({ code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
    await expect(handshake(port, { ALPNProtocols: ["spdy/3"] })).rejects.toThrow(/no application protocol/i);
  });

  test.each([
    { ciphers: "AES128-GCM-SHA256", isTaken: false },
    { ciphers: "AES256-SHA256", isTaken: false },
    { ciphers: "ECDHE-RSA-AES128-SHA256", isTaken: false },
    { ciphers: "ECDHE-RSA-AES128-GCM-SHA256", isTaken: true },
    { ciphers: "ECDHE-RSA-CHACHA20-POLY1305", isTaken: true },
  ])(
    "accepts $ciphers over TLS 1.2: $isTaken, since a cipher must be forward-secret and authenticated",
    async ({ ciphers, isTaken }) => {
      const { port } = await listening(echo, {
        tls: { cert: pem("rsa.pem"), key: pem("rsa.key"), clientCa: undefined, clientCerts: "off" },
      });
      const shaken = handshake(port, { ca: pem("rsa.pem"), maxVersion: "TLSv1.2", ciphers });
      const hasTaken = await shaken.then(
        () => true,
        () => false,
      );
      expect(hasTaken).toBe(isTaken);
    },
  );

  test.each([
    { agreed: "h2", sent: "GET / HTTP/1.1\r\nhost: a\r\n\r\n", heard: "does not begin with HTTP/2's preface" },
    { agreed: "http/1.1", sent: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", heard: "HTTP/1.1 400" },
  ])("accepts only $agreed on a connection that negotiated it", async ({ agreed, sent, heard }) => {
    const requested: string[] = [];
    const { port, clock } = await listening((exchange) => requested.push(exchange.path), { tls: files });
    const socket = await handshake(port, { ALPNProtocols: [agreed] });
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
    });
    socket.write(sent);
    await until(() => received.includes(heard));
    await until(() => {
      clock.advance(PEER_REACTION_MS);
      return socket.destroyed;
    });
    expect(requested).toEqual([]);
  });

  test("refuses cleartext", async () => {
    const { port } = await listening(echo, { tls: files });
    const peer = await dial(port);
    peer.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    expect(await peer.closed()).not.toContain("HTTP");
  });

  test("closes a connection that does not complete the handshake", async () => {
    const { port } = await listening(echo, { tls: files, limits: { firstByteTimeoutMs: 20 } });
    const peer = await dial(port);
    expect(await peer.closed()).toBe("");
  });

  test("admits only callers with a certificate of a client authority, if any is configured", async () => {
    const { port } = await listening(echo, { tls: { ...files, clientCa: pem("authority.pem"), clientCerts: "require" } });
    const callers: ConnectionOptions[] = [
      { cert: pem("caller.pem"), key: pem("caller.key") },
      { cert: pem("stranger.pem"), key: pem("stranger.key") },
      {},
    ];
    const responses = await Promise.all(callers.map((caller) => fetchHttp1(port, caller)));
    expect([responses[0], responses[1]?.startsWith("1 GET"), responses[2]?.startsWith("1 GET")]).toEqual([
      "1 GET / ",
      false,
      false,
    ]);
  });

  test("performs one handshake per connection", async () => {
    const { port } = await listening(echo, { tls: files });
    const socket = await handshake(port, { maxVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"] });
    const refused = await new Promise<unknown>((resolve) => {
      socket.once("error", resolve);
      socket.renegotiate({}, resolve);
    });
    expect(refused).toMatchObject({ message: expect.stringContaining("no renegotiation") });
  });

  test("drains", async () => {
    const { listener, port, clock } = await listening(echo, { tls: files });
    const socket = await handshake(port, { ALPNProtocols: ["http/1.1"] });
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk;
    });
    await until(() => received.includes("1 GET /"));
    const drained = listener.drain(10_000);
    await listener.closePort();
    clock.advance(PEER_REACTION_MS);
    await drained;
    await until(() => socket.destroyed);
  });

  test("uses another certificate for new connections, and keeps its own if the other cannot be used", async () => {
    const { listener, port } = await listening(echo, { tls: files });
    const subject = async (): Promise<unknown> => (await handshake(port)).getPeerCertificate().subject.CN;
    const before = await subject();
    expect(() => listener.reloadTls({ ...files, cert: pem("renewed.pem") })).toThrow("key values mismatch");
    const kept = await subject();
    listener.reloadTls({ ...files, cert: pem("renewed.pem"), key: pem("renewed.key") });
    expect([before, kept, await subject()]).toEqual(["localhost", "localhost", "renewed.localhost"]);
  });
});
