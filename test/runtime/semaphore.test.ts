import { expect, test } from "vitest";
import { Semaphore } from "../../src/runtime/semaphore.ts";

const QUEUE_FULL = "the queue is full";
const semaphoreOf = (concurrencyMax: number, queueMax: number): Semaphore =>
  new Semaphore({ concurrencyMax, queueMax, queueFull: () => new Error(QUEUE_FULL) });

test("those who wait get their permits in the order in which they came, and others are refused", async () => {
  const semaphore = semaphoreOf(1, 2);
  const order: number[] = [];
  const works = [0, 1, 2].map((index) =>
    semaphore.run(async () => {
      order.push(index);
    }),
  );
  await expect(semaphore.run(async () => order.push(3))).rejects.toThrow(QUEUE_FULL);
  await Promise.all(works);
  expect(order).toEqual([0, 1, 2]);
  expect(await semaphore.run(async () => order.push(4))).toBe(4);
});

test("as many work at once as may, also after some have failed", async () => {
  const semaphore = semaphoreOf(2, 10);
  let working = 0;
  const seen: number[] = [];
  const works = Array.from({ length: 6 }, (_, index) =>
    semaphore.run(async () => {
      working += 1;
      seen.push(working);
      await Promise.resolve();
      working -= 1;
      if (index % 2 === 0) {
        throw new Error(`${index} failed`);
      }
    }),
  );
  const outcomes = await Promise.allSettled(works);
  expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill(["rejected", "fulfilled"]).flat());
  expect(Math.max(...seen)).toBe(2);
});

test("a permit that is released twice is one permit", async () => {
  const semaphore = semaphoreOf(1, 0);
  const release = await semaphore.acquire();
  release();
  release();
  await semaphore.acquire();
  await expect(semaphore.acquire()).rejects.toThrow(QUEUE_FULL);
});

test("no permit is taken for a caller that has gone", async () => {
  const semaphore = semaphoreOf(1, 0);
  await expect(semaphore.acquire(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  await semaphore.acquire();
});

test("a caller that goes leaves the queue, and the permit goes to the one behind", async () => {
  const semaphore = semaphoreOf(1, 2);
  const release = await semaphore.acquire();
  const gone = new AbortController();
  const first = semaphore.acquire(gone.signal);
  const second = semaphore.acquire();
  gone.abort(new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  release();
  await second;
  await expect(Promise.all([semaphore.acquire(), semaphore.acquire(), semaphore.acquire()])).rejects.toThrow(QUEUE_FULL);
});
