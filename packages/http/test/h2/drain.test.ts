// HTTP/2 callers lose nothing that was in flight when a server stops. https://www.rfc-editor.org/rfc/rfc9113#section-6.8
import { once } from "node:events";
import { constants } from "node:http2";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../src/exchange.ts";
import { PEER_REACTION_MS } from "../../src/linger.ts";
import {
  acceptedSockets,
  dial,
  dialHttp2,
  echo,
  fetchHttp2,
  frame,
  framesOf,
  getFrame,
  listening,
  type Peer,
  PREFACE,
  postFrame,
  resetFrame,
  until,
} from "../listening.ts";

const HEADERS = 1;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const STREAM_ID_MAX = 2 ** 31 - 1;

const pingAck = frame(PING, 1, 0, [0, 0, 0, 0, 0, 0, 0, 0]);
const ids = (count: number, first: number): number[] => Array.from({ length: count }, (_, index) => first + 2 * index);

/** The last stream that each GOAWAY names. */
function lastStreams(peer: Peer): number[] {
  const bytes = Buffer.from(peer.received(), "latin1");
  const found: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    if (bytes.readUInt8(at + 3) === GOAWAY) {
      found.push(bytes.readUInt32BE(at + 9));
    }
  }
  return found;
}

const responded = (peer: Peer): number[] =>
  framesOf(peer)
    .filter(({ type }) => type === HEADERS)
    .map(({ stream }) => stream);

describe.each([
  { when: "when the listener drains", begin: "drain" },
  { when: "when it was idle for too long", begin: "idle" },
] as const)("$when, calls in flight", ({ begin }) => {
  const awaitingGoaway = async () => {
    const started = await listening(echo, { limits: { idleTimeoutMs: 10_000 } });
    const peer = await dial(started.port);
    peer.send(Buffer.concat([PREFACE, getFrame(1)]));
    await until(() => responded(peer).length === 1);
    if (begin === "drain") {
      void started.listener.drain(60_000);
    } else {
      started.clock.advance(10_000);
    }
    await until(() => lastStreams(peer).length === 1);
    return { ...started, peer };
  };

  test("are served if they cross the GOAWAY, and the peer is told which was the last", async () => {
    const { peer } = await awaitingGoaway();
    const crossing = ids(20, 3);
    peer.send(Buffer.concat([...crossing.map(getFrame), pingAck]));
    await peer.closed();
    expect({ responded: responded(peer), announced: lastStreams(peer) }).toEqual({
      responded: [1, ...crossing],
      announced: [STREAM_ID_MAX, crossing.at(-1)],
    });
  });

  test("are served even if the server's ping is not acknowledged", async () => {
    const { peer, clock } = await awaitingGoaway();
    const crossing = ids(20, 3);
    for (const stream of crossing) {
      peer.send(getFrame(stream));
      await until(() => responded(peer).includes(stream));
      clock.advance(PEER_REACTION_MS / 40);
    }
    clock.advance(PEER_REACTION_MS);
    await peer.closed();
    expect(lastStreams(peer)).toEqual([STREAM_ID_MAX, crossing.at(-1)]);
  });
});

test("a call after the last one is refused so that it can be retried elsewhere, and those before it end", async () => {
  const started: Exchange[] = [];
  const { port, listener } = await listening((exchange) => {
    started.push(exchange);
  });
  const peer = await dial(port);
  peer.send(Buffer.concat([PREFACE, getFrame(1)]));
  await until(() => started.length === 1);
  const drained = listener.drain(60_000);
  await until(() => lastStreams(peer).length === 1);
  peer.send(pingAck);
  await until(() => lastStreams(peer).length === 2);
  peer.send(Buffer.concat([getFrame(3), frame(0, 1, 3, [])]));
  await until(() => framesOf(peer).some(({ type }) => type === RST_STREAM));
  for (const exchange of started) {
    exchange.respond(200, {}, "late");
  }
  await peer.closed();
  await drained;
  expect(framesOf(peer).filter(({ stream }) => stream === 3)).toEqual([
    { type: RST_STREAM, stream: 3, code: constants.NGHTTP2_REFUSED_STREAM },
  ]);
  expect({ started: started.length, responded: responded(peer), announced: lastStreams(peer) }).toEqual({
    started: 1,
    responded: [1],
    announced: [STREAM_ID_MAX, 1],
  });
});

test("refusing large bodies ends no other call of the connection", async () => {
  const { port } = await listening((exchange) =>
    exchange.hasBody ? exchange.respond(401, {}, "no key") : exchange.respond(200, {}, "good"),
  );
  const session = dialHttp2(port);
  const body = Buffer.alloc(5_000_000);
  const refused = Array.from({ length: 20 }, () => fetchHttp2(session, { ":method": "POST", "content-length": body.length }, body));
  const good = Array.from({ length: 70 }, () => fetchHttp2(session, { ":path": "/" }));
  const statuses = async (responses: readonly ReturnType<typeof fetchHttp2>[]) =>
    new Set((await Promise.all(responses)).map(({ status }) => status));
  expect([await statuses(good), await statuses(refused)]).toEqual([new Set([200]), new Set([401])]);
  const pinged = new Promise((resolve) => session.ping(resolve));
  await pinged;
  expect(session.destroyed).toBe(false);
  session.close();
  await once(session, "close");
});

test.each([
  { what: "a ping after the last call", last: frame(0, 1, 1, []), behind: frame(PING, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]) },
  { what: "a ping after the last call's reset", last: resetFrame(1, 8), behind: frame(PING, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]) },
  { what: "a call after the last one", last: frame(0, 1, 1, []), behind: getFrame(3) },
  { what: "a fault after the last call", last: frame(0, 1, 1, []), behind: frame(PING, 0, 0, []) },
])("nothing is written after a connection's end, for $what in the same packet", async ({ last, behind }) => {
  const sockets = acceptedSockets();
  const { port, listener } = await listening((exchange) => exchange.respond(200, {}, "response"));
  const peer = await dial(port);
  const errors: string[] = [];
  peer.send(Buffer.concat([PREFACE, postFrame(1)]));
  await until(() => responded(peer).length === 1);
  sockets[0]?.on("error", (error: NodeJS.ErrnoException) => errors.push(error.code ?? error.message));
  void listener.drain(60_000);
  await until(() => lastStreams(peer).length === 1);
  peer.send(pingAck);
  await until(() => lastStreams(peer).length === 2);
  peer.send(Buffer.concat([last, behind]));
  await peer.closed();
  expect(errors).toEqual([]);
});
