// Refused heads still cost parsing: a thousand cookies, one byte each on the wire, make a thousand fields. A connection is closed after a
// limited number of them.
import { constants } from "node:http2";
import { describe, expect, test } from "vitest";
import { HEADS_REFUSED_BURST, HEADS_REFUSED_PER_SECOND } from "../src/h2/connection-budgets.ts";
import { dial, echo, frame, framesOf, getFrame, listening, type Peer, PREFACE, postFrame, resetFrame, until } from "./listening.ts";

const SECOND_MS = 1000;
const HEADERS = 1;
const GOAWAY = 7;
const CALM = constants.NGHTTP2_ENHANCE_YOUR_CALM;

/** `cookie: a=b` in a header block: the first adds it to both tables, and each later one is a one-byte index. */
const cookies = (count: number): number[] => [0x60, 3, 0x61, 0x3d, 0x62, ...Array.from({ length: count - 1 }, () => 0xbe)];

/** Requests `GET /` from the host `a` with this many cookies. */
const getWithCookies = (stream: number, count: number): Buffer =>
  frame(HEADERS, 0x5, stream, [0x82, 0x86, 0x84, 0x01, 0x01, 0x61, ...cookies(count)]);

/** The streams' ids in order. */
const streamIds = (count: number, first = 1): number[] => Array.from({ length: count }, (_, index) => first + 2 * index);

const goaways = (peer: Peer) => framesOf(peer).filter(({ type }) => type === GOAWAY);
const enhanceYourCalm = [{ type: GOAWAY, stream: 0, code: CALM }];

const kinds = [
  { what: "more cookies than are decoded", head: (stream: number) => [getWithCookies(stream, 3000)] },
  { what: "more cookies than are allowed", head: (stream: number) => [getWithCookies(stream, 150)] },
  { what: "no path", head: (stream: number) => [frame(HEADERS, 0x5, stream, [0x82, 0x86])] },
  {
    what: "too many cookies after a body",
    head: (stream: number) => [
      frame(HEADERS, 0x4, stream, [0x83, 0x86, 0x84, 0x01, 0x01, 0x61]),
      frame(HEADERS, 0x5, stream, cookies(3000)),
    ],
  },
];

describe("an HTTP/2 connection whose heads are refused repeatedly", () => {
  test.each(kinds)("gets ENHANCE_YOUR_CALM and is closed: $what", async ({ head }) => {
    const { port, clock } = await listening(echo);
    const peer = await dial(port);
    peer.send(PREFACE);
    // Not one too many: bytes after the last would be left unread, and the GOAWAY be lost with it.
    for (const stream of streamIds(HEADS_REFUSED_BURST + 1)) {
      peer.send(Buffer.concat(head(stream)));
      await until(() => framesOf(peer).some((frame) => frame.stream === stream || frame.type === GOAWAY));
    }
    clock.advance(SECOND_MS);
    await peer.closed();
    expect(goaways(peer)).toEqual(enhanceYourCalm);
    await until(() => clock.pending === 0);
  });

  test("is closed at its next good request, without waiting for a timer", async () => {
    const { port } = await listening(echo);
    const peer = await dial(port);
    peer.send(PREFACE);
    const ids = streamIds(HEADS_REFUSED_BURST + 2);
    peer.send(Buffer.concat(ids.slice(0, -1).map((stream) => getWithCookies(stream, 3000))));
    peer.send(getFrame(ids.at(-1) as number));
    await peer.closed();
    expect(goaways(peer)).toEqual(enhanceYourCalm);
  });

  test("stays open if refusals are rare enough", async () => {
    const { port, clock } = await listening(echo);
    const peer = await dial(port);
    peer.send(PREFACE);
    let next = 1;
    for (let second = 0; second < 3 * (HEADS_REFUSED_BURST / HEADS_REFUSED_PER_SECOND); second += 1) {
      const ids = streamIds(HEADS_REFUSED_PER_SECOND, next);
      next += 2 * ids.length;
      peer.send(Buffer.concat(ids.map((stream) => getWithCookies(stream, 3000))));
      const last = ids.at(-1);
      await until(() => framesOf(peer).some(({ type, stream }) => type === HEADERS && stream === last));
      clock.advance(SECOND_MS);
    }
    // The peer's own resets are counted elsewhere, and may be more.
    const gone = streamIds(3 * HEADS_REFUSED_BURST, next);
    next += 2 * gone.length;
    peer.send(Buffer.concat(gone.flatMap((stream) => [postFrame(stream), resetFrame(stream, constants.NGHTTP2_CANCEL)])));
    peer.send(getFrame(next));
    await until(() => framesOf(peer).some(({ type, stream }) => type === HEADERS && stream === next));
    expect(goaways(peer)).toEqual([]);
  });
});
