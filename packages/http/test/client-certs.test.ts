import { X509Certificate } from "node:crypto";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Clock } from "../src/clock.ts";
import type { RequestHandler } from "../src/exchange.ts";
import { PEER_REACTION_MS } from "../src/linger.ts";
import type { TlsMaterial } from "../src/tls.ts";
import { type Authority, type Certified, makeAuthority } from "./fixtures/certificates.ts";
import { type Listening, listening, until } from "./listening.ts";

const DAY_MS = 86_400_000;
const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/** Responds with the names in the client's certificate. */
const respondWithNames: RequestHandler = (exchange) => {
  const { certificate } = exchange.client;
  const names = certificate === undefined ? "nobody" : [...certificate.names.uris, ...certificate.names.dnsNames].join(" ");
  exchange.respond(200, { "content-type": "text/plain" }, `[${names}]`);
};

interface Scene extends Listening {
  readonly authority: Authority;
  readonly tls: TlsMaterial;
}

interface SceneOptions {
  readonly proxies?: readonly string[];
  /** The clock's time; certificates are valid for a day from now. */
  readonly nowMs?: number;
}

async function scene(clientCerts: TlsMaterial["clientCerts"], { proxies, nowMs = Date.now() }: SceneOptions = {}): Promise<Scene> {
  const authority = makeAuthority();
  const server = authority.certify({ names: "DNS:localhost", holder: "server" });
  const tls = { cert: server.cert, key: server.key, clientCa: authority.cert, clientCerts };
  const trust = proxies && { networks: proxies, sendsProxyProtocol: false, forwardsClientCert: true };
  const listened = await listening(respondWithNames, { tls, nowMs, ...(trust && { proxies: trust }) });
  return { ...listened, authority, tls };
}

/** A client; `send` resolves with the names in the response, or with "" if the connection was cut. */
function dialTls({ port, authority }: Pick<Scene, "port" | "authority">, certified?: Certified, options: ConnectionOptions = {}) {
  const own = certified === undefined ? {} : { cert: certified.cert, key: certified.key };
  const socket = connectTls({ host: "127.0.0.1", port, ca: authority.cert, servername: "localhost", ...own, ...options });
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk;
  });
  socket.on("error", () => undefined);
  const send = async (headers = ""): Promise<string> => {
    received = "";
    socket.write(GET.replace("\r\n\r\n", `\r\n${headers}\r\n`));
    await until(() => received.includes("]") || socket.destroyed);
    return /\[(.*)\]/.exec(received)?.[1] ?? "";
  };
  return { socket, send, received: () => received };
}

const untilExpiry = ({ cert }: Certified, clock: Clock): number => new X509Certificate(cert).validToDate.getTime() - clock.nowMs();

