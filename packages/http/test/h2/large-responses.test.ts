// A peer that reads long responses opens its windows all the time, which is not a flood of WINDOW_UPDATE. One that opens them byte by byte
// is a flood. https://www.rfc-editor.org/rfc/rfc9113#section-10.5
import { expect, test } from "vitest";
import { CONTROL_FRAMES_BURST } from "../../src/h2/connection-budgets.ts";
import { listening, until } from "../listening.ts";
import { FRAME, frame } from "./frames.ts";
import { type H2Peer, openPeer, requestFrame, settingsFrame, uint32 } from "./peer.ts";

const INITIAL_WINDOW_SIZE = 4;
const ENHANCE_YOUR_CALM = 11;
const MIB = 1024 * 1024;

/** Opens both windows by the size of each DATA frame, as soon as it arrives. */
function openWindowsAsRead(peer: H2Peer): void {
  let looked = 0;
  peer.socket.on("data", () => {
    const updates: Buffer[] = [];
    for (; looked < peer.frames.length; looked += 1) {
      const { type, stream, payload } = peer.frames[looked] ?? { type: -1, stream: 0, payload: Buffer.alloc(0) };
      if (type === FRAME.DATA && payload.length > 0) {
        updates.push(frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(payload.length)));
        updates.push(frame(FRAME.WINDOW_UPDATE, 0, stream, uint32(payload.length)));
      }
    }
    peer.send(...updates);
  });
}

test("a peer may read one long response after another, and open both windows for each frame", async () => {
  const { port } = await listening((exchange) => exchange.respond(200, {}, Buffer.alloc(MIB)));
  const peer = await openPeer(port);
  openWindowsAsRead(peer);
  for (let stream = 1; stream < 60; stream += 2) {
    peer.send(requestFrame(stream));
    await peer.ended(stream);
  }
  expect([peer.goaway, peer.bodyOf(59).length]).toEqual([undefined, MIB]);
});

test("a peer may read a long stream of short pieces, and open both windows for each piece", async () => {
  const pieces = 5 * CONTROL_FRAMES_BURST;
  const { port } = await listening(async (exchange) => {
    const stream = exchange.openResponse(200, {});
    for (let piece = 0; piece < pieces; piece += 1) {
      await stream.write("a price");
    }
    stream.end();
  });
  const peer = await openPeer(port);
  openWindowsAsRead(peer);
  peer.send(requestFrame(1));
  await peer.ended(1);
  await peer.settled();
  expect([peer.goaway, peer.bodyOf(1).length]).toEqual([undefined, pieces * "a price".length]);
});

test("a peer that opens its window byte by byte for a long response gets ENHANCE_YOUR_CALM", async () => {
  const { port } = await listening((exchange) => exchange.respond(200, {}, Buffer.alloc(MIB)));
  const peer = await openPeer(port);
  peer.send(settingsFrame({ [INITIAL_WINDOW_SIZE]: 0 }), requestFrame(1));
  for (let sent = 0; sent < 10 * CONTROL_FRAMES_BURST && peer.goaway === undefined && !peer.isClosed; sent += 1) {
    const before = peer.bodyOf(1).length;
    peer.send(frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(1)));
    await until(() => peer.isClosed || peer.goaway !== undefined || peer.bodyOf(1).length > before);
  }
  expect(peer.goaway?.code).toBe(ENHANCE_YOUR_CALM);
  expect(peer.bodyOf(1).length).toBeLessThanOrEqual(CONTROL_FRAMES_BURST + 10);
});
