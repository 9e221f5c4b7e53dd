// How much useless work a peer may demand on one HTTP/2 connection, and the error code that stops it. The tests have the names of known
// attacks. https://www.rfc-editor.org/rfc/rfc9113#section-10.5
import { constants } from "node:http2";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../src/exchange.ts";
import { CONTROL_FRAMES_BURST } from "../../src/h2/connection-budgets.ts";
import { CONTINUATIONS_MAX } from "../../src/h2/header-blocks.ts";
import {
  dial,
  echo,
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

const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;

const SETTINGS_ACK = frame(4, 1, 0, []);
const ping = frame(PING, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]);
const windowUpdate = (stream: number, bytes: number): Buffer =>
  frame(WINDOW_UPDATE, 0, stream, [bytes >>> 24, (bytes >>> 16) & 255, (bytes >>> 8) & 255, bytes & 255]);
const data = (stream: number, bytes: number, flags = 0): Buffer => frame(DATA, flags, stream, Array(bytes).fill(0));
const openHeaders = frame(HEADERS, 0, 1, [0x82, 0x86, 0x84, 0x41, 0x01, 0x61]);
const continuation = (bytes: number): Buffer => frame(9, 0, 1, Array(bytes).fill(0));
const many = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));
const ids = (count: number, first = 1): number[] => Array.from({ length: count }, (_, index) => first + 2 * index);

const goawayOf = (peer: Peer): number | undefined => framesOf(peer).find(({ type }) => type === GOAWAY)?.code;
const resetsOf = (peer: Peer) => framesOf(peer).filter(({ type }) => type === RST_STREAM);
const headsOf = (peer: Peer): number[] =>
  framesOf(peer)
    .filter(({ type }) => type === HEADERS)
    .map(({ stream }) => stream);

/** Waits until the server has read everything sent, by a ping after it. */
async function settled(peer: Peer): Promise<void> {
  const pings = (): number => framesOf(peer).filter(({ type }) => type === PING).length;
  const before = pings();
  peer.send(ping);
  await until(() => pings() > before);
}

const silent = (): void => {};
const tooMuch = CONTROL_FRAMES_BURST + 10;

