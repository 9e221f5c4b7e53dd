// How much memory a peer can make us hold, and when it is cut: windows, unread responses, header blocks, streams over the limit.
import { describe, expect, test } from "vitest";
import type { RequestHandler } from "../../src/exchange.ts";
import { DEFAULT_LIMITS } from "../../src/limits.ts";
import { LINGER_BYTES_MAX, PEER_REACTION_MS } from "../../src/linger.ts";
import { acceptedSockets, echo, listening, turns, until } from "../listening.ts";
import { FLAG, FRAME, frame } from "./frames.ts";
import { encodeFields, type Fields, type H2Peer, openPeer, requestFrame, settingsFrame, uint32 } from "./peer.ts";

const INITIAL_WINDOW_SIZE = 4;
const FLOW_CONTROL_ERROR = 3;
const REFUSED_STREAM = 7;
const ENHANCE_YOUR_CALM = 11;
const WINDOW_MAX = 2 ** 31 - 1;

const MIB = 1024 * 1024;
const responseOf =
  (bytes: number): RequestHandler =>
  (exchange) =>
    exchange.respond(200, {}, Buffer.alloc(bytes, "a"));

const streams = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => 2 * index + 1);

/** The sum of all window updates that the server has sent on a stream. */
const openedOn = (peer: H2Peer, stream: number): number =>
  peer.framesOf(stream, FRAME.WINDOW_UPDATE).reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);

/** The first window of each stream, as the server announces it. */
async function firstWindow(peer: H2Peer): Promise<number> {
  await peer.settled();
  // It is in effect from our acknowledgement on.
  peer.send(frame(FRAME.SETTINGS, FLAG.ACK, 0));
  const payload = peer.framesOf(0, FRAME.SETTINGS).find(({ flags }) => flags === 0)?.payload ?? Buffer.alloc(0);
  for (let at = 0; at < payload.length; at += 6) {
    if (payload.readUInt16BE(at) === INITIAL_WINDOW_SIZE) {
      return payload.readUInt32BE(at + 2);
    }
  }
  return 65_535;
}

describe("a peer that reads none of its responses", () => {
  const bytesMax = 4 * MIB;
  const limits = { unsentBytesPerConnectionMax: bytesMax, stallTimeoutMs: 5000 };

  test.each([
    { kind: "because it opens no window", settings: { [INITIAL_WINDOW_SIZE]: 0 }, isPaused: false },
    { kind: "because it reads nothing", settings: { [INITIAL_WINDOW_SIZE]: WINDOW_MAX }, isPaused: true },
  ])("$kind, makes us buffer no more than the limit, and loses it after the stall timeout", async ({ settings, isPaused }) => {
    const sockets = acceptedSockets();
    const ends: boolean[] = [];
    const { port, clock } = await listening(
      (exchange) => {
        exchange.onEnd((completed) => ends.push(completed));
        responseOf(MIB)(exchange);
      },
      { limits },
    );
    const peer = await openPeer(port, settings);
    peer.send(frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(WINDOW_MAX - 65_535)));
    await peer.settled();
    if (isPaused) {
      peer.socket.pause();
    }
    peer.send(...streams(60).map((stream) => requestFrame(stream)));
    // Every response over the limit is aborted at once.
    await until(() => ends.length >= 40);
    await turns(20);
    expect(ends.filter((completed) => completed).length).toBeLessThanOrEqual(8);
    expect(sockets[0]?.writableLength).toBeLessThanOrEqual(bytesMax + MIB);
    await until(() => {
      clock.advance(1000);
      return ends.length === 60;
    });
  });
});

describe("a window that we open", () => {
  test("is not opened before the handler reads the body", async () => {
    let read = (): void => {};
    const { port } = await listening((exchange) => {
      read = () => echo(exchange);
    });
    const peer = await openPeer(port);
    const window = await firstWindow(peer);
    peer.send(requestFrame(1, { method: "POST", end: false }), ...dataFrames(1, window));
    await peer.settled();
    expect(openedOn(peer, 1)).toBe(0);
    read();
    await until(() => openedOn(peer, 1) > 0);
    peer.send(frame(FRAME.DATA, FLAG.END_STREAM, 1));
    await peer.ended(1);
    expect(peer.headsOf(1)[0]?.[0]).toBe(":status: 200");
  });

  test("is enforced to the byte", async () => {
    const { port } = await listening(() => {});
    const peer = await openPeer(port);
    const window = await firstWindow(peer);
    peer.send(requestFrame(1, { method: "POST", end: false }), ...dataFrames(1, window));
    await peer.settled();
    expect([peer.resetOf(1), peer.goaway]).toEqual([undefined, undefined]);
    peer.send(...dataFrames(1, 1));
    await until(() => peer.isClosed || peer.resetOf(1) !== undefined);
    expect(peer.resetOf(1) ?? peer.goaway?.code).toBe(FLOW_CONTROL_ERROR);
  });
});

