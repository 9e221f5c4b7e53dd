// Incomplete input: how much of it all connections and those of one address may hold, and the response beyond that.
import { describe, expect, test } from "vitest";
import { HeldInput, HeldInputOfConnection } from "../src/connection-slots.ts";
import type { Exchange, RequestHandler } from "../src/exchange.ts";
import {
  acceptedSockets,
  dial,
  frame,
  framesOf,
  type Listening,
  listening,
  type Peer,
  PREFACE,
  postFrame,
  responseAfterBody,
  turns,
  until,
} from "./listening.ts";

// One address may hold an eighth of it, 10,000 bytes.
const BYTES_MAX = 80_000;
const BYTES = 4000;
const BUSY = "SERVER_BUSY: The server is holding as many incomplete requests as it can at the moment; retry in 1 s.";
const ENHANCE_YOUR_CALM = 11;

const filled = new Array<number>(BYTES).fill(0x61);
const letters = "a".repeat(BYTES);
const busy = (peer: Peer): unknown => peer.received().split("\r\n\r\n")[1];
const goaway = (peer: Peer): unknown => framesOf(peer).find(({ type }) => type === 7)?.code;

const KINDS = [
  { what: "heads", sent: `GET / HTTP/1.1\r\nhost: a\r\nx: ${letters}`, refusalOf: busy, expected: BUSY },
  { what: "header blocks", sent: Buffer.concat([PREFACE, frame(1, 0, 1, filled)]), refusalOf: goaway, expected: ENHANCE_YOUR_CALM },
  {
    what: "frames",
    sent: Buffer.concat([PREFACE, frame(1, 4, 1, filled).subarray(0, BYTES)]),
    refusalOf: goaway,
    expected: ENHANCE_YOUR_CALM,
  },
  {
    what: "HTTP/2 bodies that nobody reads",
    sent: Buffer.concat([PREFACE, postFrame(1), frame(0, 0, 1, filled)]),
    refusalOf: goaway,
    expected: ENHANCE_YOUR_CALM,
  },
];

describe.each(KINDS)("of incomplete $what", ({ sent, refusalOf, expected }) => {
  async function sendTo(started: Listening, sockets: readonly { readonly bytesRead: number }[], address?: string): Promise<Peer> {
    const peer = await dial(started.port, address);
    await until(() => sockets.length > 0);
    const socket = sockets.at(-1);
    peer.send(sent);
    await until(() => socket?.bytesRead === sent.length);
    await turns(3);
    return peer;
  }

  test("an address may hold an eighth, and one more is refused until one of them is gone", async () => {
    const sockets = acceptedSockets();
    const started = await listening(() => {}, { limits: { heldInputBytesMax: BYTES_MAX } });
    const [first, second] = [await sendTo(started, sockets), await sendTo(started, sockets)];
    const third = await sendTo(started, sockets);
    third.socket.end();
    await third.closed();
    expect(refusalOf(third)).toBe(expected);
    const other = await sendTo(started, sockets, "127.0.0.2");
    expect([first, second, other].map((peer) => [peer.socket.closed, refusalOf(peer)])).toEqual(
      new Array(3).fill([false, undefined]),
    );
    first.socket.destroy();
    await until(() => sockets[0]?.readyState === "closed");
    await turns(3);
    const fourth = await sendTo(started, sockets);
    expect([fourth.socket.closed, refusalOf(fourth)]).toEqual([false, undefined]);
  });

  test("all addresses together may hold no more than the limit", async () => {
    const sockets = acceptedSockets();
    const started = await listening(() => {}, { limits: { heldInputBytesMax: BYTES_MAX } });
    const peers: Peer[] = [];
    for (let number = 0; number < 22; number += 1) {
      peers.push(await sendTo(started, sockets, `127.0.0.${2 + Math.floor(number / 2)}`));
    }
    const refused = peers.filter((peer) => peer.socket.closed || refusalOf(peer) !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    expect(peers.slice(0, 19).filter((peer) => refused.includes(peer))).toEqual([]);
  });
});

describe("of HTTP/1.1, what waits behind a request", () => {
  const HEAD = "POST /last HTTP/1.1\r\nhost: a\r\ncontent-length: 9000\r\n\r\n";
  const GET = "GET /last HTTP/1.1\r\nhost: a\r\n\r\n";
  // What the request's handler does once too much is held.
  const reads: RequestHandler = (exchange) => responseAfterBody(exchange, 10_000, () => "read");
  const refuses: RequestHandler = (exchange) => exchange.respond(401, {}, "no key");

  test.for([
    {
      what: "a body that is read then",
      sent: HEAD,
      late: reads,
      expected: "HTTP/1.1 422 Unprocessable Entity\r\nconnection: close\r\n\r\nSERVER_BUSY",
    },
    {
      what: "a body whose request is refused",
      sent: HEAD,
      late: refuses,
      expected: "HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\nno key",
    },
    {
      what: "further requests",
      sent: GET.repeat(2),
      late: refuses,
      expected:
        "HTTP/1.1 401 Unauthorized\r\nconnection: keep-alive\r\n\r\nno key" +
        "HTTP/1.1 429 Too Many Requests\r\nconnection: keep-alive\r\n\r\n" +
        "RATE_LIMITED: More than 1 requests are waiting on this connection; wait for responses before sending more.",
    },
  ])("$what is discarded beyond the limit, and the request gets its response", async ({ sent, late, expected }) => {
    const sockets = acceptedSockets();
    const waiting: Exchange[] = [];
    const limits = { heldInputBytesMax: BYTES_MAX, concurrentRequestsMax: 1 };
    const { port } = await listening((exchange) => void waiting.push(exchange), { limits });
    for (const number of [1, 2, 3]) {
      const peer = await dial(port);
      await until(() => sockets.length === number);
      peer.send(sent + letters);
      await until(() => sockets[number - 1]?.bytesRead === sent.length + letters.length);
      await turns(3);
      if (number === 3) {
        const last = waiting.at(-1) as Exchange;
        expect([peer.socket.closed, last.path]).toEqual([false, "/last"]);
        late(last);
        const response = await peer.until("\r\n\r\n").then(() => peer.closed());
        expect(response.replaceAll(/^(x-request-id|date|keep-alive|content-).*\r\n/gm, "")).toBe(expected);
      }
    }
  });
});

test("a connection's bytes count until it releases them, and without an address only the total limit applies", () => {
  const all = new HeldInput(800);
  const address = { heldInputBytes: 0 };
  const [one, other, free] = [
    new HeldInputOfConnection(all, address),
    new HeldInputOfConnection(all, address),
    new HeldInputOfConnection(all, undefined),
  ];
  expect([one.set(60), other.set(40), other.set(41), other.set(41), other.set(40), one.set(0), other.set(100)]).toEqual([
    true,
    true,
    false,
    true,
    true,
    true,
    true,
  ]);
  expect([free.set(700), free.set(701), all.bytes, address.heldInputBytes]).toEqual([true, false, 801, 100]);
});
