// How long a caller waits: as long as the store keeps responding to others, within a bound.
import { expect, test } from "vitest";
import { WaitQueue } from "../../../src/guard/breaker/wait-queue.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { settled } from "../scene.ts";

const limits = { callerWaitMs: 250, callerWaitMaxMs: 2000, waitersMax: 10, storeSilenceMs: Number.POSITIVE_INFINITY };
const busyStore = { isOpen: false, respondedAtMs: Number.NEGATIVE_INFINITY, silentAtMs: Number.POSITIVE_INFINITY };

test.each([
  { title: "that does not respond", responses: [], waitMs: 250 },
  { title: "that last responded before the wait", responses: [-1], waitMs: 250 },
  { title: "that responds to others for a while", responses: [100, 300, 540], waitMs: 790 },
  {
    title: "that keeps responding to others",
    responses: Array.from({ length: 100 }, (_, index) => 50 * index),
    waitMs: 2000,
  },
])("a caller waits $waitMs ms for a store $title", async ({ responses, waitMs }) => {
  const clock = createManualClock({ nowMs: 0 });
  const startMs = clock.monotonicMs();
  const breaker = { ...busyStore };
  const room = new WaitQueue(clock, limits, breaker, "too late");
  let refusedAfterMs: number | undefined;
  void room.wait().then(() => {
    refusedAfterMs = clock.monotonicMs() - startMs;
  });
  for (let ms = 0; ms < 3000 && refusedAfterMs === undefined; ms += 10) {
    breaker.respondedAtMs = startMs + Math.max(Number.NEGATIVE_INFINITY, ...responses.filter((responseMs) => responseMs <= ms));
    clock.advance(10);
    await settled();
    await settled();
  }
  expect(refusedAfterMs).toBe(waitMs);
});

test("a caller waits longer if the process itself was stalled, because the response may be there but unread", async () => {
  let nowMs = 0;
  const steps: { readonly delayMs: number; readonly run: () => void }[] = [];
  const clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs: number, run: () => void) {
      steps.push({ delayMs, run });
      return () => {};
    },
  };
  const room = new WaitQueue(clock, limits, busyStore, "too late");
  const response = room.wait();
  nowMs = 600;
  steps.shift()?.run();
  await settled();
  expect(room.size).toBe(1);
  expect(steps.map(({ delayMs }) => delayMs)).toEqual([250]);
  room.resolveAll("found");
  expect(await response).toBe("found");
});
