import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pictureOf } from "../../../../src/sandbox/stand-ins/picture.ts";
import { loopOf } from "../../../../src/sandbox/stand-ins/radio/loop.ts";
import { startStreamsStandIn } from "../../../../src/sandbox/stand-ins/radio/stand-ins.ts";
import type { StandIn } from "../../../../src/sandbox/stand-ins/stand-in.ts";
import { createManualClock } from "../../../fixtures/manual-clock.ts";

let standIn: StandIn;
beforeAll(async () => {
  standIn = await startStreamsStandIn({ clock: createManualClock({ nowMs: 0 }) });
});
afterAll(() => standIn.close());

const loop = loopOf("ember-7");
const { length } = loop;

describe("a stream", () => {
  test.each<[string | undefined, number, string | null, Uint8Array]>([
    [undefined, 200, null, loop],
    ["bytes=0-", 206, `bytes 0-${length - 1}/${length}`, loop],
    ["bytes=44-143", 206, `bytes 44-143/${length}`, loop.subarray(44, 144)],
    ["bytes=-10", 206, `bytes ${length - 10}-${length - 1}/${length}`, loop.subarray(length - 10)],
    [`bytes=5-${length * 2}`, 206, `bytes 5-${length - 1}/${length}`, loop.subarray(5)],
    [`bytes=${length}-`, 416, `bytes */${length}`, new Uint8Array()],
    ["bytes=0-1,4-5", 200, null, loop],
  ])("responds to %s with %i", async (range, status, contentRange, bytes) => {
    const response = await fetch(`${standIn.origin}/live/ember-7`, range === undefined ? {} : { headers: { range } });
    const { headers } = response;
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect({
      status: response.status,
      contentRange: headers.get("content-range"),
      contentType: headers.get("content-type"),
      encoding: headers.get("content-encoding"),
      anyPage: headers.get("access-control-allow-origin"),
      parts: headers.get("accept-ranges"),
    }).toEqual({ status, contentRange, contentType: "audio/wav", encoding: null, anyPage: "*", parts: "bytes" });
  });

  test("is WAV of the announced size, some seconds long, and audible", () => {
    const view = Buffer.from(loop);
    const seconds = view.readUInt32LE(40) / view.readUInt32LE(28);
    expect([view.toString("latin1", 0, 4), view.toString("latin1", 8, 16), view.readUInt32LE(4) + 8]).toEqual([
      "RIFF",
      "WAVEfmt ",
      length,
    ]);
    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(15);
    let loudest = 0;
    for (let at = 44; at < length; at += 2) {
      loudest = Math.max(loudest, Math.abs(view.readInt16LE(at)));
    }
    expect(loudest / 32_767).toBeCloseTo(0.8, 2);
  });

  test("is the same for the same station, and different for another", () => {
    expect(Buffer.from(loopOf("ember-7")).equals(loop)).toBe(true);
    expect(Buffer.from(loopOf("ember-8")).equals(loop)).toBe(false);
  });
});

test.each([
  ["/listen/ember-7.pls", 200, "audio/x-scpls", /^File1=http:\/\/127\.0\.0\.1:\d+\/live\/ember-7$/m],
  ["/pictures/ember-7.svg", 200, "image/svg+xml", new RegExp(`^${RegExp.escape(pictureOf("ember-7"))}$`)],
  ["/pictures/%3Cscript%3E.svg", 404, "text/plain", /^404: Not Found$/],
  ["/", 404, "text/plain", /^404: Not Found$/],
])("the response to %s is %i", async (path, status, contentType, body) => {
  const response = await fetch(standIn.origin + path);
  expect([response.status, response.headers.get("content-type"), response.headers.get("access-control-allow-origin")]).toEqual([
    status,
    contentType,
    "*",
  ]);
  expect(await response.text()).toMatch(body);
});