/** DATA frames with this many bytes in total. */
function dataFrames(stream: number, bytes: number): readonly Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes; at += 16_384) {
    frames.push(frame(FRAME.DATA, 0, stream, Buffer.alloc(Math.min(16_384, bytes - at))));
  }
  return frames;
}

describe("a window that the peer opens", () => {
  test("for all its streams by SETTINGS lets their responses continue", async () => {
    const { port } = await listening(responseOf(1000));
    const peer = await openPeer(port, { [INITIAL_WINDOW_SIZE]: 0 });
    peer.send(requestFrame(1), requestFrame(3));
    await peer.settled();
    expect([peer.bodyOf(1).length, peer.bodyOf(3).length]).toEqual([0, 0]);
    peer.send(settingsFrame({ [INITIAL_WINDOW_SIZE]: 400 }));
    await until(() => peer.bodyOf(1).length === 400 && peer.bodyOf(3).length === 400);
    // Less than was already sent: the window is now negative.
    peer.send(settingsFrame({ [INITIAL_WINDOW_SIZE]: 100 }), frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(300)));
    await peer.settled();
    expect([peer.bodyOf(1).length, peer.bodyOf(3).length]).toEqual([400, 400]);
    peer.send(frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(600)), settingsFrame({ [INITIAL_WINDOW_SIZE]: 1000 }));
    await Promise.all([peer.ended(1), peer.ended(3)]);
    expect([peer.bodyOf(1).length, peer.bodyOf(3).length]).toEqual([1000, 1000]);
  });

  test("for the whole connection is shared by its responses in turn", async () => {
    const { port } = await listening((exchange) => responseOf(exchange.path === "/large" ? 10 * MIB : 20_000)(exchange));
    const peer = await openPeer(port, { [INITIAL_WINDOW_SIZE]: WINDOW_MAX });
    peer.send(requestFrame(1, { path: "/large" }));
    await until(() => peer.bodyOf(1).length === 65_535);
    peer.send(requestFrame(3));
    await peer.settled();
    peer.send(frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(100_000)));
    await peer.ended(3);
    expect(peer.bodyOf(3).length).toBe(20_000);
    expect(peer.hasEnded(1)).toBe(false);
  });
});

