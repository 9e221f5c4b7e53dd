import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { get as getHttps } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ConfigError, Environment } from "../../src/config/environment.ts";
import { loadTls, readTls, type TlsFiles } from "../../src/config/tls.ts";
import { PEER_REACTION_MS } from "../../src/http/linger.ts";
import { dial, echo, fetchHttp2, listening, until } from "./listening.ts";

const path = (name: string): string => join(import.meta.dirname, "certificates", name);
const pem = (name: string): Buffer => readFileSync(path(name));
const files: TlsFiles = { cert: path("server.pem"), key: path("server.key"), clientCa: undefined, clientCerts: "off" };
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
        tls: { cert: path("rsa.pem"), key: path("rsa.key"), clientCa: undefined, clientCerts: "off" },
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
    const { port } = await listening(echo, { tls: { ...files, clientCa: path("authority.pem"), clientCerts: "require" } });
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
});

test("a key that OpenSSL considers too short is reported at startup, not later", () => {
  const at = mkdtempSync(join(tmpdir(), "quintet-tls-"));
  onTestFinished(() => rmSync(at, { recursive: true }));
  const [cert, key] = [join(at, "cert.pem"), join(at, "key.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:512", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
  execFileSync("openssl", [...request, "-keyout", key, "-out", cert], { stdio: "ignore" });
  expect(() => loadTls({ cert, key, clientCa: undefined, clientCerts: "off" })).toThrow(
    `QUINTET_TLS_CERT names "${cert}", which TLS cannot use (ERR_SSL_EE_KEY_TOO_SMALL)`,
  );
});

describe("the TLS files", () => {
  const folder = (): string => {
    const created = mkdtempSync(join(tmpdir(), "quintet-tls-"));
    onTestFinished(() => rmSync(created, { recursive: true }));
    return created;
  };

  test("are reloaded for new connections, and kept if the new ones are faulty", async () => {
    const at = folder();
    const copied: TlsFiles = { cert: join(at, "cert.pem"), key: join(at, "key.pem"), clientCa: undefined, clientCerts: "off" };
    copyFileSync(path("server.pem"), copied.cert);
    copyFileSync(path("server.key"), copied.key);
    const { listener, port } = await listening(echo, { tls: copied });
    const subject = async (): Promise<unknown> => (await handshake(port)).getPeerCertificate().subject.CN;
    const before = await subject();
    copyFileSync(path("renewed.pem"), copied.cert);
    expect(() => listener.reloadTls(loadTls(copied))).toThrow("QUINTET_TLS_KEY");
    const kept = await subject();
    copyFileSync(path("renewed.key"), copied.key);
    listener.reloadTls(loadTls(copied));
    expect([before, kept, await subject()]).toEqual(["localhost", "localhost", "renewed.localhost"]);
  });

  const faultsOf = (variables: Record<string, string>): readonly string[] => {
    const environment = new Environment(variables);
    readTls(environment);
    try {
      environment.finish();
      return [];
    } catch (thrown) {
      return (thrown as ConfigError).faults;
    }
  };
  const cert = path("server.pem");
  const key = path("server.key");
  const readme = path("README.md");

  test.each([
    { variables: {}, faults: [] },
    { variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: key }, faults: [] },
    { variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: key, QUINTET_TLS_CLIENT_CA: path("authority.pem") }, faults: [] },
    { variables: { QUINTET_TLS_CERT: cert }, faults: ["QUINTET_TLS_KEY must be set too, because QUINTET_TLS_CERT is"] },
    { variables: { QUINTET_TLS_KEY: key }, faults: ["QUINTET_TLS_CERT must be set too, because QUINTET_TLS_KEY is"] },
    { variables: { QUINTET_TLS_CLIENT_CA: cert }, faults: ["QUINTET_TLS_CLIENT_CA needs QUINTET_TLS_CERT and QUINTET_TLS_KEY"] },
    {
      variables: { QUINTET_TLS_CERT: "/none", QUINTET_TLS_KEY: key },
      faults: ['QUINTET_TLS_CERT names "/none", which cannot be read (ENOENT)'],
    },
    {
      variables: { QUINTET_TLS_CERT: readme, QUINTET_TLS_KEY: key },
      faults: [`QUINTET_TLS_CERT names "${readme}", which does not contain a PEM certificate`],
    },
    {
      variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: readme },
      faults: [`QUINTET_TLS_KEY names "${readme}", which does not contain an unencrypted PEM private key`],
    },
    {
      variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: path("renewed.key") },
      faults: [`QUINTET_TLS_KEY names "${path("renewed.key")}", which is not the key of the certificate in QUINTET_TLS_CERT`],
    },
    {
      variables: { QUINTET_TLS_CERT: cert, QUINTET_TLS_KEY: key, QUINTET_TLS_CLIENT_CA: key },
      faults: [`QUINTET_TLS_CLIENT_CA names "${key}", which does not contain a PEM certificate`],
    },
    {
      variables: { QUINTET_TLS_CERT: "/none", QUINTET_TLS_KEY: "/", QUINTET_TLS_CLIENT_CA: readme },
      faults: [
        'QUINTET_TLS_CERT names "/none", which cannot be read (ENOENT)',
        'QUINTET_TLS_KEY names "/", which cannot be read (EISDIR)',
        `QUINTET_TLS_CLIENT_CA names "${readme}", which does not contain a PEM certificate`,
      ],
    },
    {
      variables: { QUINTET_TLS_CERT: "/none" },
      faults: [
        'QUINTET_TLS_CERT names "/none", which cannot be read (ENOENT)',
        "QUINTET_TLS_KEY must be set too, because QUINTET_TLS_CERT is",
      ],
    },
  ])("given as $variables have the faults $faults", ({ variables, faults }) => {
    expect(faultsOf(variables)).toEqual(faults);
  });
});