describe("a client's certificate", () => {
  const names = "URI:spiffe://a.example/shop,DNS:shop.example";

  test.for<[policy: TlsMaterial["clientCerts"], responses: Record<string, string>]>([
    ["off", { good: "nobody", none: "nobody", expired: "nobody", foreign: "nobody", servers: "nobody" }],
    ["request", { good: "spiffe://a.example/shop shop.example", none: "nobody", expired: "", foreign: "", servers: "" }],
    ["require", { good: "spiffe://a.example/shop shop.example", none: "", expired: "", foreign: "", servers: "" }],
  ])("is accepted or refused by the policy %s", async ([policy, responses]) => {
    const created = await scene(policy);
    const { authority } = created;
    const certified = {
      good: authority.certify({ names }),
      none: undefined,
      expired: authority.certify({ names, days: -1 }),
      foreign: makeAuthority().certify({ names }),
      servers: authority.certify({ names, holder: "server" }),
    };
    const requested = Object.entries(certified).map(async ([what, own]) => [what, await dialTls(created, own).send()]);
    expect(Object.fromEntries(await Promise.all(requested))).toEqual(responses);
  });

  test.for(["TLSv1.2", "TLSv1.3"] as const)("is required in each handshake: over %s no session is resumed", async (version) => {
    const created = await scene("require");
    const own = created.authority.certify({ names });
    const reuse = { minVersion: version, maxVersion: version } as const;
    const first = dialTls(created, own, reuse);
    const sessions: Buffer[] = [];
    first.socket.on("session", (session) => sessions.push(session));
    await first.send();
    const session = sessions.at(-1) ?? first.socket.getSession();
    const second = dialTls(created, own, { ...reuse, ...(session && { session }) });
    expect([await second.send(), second.socket.isSessionReused()]).toEqual(["spiffe://a.example/shop shop.example", false]);
  });

  test("of a trusted proxy does not identify the client: the proxy's header does", async () => {
    const created = await scene("require", { proxies: ["127.0.0.1"] });
    const proxy = dialTls(created, created.authority.certify({ names }));
    expect([
      await proxy.send(),
      await proxy.send("x-forwarded-client-cert: URI=spiffe://a.example/b\r\n"),
      await proxy.send(),
    ]).toEqual(["nobody", "spiffe://a.example/b", "nobody"]);
  });

  test("that expires ends its connection with the next response, and an idle connection soon", async () => {
    const created = await scene("request", { nowMs: Date.now() + DAY_MS - 30_000 });
    const { clock, authority } = created;
    const certified = authority.certify({ names, days: 1 });
    const busy = dialTls(created, certified);
    const idle = dialTls(created, certified);
    const withoutOne = dialTls(created);
    await Promise.all([busy.send(), idle.send(), withoutOne.send()]);
    clock.advance(untilExpiry(certified, clock));
    const last = await busy.send();
    expect([last, /connection: close/.test(busy.received())]).toEqual(["spiffe://a.example/shop shop.example", true]);
    clock.advance(PEER_REACTION_MS);
    await until(() => idle.socket.destroyed && busy.socket.destroyed);
    expect(withoutOne.socket.destroyed).toBe(false);
  });

  test("that expires ends an HTTP/2 connection with GOAWAY", async () => {
    const created = await scene("require", { nowMs: Date.now() + DAY_MS - 30_000 });
    const { connect } = await import("node:http2");
    const certified = created.authority.certify({ names });
    const { cert, key } = certified;
    const session = connect(`https://localhost:${created.port}`, { ca: created.authority.cert, cert, key });
    onTestFinished(() => session.destroy());
    const parted = new Promise<number>((resolve) => session.once("goaway", resolve));
    await new Promise((resolve) => session.once("remoteSettings", resolve));
    created.clock.advance(untilExpiry(certified, created.clock));
    expect(await parted).toBe(0);
  });
});

describe("the authorities for client certificates", () => {
  const names = "URI:spiffe://a.example/shop";

  test("are replaced without a restart: certificates of the old one are refused, and open connections end gracefully", async () => {
    const created = await scene("request");
    const { authority, tls, listener, clock } = created;
    const next = makeAuthority("next");
    const [old, renewed] = [authority.certify({ names }), next.certify({ names: "URI:spiffe://a.example/next" })];
    const open = dialTls(created, old);
    const stranger = dialTls(created);
    const before = [await open.send(), await stranger.send(), await dialTls(created, renewed).send()];
    listener.reloadTls({ ...tls, clientCa: next.cert });
    const after = [await dialTls(created, old).send(), await dialTls(created, renewed).send(), await open.send()];
    clock.advance(PEER_REACTION_MS);
    await until(() => open.socket.destroyed);
    expect([before, after, await stranger.send()]).toEqual([
      ["spiffe://a.example/shop", "nobody", ""],
      ["", "spiffe://a.example/next", "spiffe://a.example/shop"],
      "nobody",
    ]);
  });

  test("of a handshake are those in effect when it ends", async () => {
    const created = await scene("require");
    const { authority, tls, listener } = created;
    const client: TLSSocket = dialTls(created, authority.certify({ names })).socket;
    // The server has sent its half and waits for the certificate.
    await new Promise((resolve) => client.once("secureConnect", resolve));
    listener.reloadTls({ ...tls, clientCa: makeAuthority("next").cert });
    client.write(GET);
    await until(() => client.destroyed);
  });
});
