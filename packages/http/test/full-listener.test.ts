// A new connection at a full listener takes the place of one that has requested nothing, or else of one with nothing in progress. Also how
// many connections may arrive at once.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RequestHandler } from "../src/exchange.ts";
import { dial, echo, framesOf, getFrame, type Listening, listening, type Peer, PREFACE, postFrame, until } from "./listening.ts";

const certificate = (name: string): string => readFileSync(join(import.meta.dirname, "certificates", name), "utf8");
const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

async function dialAndRequest({ port }: Listening, bytes: string | Buffer, address?: string): Promise<Peer> {
  const peer = await dial(port, address);
  peer.send(bytes);
  await until(() => peer.received().length > 100);
  return peer;
}

describe("at a full listener, a new connection", () => {
  test.each([
    { what: "has sent nothing", said: "" },
    { what: "has sent a blank line", said: "\r\n" },
    { what: "has sent part of a head", said: "GET / HT" },
    { what: "has sent HTTP/2's preface", said: PREFACE },
  ])("takes the place of the oldest that $what", async ({ said }) => {
    const started = await listening(echo, { limits: { connectionsMax: 4 } });
    const [first, second] = [
      await dialAndRequest(started, GET),
      await dialAndRequest(started, Buffer.concat([PREFACE, getFrame(1)])),
    ];
    const [oldest, younger] = [await dial(started.port), await dial(started.port)];
    oldest.send(said);
    younger.send(said);
    const newcomer = await dialAndRequest(started, GET);
    await oldest.closed();
    expect([first, second, younger, newcomer].map(({ socket }) => socket.closed)).toEqual([false, false, false, false]);
  });

  const unresponded: RequestHandler = (exchange) => {
    if (exchange.method !== "POST") {
      echo(exchange);
    }
  };

  test("is closed at once if something is in progress on every other", async () => {
    const started = await listening(unresponded, { limits: { connectionsMax: 2 } });
    const served = [
      await dialAndRequest(started, `${GET}POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`),
      await dialAndRequest(started, Buffer.concat([PREFACE, getFrame(1), postFrame(3)])),
    ];
    const newcomer = await dial(started.port);
    expect(await newcomer.closed()).toBe("");
    expect(started.listener.connections().rejected).toBe(1);
    expect(served.map(({ socket }) => socket.closed)).toEqual([false, false]);
  });

  test.each([
    { speaking: "HTTP/1.1", bytes: GET, again: GET },
    { speaking: "HTTP/2", bytes: Buffer.concat([PREFACE, getFrame(1)]), again: getFrame(3) },
  ])("takes the place of the one that has been idle longest, over $speaking", async ({ bytes, again }) => {
    const started = await listening(unresponded, { limits: { connectionsMax: 3 } });
    const peers = [
      await dialAndRequest(started, bytes),
      await dialAndRequest(started, bytes),
      await dialAndRequest(started, bytes),
    ] as const;
    const before = peers[0].received().length;
    peers[0].send(again);
    await until(() => peers[0].received().length > before);
    const newcomer = await dialAndRequest(started, GET);
    await peers[1].closed();
    expect([...peers, newcomer].map(({ socket }) => socket.closed)).toEqual([false, true, false, false]);
    expect(started.listener.connections()).toMatchObject({ accepted: 4, rejected: 0, evicted: 1 });
  });

  test("closes an idle HTTP/2 connection only after telling its client which request was the last", async () => {
    const started = await listening(echo, { limits: { connectionsMax: 1 } });
    const idle = await dialAndRequest(started, Buffer.concat([PREFACE, getFrame(1)]));
    await dialAndRequest(started, GET);
    await idle.closed();
    expect(framesOf(idle).at(-1)).toEqual({ type: 7, stream: 0, code: 0 });
  });

  test("takes the place of a connection of the address with the most, even if others have been idle longer", async () => {
    const started = await listening(echo, { limits: { connectionsMax: 4 } });
    const others = [await dialAndRequest(started, GET, "127.0.0.2"), await dialAndRequest(started, GET, "127.0.0.3")];
    const many = [await dialAndRequest(started, GET), await dialAndRequest(started, GET)] as const;
    await dialAndRequest(started, GET, "127.0.0.4");
    await many[0].closed();
    expect([...others, many[1]].map(({ socket }) => socket.closed)).toEqual([false, false, false]);
  });

  test("causes evicted connections that do not close their end to be cut, beyond a few", async () => {
    const started = await listening(echo, { limits: { connectionsMax: 2 } });
    const idle: Socket[] = [];
    for (let count = 0; count < 2; count += 1) {
      const socket = connect({ host: "127.0.0.1", port: started.port, allowHalfOpen: true });
      onTestFinished(() => {
        socket.destroy();
      });
      socket.on("error", () => {});
      socket.write(GET);
      await once(socket, "data");
      idle.push(socket.resume());
    }
    await dialAndRequest(started, GET);
    await until(() => idle[0]?.readableEnded === true);
    expect(started.listener.connections().http1).toBe(3);
    await dialAndRequest(started, GET);
    await until(() => idle[1]?.readableEnded === true);
    await until(() => started.listener.connections().http1 === 3);
  });

  test("is served however many others are silent or arrive at once", async () => {
    const started = await listening(echo, { limits: { connectionsMax: 20, connectionsPerAddressMax: 0 } });
    await Promise.all(Array.from({ length: 100 }, () => dial(started.port)));
    expect((await dialAndRequest(started, GET)).received()).toContain("200 OK");
    const { unknown, http1 } = started.listener.connections();
    expect(unknown + http1).toBeLessThanOrEqual(20);
  });

  test("over TLS takes the place of one that is in its handshake, or silent after it", async () => {
    const tls = {
      cert: certificate("server.pem"),
      key: certificate("server.key"),
      clientCa: undefined,
      clientCerts: "off",
    } as const;
    const { port } = await listening(echo, { limits: { connectionsMax: 2 }, tls });
    const handshake = (): Promise<TLSSocket> =>
      new Promise((resolve) => {
        const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
        socket.on("error", () => {});
        onTestFinished(() => {
          socket.destroy();
        });
        socket.once("secureConnect", () => resolve(socket));
      });
    const shaking = await dial(port);
    const silent = await handshake();
    await handshake();
    await shaking.closed();
    silent.resume();
    const silentClosed = new Promise((resolve) => silent.once("close", resolve));
    const last = await handshake();
    await silentClosed;
    last.write(GET);
    const [response] = (await once(last, "data")) as [Buffer];
    expect(response.toString()).toContain("200 OK");
  });
});

test("a thousand connections can queue before the first is accepted", async () => {
  const { port } = await listening(echo);
  // This thread accepts nothing while it waits for the other process.
  const { stdout } = spawnSync(process.execPath, ["-e", CONNECT_ALL, String(port), "1000"], { encoding: "utf8" });
  expect(stdout).toBe("1000");
});

// Opens this many connections, and ends when all are connected.
const CONNECT_ALL = `
  const [port, count] = process.argv.slice(1).map(Number);
  let connected = 0;
  for (let index = 0; index < count; index += 1) {
    require("node:net").connect(port, "127.0.0.1", () => {
      connected += 1;
      if (connected === count) {
        process.stdout.write(String(connected), () => process.exit());
      }
    });
  }
`;
