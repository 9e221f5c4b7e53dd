// A flood ends with a GOAWAY that says why, after a bounded number of frames and handler calls.
// https://www.rfc-editor.org/rfc/rfc9113#section-10.5
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../src/limits.ts";
import { listening, until } from "../listening.ts";
import { FLOODS } from "./attacks.ts";
import { openPeer } from "./peer.ts";

/** More than any flood needs to be recognized. */
const PIECES_MAX = 100_000;
const ENHANCE_YOUR_CALM = 11;

test.each(FLOODS)("a flood of $name ends the connection", async ({ opening, piece }) => {
  let calls = 0;
  // The handler never responds: what a flood requests stays in progress.
  const { port } = await listening(() => {
    calls += 1;
  });
  const peer = await openPeer(port);
  if (opening !== undefined) {
    peer.send(opening);
  }
  let sent = 0;
  while (sent < PIECES_MAX && !peer.isClosed && peer.goaway === undefined) {
    const batch = Array.from({ length: 100 }, (_, index) => piece(sent + index));
    sent += batch.length;
    if (!peer.send(...batch)) {
      await until(() => peer.isClosed || !peer.socket.writableNeedDrain);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await peer.closed();
  expect(peer.goaway?.code).toBe(ENHANCE_YOUR_CALM);
  expect(calls).toBeLessThanOrEqual(DEFAULT_LIMITS.streamResetBurst + DEFAULT_LIMITS.concurrentRequestsMax + 1);
});
