// Frames are read while the connection's time slice lasts, and the rest of a chunk is read later.
import { expect, test } from "vitest";
import { FrameReader } from "../../src/h2/frame-reader.ts";
import { FRAME, frame, PREFACE } from "./frames.ts";
import { settingsFrame } from "./peer.ts";

const FRAMES = 100;
const bytes = Buffer.concat([
  PREFACE,
  settingsFrame({}),
  ...Array.from({ length: FRAMES }, (_, number) => frame(FRAME.PING, 0, 2 * number + 1, Buffer.alloc(8))),
]);

test.each([
  { what: "the time slice ends after every few of them", isSliceOver: true },
  { what: "there is time for all of them", isSliceOver: false },
])("each frame is read once and in order if $what, however the bytes are cut", ({ isSliceOver }) => {
  for (const pieceBytes of [1, 10, 300, bytes.length]) {
    const streams: number[] = [];
    const reader = new FrameReader((_type, _flags, streamId) => streams.push(streamId), { isSliceOver });
    let goes = 0;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      let rest = bytes.subarray(at, at + pieceBytes);
      do {
        rest = rest.subarray(reader.read(rest));
        goes += 1;
      } while (rest.length > 0);
    }
    expect(streams).toEqual([0, ...Array.from({ length: FRAMES }, (_, number) => 2 * number + 1)]);
    expect(goes > Math.ceil(bytes.length / pieceBytes)).toBe(isSliceOver && pieceBytes >= 300);
  }
});
