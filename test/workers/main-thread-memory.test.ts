// The main thread of a server with several threads serves no calls, but it still returns unused memory.
import { expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { startGateway } from "../fixtures/gateway.ts";

const LOOK_MS = 10_000;
const TAKEN_BYTES = 96 * 1024 * 1024;

const heapBytes = (): number => process.memoryUsage().heapTotal;

// Small objects, which are in the heap itself; nothing references them.
function take(bytes: number): number {
  const taken: object[] = [];
  for (let grown = heapBytes() + bytes; heapBytes() < grown; ) {
    taken.push({ number: taken.length, half: taken.length / 2 });
  }
  return heapBytes();
}

test("the main thread returns its memory as soon as it is idle", async () => {
  const looks = new Set<() => void>();
  const gateway = await startGateway({
    variables: { QUINTET_WORKERS: "2" },
    clock: {
      ...systemClock,
      after(ms, call) {
        if (ms !== LOOK_MS) {
          return systemClock.after(ms, call);
        }
        looks.add(call);
        return () => looks.delete(call);
      },
    },
  });
  try {
    const peakBytes = take(TAKEN_BYTES);
    await expect
      .poll(() => {
        for (const look of [...looks]) {
          looks.delete(look);
          look();
        }
        return peakBytes - heapBytes();
      })
      .toBeGreaterThan(TAKEN_BYTES / 2);
  } finally {
    await gateway.close();
  }
  expect(looks).toEqual(new Set());
});