describe("a connection is closed", () => {
  test.each([
    { what: "a flood of CONTINUATION", sent: Buffer.concat([openHeaders, many(CONTINUATIONS_MAX + 1, continuation(0))]), code: 11 },
    { what: "an endless header block", sent: Buffer.concat([openHeaders, many(CONTINUATIONS_MAX, continuation(16_384))]), code: 9 },
    { what: "a flood of PING", sent: many(tooMuch, ping), code: 11 },
    { what: "a flood of SETTINGS", sent: many(tooMuch, frame(4, 0, 0, [])), code: 11 },
    { what: "a flood of PRIORITY", sent: many(tooMuch, frame(2, 0, 3, [0, 0, 0, 1, 0])), code: 11 },
    { what: "a flood of empty DATA", sent: Buffer.concat([postFrame(1), many(tooMuch, data(1, 0))]), code: 11 },
    { what: "a flood of padding", sent: Buffer.concat([postFrame(1), many(tooMuch, frame(0, 8, 1, [1, 0]))]), code: 11 },
    { what: "a flood of WINDOW_UPDATE", sent: many(tooMuch, windowUpdate(0, 1)), code: 11 },
    { what: "a flood of GOAWAY", sent: many(tooMuch, frame(GOAWAY, 0, 0, Array(8).fill(0))), code: 11 },
    { what: "a flood of unknown frames", sent: many(tooMuch, frame(0xbe, 0, 0, [])), code: 11 },
    { what: "a window over the maximum", sent: windowUpdate(0, 0x7f_ff_ff_ff), code: 3 },
    {
      what: "more DATA than its window",
      sent: Buffer.concat([postFrame(1), postFrame(3), many(3, data(1, 16_000)), many(2, data(3, 16_000))]),
      code: 3,
    },
    { what: "a frame over the maximum size", sent: Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1]), code: 6 },
    { what: "a header block that is not HPACK", sent: frame(HEADERS, 5, 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), code: 9 },
    { what: "a header block interrupted by another frame", sent: Buffer.concat([openHeaders, ping]), code: 1 },
    { what: "a pushed stream", sent: frame(5, 4, 1, [0, 0, 0, 2]), code: 1 },
    { what: "a stream id of the server's", sent: getFrame(2), code: 1 },
    { what: "a stream lower than the last", sent: Buffer.concat([getFrame(5), getFrame(3)]), code: 1 },
    { what: "more padding than bytes", sent: Buffer.concat([postFrame(1), frame(0, 8, 1, [2, 0])]), code: 1 },
  ])("with code $code for $what", async ({ sent, code }) => {
    const { port, clock } = await listening(silent);
    const peer = await dial(port);
    peer.send(Buffer.concat([PREFACE, sent]));
    await peer.closed();
    expect(goawayOf(peer)).toBe(code);
    await until(() => clock.pending === 0);
  });

  test("if it does not begin with the preface", async () => {
    const { port } = await listening(silent);
    const peer = await dial(port);
    peer.send("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n");
    await peer.closed();
    expect(goawayOf(peer)).toBe(constants.NGHTTP2_PROTOCOL_ERROR);
  });

  test.each([
    { what: "streams that the peer resets (rapid reset)", kinds: ["reset"] },
    { what: "streams that the peer makes us reset (made you reset)", kinds: ["window"] },
    { what: "both together", kinds: ["reset", "window"] },
    { what: "DATA on closed streams", kinds: ["closed"] },
  ])("for too many $what", async ({ kinds }) => {
    const { port } = await listening((exchange) => (exchange.path === "/" ? undefined : exchange.respond(200, {}, "")), {
      limits: { streamResetBurst: 20, streamResetsPerSecond: 1 },
    });
    const peer = await dial(port);
    const bad: Readonly<Record<string, (stream: number) => Buffer>> = {
      reset: (stream) => Buffer.concat([postFrame(stream), resetFrame(stream, constants.NGHTTP2_CANCEL)]),
      window: (stream) => Buffer.concat([postFrame(stream), windowUpdate(stream, 0)]),
      closed: (stream) => Buffer.concat([postFrame(stream), data(stream, 0, 1), data(stream, 1)]),
    };
    peer.send(PREFACE);
    for (const [index, stream] of ids(20).entries()) {
      peer.send((bad[kinds[index % kinds.length] as string] as (stream: number) => Buffer)(stream));
    }
    await settled(peer);
    expect(goawayOf(peer)).toBeUndefined();
    peer.send((bad[kinds[0] as string] as (stream: number) => Buffer)(101));
    await peer.closed();
    expect(goawayOf(peer)).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
});

test("a peer's keepalive pings are acknowledged indefinitely", async () => {
  const { port, clock } = await listening(echo, { limits: { idleTimeoutMs: 3_600_000 } });
  const peer = await dial(port);
  peer.send(PREFACE);
  for (let seconds = 0; seconds < 150; seconds += 1) {
    peer.send(many(10, ping));
    await until(() => framesOf(peer).filter(({ type }) => type === PING).length >= 10 * (seconds + 1));
    clock.advance(1000);
  }
  expect(goawayOf(peer)).toBeUndefined();
});

describe("concurrent streams", () => {
  test("are bounded, and one more is refused so that it can be retried", async () => {
    const { port } = await listening(silent, { limits: { concurrentRequestsMax: 3 } });
    const peer = await dial(port);
    peer.send(Buffer.concat([PREFACE, ...ids(5).map(getFrame)]));
    await until(() => resetsOf(peer).length === 2);
    expect(resetsOf(peer)).toEqual([7, 9].map((stream) => ({ type: RST_STREAM, stream, code: constants.NGHTTP2_REFUSED_STREAM })));
  });

  test("no longer count once they are reset, however many callers cancel", async () => {
    const { port } = await listening((exchange) => (exchange.hasBody ? undefined : exchange.respond(200, {}, "good")));
    const peer = await dial(port);
    peer.send(PREFACE);
    let next = 1;
    for (let round = 0; round < 5; round += 1) {
      const cancelled = ids(95, next);
      const good = ids(5, next + 190);
      next += 200;
      peer.send(Buffer.concat(cancelled.map(postFrame)));
      peer.send(Buffer.concat(cancelled.map((stream) => resetFrame(stream, constants.NGHTTP2_CANCEL))));
      peer.send(Buffer.concat(good.map(getFrame)));
      await until(() => good.every((stream) => headsOf(peer).includes(stream)));
    }
    expect(resetsOf(peer)).toEqual([]);
  });
});

