// What becomes of a newcomer where a listener has as many connections as it may have: it takes the place of one that has asked for nothing.
import { once } from "node:events";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { dial, echo, getFrame, type Listening, listening, type Peer, PREFACE, until } from "./listening.ts";

const certificate = (name: string): string => join(import.meta.dirname, "certificates", name);
const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

async function asked({ port }: Listening, bytes: string | Buffer): Promise<Peer> {
  const peer = await dial(port);
  peer.send(bytes);
  await until(() => peer.received().length > 100);
  return peer;
}

describe("at a listener that has as many connections as it may have, a newcomer", () => {
  test.each([
    { what: "has said nothing", said: "" },
    { what: "has sent a blank line", said: "\r\n" },
    { what: "has sent a part of a head", said: "GET / HT" },
    { what: "has sent HTTP/2's preface", said: PREFACE },
  ])("takes the place of the oldest that $what", async ({ said }) => {
    const started = await listening(echo, { limits: { connectionsMax: 4 } });
    const [first, second] = [await asked(started, GET), await asked(started, Buffer.concat([PREFACE, getFrame(1)]))];
    const [oldest, younger] = [await dial(started.port), await dial(started.port)];
    oldest.send(said);
    younger.send(said);
    const newcomer = await asked(started, GET);
    await oldest.closed();
    expect([first, second, younger, newcomer].map(({ socket }) => socket.closed)).toEqual([false, false, false, false]);
  });

  test("is closed at once where all of them have asked for something", async () => {
    const started = await listening(echo, { limits: { connectionsMax: 2 } });
    const served = [await asked(started, GET), await asked(started, Buffer.concat([PREFACE, getFrame(1)]))];
    const newcomer = await dial(started.port);
    expect(await newcomer.closed()).toBe("");
    expect(started.listener.connections().turnedAway).toBe(1);
    expect(served.map(({ socket }) => socket.closed)).toEqual([false, false]);
  });

  test("is served however many are silent, and how many come at once", async () => {
    const started = await listening(echo, { limits: { connectionsMax: 20, connectionsPerAddressMax: 0 } });
    await Promise.all(Array.from({ length: 100 }, () => dial(started.port)));
    expect((await asked(started, GET)).received()).toContain("200 OK");
    const { undecided, http1 } = started.listener.connections();
    expect(undecided + http1).toBeLessThanOrEqual(20);
  });

  test("that speaks TLS takes the place of one that is shaking hands, or has and is silent", async () => {
    const tls = {
      cert: certificate("server.pem"),
      key: certificate("server.key"),
      clientCa: undefined,
      clientCerts: "off",
    } as const;
    const { port } = await listening(echo, { limits: { connectionsMax: 2 }, tls });
    const shakeHands = (): Promise<TLSSocket> =>
      new Promise((resolve) => {
        const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
        socket.on("error", () => {});
        onTestFinished(() => {
          socket.destroy();
        });
        socket.once("secureConnect", () => resolve(socket));
      });
    const shaking = await dial(port);
    const silent = await shakeHands();
    await shakeHands();
    await shaking.closed();
    silent.resume();
    const silentClosed = new Promise((resolve) => silent.once("close", resolve));
    const last = await shakeHands();
    await silentClosed;
    last.write(GET);
    const [answer] = (await once(last, "data")) as [Buffer];
    expect(answer.toString()).toContain("200 OK");
  });
});