describe("a header block", () => {
  const REQUEST: Fields = [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
    [":authority", "a"],
  ];
  /** `x-a: 1`, which enters the table. */
  const INSERT = Buffer.from("4003782d610131", "hex");
  const NEWEST = Buffer.of(0xbe);
  const request = (stream: number, ...more: readonly Buffer[]): Buffer =>
    frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, stream, Buffer.concat([encodeFields(REQUEST), ...more]));

  test("that decodes to far more than the limit is refused, and the connection stays open", async () => {
    const { port } = await listening(echo);
    const peer = await openPeer(port);
    const large = Buffer.concat([Buffer.from("4003782d617fa11e", "hex"), Buffer.alloc(4000, "a")]);
    peer.send(request(1, large));
    await peer.ended(1);
    peer.send(request(3, Buffer.alloc(10_000, NEWEST)));
    await peer.ended(3);
    expect(peer.headsOf(3)[0]?.[0]).toBe(":status: 431");
    peer.send(request(5, NEWEST));
    await peer.ended(5);
    expect(peer.headsOf(5)[0]?.[0]).toBe(":status: 200");
  });

  test("that does not arrive completely in time ends the connection, however much of it has arrived", async () => {
    const { headerTimeoutMs } = DEFAULT_LIMITS;
    const { port, clock } = await listening(echo);
    const peer = await openPeer(port);
    await peer.settled();
    const block = encodeFields(REQUEST);
    peer.send(frame(FRAME.HEADERS, FLAG.END_STREAM, 1, block.subarray(0, 1)));
    await until(() => clock.hasAlarmIn(headerTimeoutMs));
    clock.advance(headerTimeoutMs - 1);
    // Another block has its own timeout.
    peer.send(
      frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, block.subarray(1)),
      frame(FRAME.HEADERS, FLAG.END_STREAM, 3, block.subarray(0, 1)),
    );
    await peer.ended(1);
    await until(() => clock.hasAlarmIn(headerTimeoutMs));
    clock.advance(headerTimeoutMs - 1);
    peer.send(frame(FRAME.CONTINUATION, 0, 3, block.subarray(1, 2)));
    await turns(20);
    expect(peer.goaway).toBeUndefined();
    clock.advance(1);
    await until(() => peer.goaway !== undefined);
    expect(peer.goaway).toEqual({ lastStream: 1, code: ENHANCE_YOUR_CALM });
    await peer.closed();
    await until(() => clock.pending === 0);
  });

  test("of a stream over the limit is decoded, though the stream is refused", async () => {
    const held: (() => void)[] = [];
    const { port } = await listening((exchange) => {
      held.push(() => exchange.respond(200, {}, String(exchange.headers["x-a"])));
    });
    const peer = await openPeer(port);
    const { concurrentRequestsMax } = DEFAULT_LIMITS;
    const [over = 0, next = 0] = [2 * concurrentRequestsMax + 1, 2 * concurrentRequestsMax + 3];
    await peer.settled();
    peer.send(frame(FRAME.SETTINGS, FLAG.ACK, 0), ...streams(concurrentRequestsMax).map((stream) => request(stream)));
    await peer.settled();
    peer.send(request(over, INSERT));
    await until(() => peer.resetOf(over) !== undefined);
    expect([peer.resetOf(over), held.length]).toEqual([REFUSED_STREAM, concurrentRequestsMax]);
    for (const respond of held) {
      respond();
    }
    await peer.ended(1);
    peer.send(request(next, NEWEST));
    await until(() => held.length === concurrentRequestsMax + 1);
    held.at(-1)?.();
    await peer.ended(next);
    expect(peer.bodyOf(next).toString()).toBe("1");
  });

  test("over the limit still fills the table", async () => {
    const { port } = await listening((exchange) => exchange.respond(200, {}, String(exchange.headers["x-a"])));
    const peer = await openPeer(port);
    peer.send(request(1, ...Array.from({ length: 200 }, () => Buffer.from("000162023131", "hex")), INSERT));
    await peer.ended(1);
    peer.send(request(3, NEWEST));
    await peer.ended(3);
    expect([peer.headsOf(1)[0]?.[0], peer.bodyOf(3).toString()]).toEqual([":status: 431", "1"]);
  });
});

test("acknowledgements are not buffered for a peer that reads nothing", async () => {
  const sockets = acceptedSockets();
  const { port, clock } = await listening(echo);
  const peer = await openPeer(port);
  await peer.settled();
  peer.socket.pause();
  const pings = Buffer.concat(Array.from({ length: 1000 }, () => frame(FRAME.PING, 0, 0, Buffer.alloc(8))));
  let isServerClosed = false;
  sockets[0]?.once("close", () => {
    isServerClosed = true;
  });
  for (let sent = 0; sent < 1000 && !isServerClosed; sent += 1) {
    peer.send(pings);
    await turns(1);
    expect(sockets[0]?.writableLength).toBeLessThan(MIB);
  }
  peer.socket.resume();
  await until(() => {
    clock.advance(PEER_REACTION_MS);
    return peer.isClosed;
  });
  expect(peer.goaway?.code ?? ENHANCE_YOUR_CALM).toBe(ENHANCE_YOUR_CALM);
});

test("only a bounded number of bytes is read from a peer that keeps sending after its fault", async () => {
  const sockets = acceptedSockets();
  const { port, clock } = await listening(echo);
  const peer = await openPeer(port);
  await peer.settled();
  peer.send(frame(FRAME.PING, 0, 0, Buffer.alloc(7)));
  await until(() => peer.goaway !== undefined);
  for (let sent = 0; sent < 50 && !peer.isClosed; sent += 1) {
    peer.send(Buffer.alloc(MIB));
    await turns(2);
  }
  expect(sockets[0]?.bytesRead).toBeLessThan(LINGER_BYTES_MAX + 2 * 64 * 1024);
  clock.advance(PEER_REACTION_MS);
  await peer.closed();
});