describe("the windows of a body", () => {
  const updatesOf = (peer: Peer): number => framesOf(peer).filter(({ type }) => type === WINDOW_UPDATE).length;

  test("do not open until the handler reads it, and then as it is read", async () => {
    const waiting: Exchange[] = [];
    const { port } = await listening((exchange) => waiting.push(exchange));
    const peer = await dial(port);
    peer.send(Buffer.concat([PREFACE, SETTINGS_ACK, postFrame(1), data(1, 16_384)]));
    await settled(peer);
    expect(updatesOf(peer)).toBe(0);
    const body = waiting[0]?.readBody(100_000, true);
    await until(() => updatesOf(peer) === 1);
    peer.send(data(1, 10, 1));
    expect((await body)?.byteLength).toBe(16_394);
  });

  test("bind the peer once it has acknowledged them", async () => {
    const { port } = await listening(silent);
    const peer = await dial(port);
    // The default applies before that.
    peer.send(Buffer.concat([PREFACE, postFrame(1), data(1, 16_384), data(1, 10), SETTINGS_ACK, postFrame(3), data(3, 16_384)]));
    await settled(peer);
    expect(resetsOf(peer)).toEqual([]);
    peer.send(data(3, 1));
    await until(() => resetsOf(peer).length > 0);
    expect(resetsOf(peer)).toEqual([{ type: RST_STREAM, stream: 3, code: constants.NGHTTP2_FLOW_CONTROL_ERROR }]);
  });

  test("are returned for refused streams, so that others continue", async () => {
    const { port } = await listening((exchange) =>
      exchange.path === "/" && exchange.hasBody ? exchange.respond(401, {}, "no key") : exchange.respond(200, {}, ""),
    );
    const peer = await dial(port);
    peer.send(Buffer.concat([PREFACE, SETTINGS_ACK]));
    // Ten times the connection's window, on streams that are each refused and reset.
    for (const stream of ids(40)) {
      peer.send(Buffer.concat([postFrame(stream), data(stream, 16_384)]));
      await until(() => headsOf(peer).includes(stream));
      peer.send(resetFrame(stream, constants.NGHTTP2_NO_ERROR));
    }
    await settled(peer);
    expect({ goaway: goawayOf(peer), resets: resetsOf(peer) }).toEqual({ goaway: undefined, resets: [] });
  });
});

test("frames on a stream that we have reset are ignored, since the peer may not have known", async () => {
  const { port } = await listening(silent);
  const peer = await dial(port);
  peer.send(Buffer.concat([PREFACE, postFrame(1), windowUpdate(1, 0), data(1, 100), data(1, 100, 1), windowUpdate(1, 10)]));
  await settled(peer);
  expect({ goaway: goawayOf(peer), resets: resetsOf(peer) }).toEqual({
    goaway: undefined,
    resets: [{ type: RST_STREAM, stream: 1, code: constants.NGHTTP2_PROTOCOL_ERROR }],
  });
});

test("long responses of one connection are sent in turn", async () => {
  const { port } = await listening((exchange) => exchange.respond(200, {}, Buffer.alloc(60_000)));
  const peer = await dial(port);
  peer.send(Buffer.concat([PREFACE, windowUpdate(0, 1_000_000), getFrame(1), getFrame(3), getFrame(5)]));
  const pieces = () => framesOf(peer).filter(({ type }) => type === DATA);
  await until(() => pieces().length >= 12);
  expect(pieces().map(({ stream }) => stream)).toEqual([1, 3, 5, 1, 3, 5, 1, 3, 5, 1, 3, 5]);
});

describe("a change of the peer's initial window", () => {
  const setWindow = (bytes: number): Buffer =>
    frame(4, 0, 0, [0, 4, bytes >>> 24, (bytes >>> 16) & 255, (bytes >>> 8) & 255, bytes & 255]);
  const bytesOf = (peer: Peer): number => peer.received().split("x").length - 1;

  test("applies to open streams, to below zero and up again", async () => {
    const { port } = await listening((exchange) => exchange.respond(200, {}, "x".repeat(300)));
    const peer = await dial(port);
    peer.send(Buffer.concat([PREFACE, setWindow(100), getFrame(1)]));
    await until(() => bytesOf(peer) >= 100);
    peer.send(Buffer.concat([setWindow(50), windowUpdate(1, 40)]));
    await settled(peer);
    expect(bytesOf(peer)).toBeLessThan(105);
    peer.send(setWindow(300));
    await until(() => bytesOf(peer) >= 300);
  });
});
