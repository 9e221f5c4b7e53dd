// Memory use of a body while it is read: little more than its bytes, however small its pieces are.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { BodyBudget, RequestBody } from "../src/request-body.ts";
import { createManualClock } from "./fixtures/manual-clock.ts";

const BODY_BYTES = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function readWhole(body: RequestBody, bounds: { bytesMax: number; framingBytesMax: number }): Uint8Array | Promise<Uint8Array> {
  const clock = createManualClock({ nowMs: 0 });
  const room = new BodyBudget(BODY_BYTES, { clock, evictableAfterMs: 0 }).reserve(0);
  if (room === undefined) {
    throw new Error("An empty budget has room.");
  }
  return body.readWhole({ ...bounds, timeoutMs: 1000, room, clock });
}

test("a body that arrives byte by byte takes little more memory than its bytes", async () => {
  const body = new RequestBody(() => {});
  const whole = readWhole(body, { bytesMax: BODY_BYTES, framingBytesMax: 0 });
  const before = heldBytes();
  const chunk = Buffer.alloc(16 * 1024, "a");
  for (let at = 0; at < BODY_BYTES; at += 1) {
    body.push(chunk.subarray(at % chunk.length, (at % chunk.length) + 1));
  }
  expect(heldBytes() - before).toBeLessThan(4 * BODY_BYTES);
  body.end();
  expect(Buffer.from(await whole).equals(Buffer.alloc(BODY_BYTES, "a"))).toBe(true);
});

test("a body that arrives in pieces may also fill the room for its frames", async () => {
  const body = new RequestBody(() => {});
  const whole = readWhole(body, { bytesMax: 1024, framingBytesMax: 5 });
  body.push(Buffer.alloc(5, "f"));
  body.push(Buffer.alloc(1024, "a"));
  body.end();
  expect(Buffer.from(await whole).toString()).toBe(`fffff${"a".repeat(1024)}`);
});

test("a body that has arrived is returned directly, and any other as a promise", async () => {
  const arrived = new RequestBody(() => {
    arrived.push(Buffer.from("all of it"));
    arrived.end();
  });
  expect(readWhole(arrived, { bytesMax: 1024, framingBytesMax: 0 })).toEqual(Buffer.from("all of it"));
  const awaited = new RequestBody(() => {});
  const whole = readWhole(awaited, { bytesMax: 1024, framingBytesMax: 0 });
  expect(whole).toBeInstanceOf(Promise);
  awaited.push(Buffer.from("later"));
  awaited.end();
  expect(await whole).toEqual(Buffer.from("later"));
});
