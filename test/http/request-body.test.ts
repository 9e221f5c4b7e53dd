// What a body holds of memory while it is read whole: little more than its bytes, however small the pieces are in which it comes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { BodyBudget } from "../../src/http/body-budget.ts";
import { RequestBody } from "../../src/http/request-body.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const BODY_BYTES = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test("a body that comes octet by octet holds little more than its bytes", async () => {
  const clock = createManualClock({ nowMs: 0 });
  const room = new BodyBudget(BODY_BYTES, { clock, makesWayAfterMs: 0 }).reserve(0);
  if (room === undefined) {
    throw new Error("An empty budget has room.");
  }
  const body = new RequestBody(() => {});
  const whole = body.readWhole({ bytesMax: BODY_BYTES, framingBytesMax: 0, timeoutMs: 1000, room, clock });
  const before = heldBytes();
  const chunk = Buffer.alloc(16 * 1024, "a");
  for (let at = 0; at < BODY_BYTES; at += 1) {
    body.push(chunk.subarray(at % chunk.length, (at % chunk.length) + 1));
  }
  expect(heldBytes() - before).toBeLessThan(4 * BODY_BYTES);
  body.end();
  expect(Buffer.from(await whole).equals(Buffer.alloc(BODY_BYTES, "a"))).toBe(true);
});
