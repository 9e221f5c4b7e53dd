import { expect, test } from "vitest";
import { FairQueue } from "../../src/runtime/fair-queue.ts";

const QUEUE_FULL = "the queue is full";
const oneAtATime = { concurrencyMax: 1, ownerConcurrencyMax: () => 1 };
const open = (waitingMax: number) => {
  const queue = new FairQueue({ ...oneAtATime, waitingMax, queueFull: () => new Error(QUEUE_FULL) });
  const order: string[] = [];
  const request = (name: string): Promise<string> => {
    const owner = name.charAt(0);
    const requested = queue.run(owner, async () => {
      order.push(name);
      await Promise.resolve();
      return name;
    });
    // Refusals are checked below.
    requested.catch(() => undefined);
    return requested;
  };
  return { order, request };
};

test("one piece of work runs at a time, and owners take turns", async () => {
  const { order, request } = open(10);
  const requested = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map(request);
  expect(await Promise.all(requested)).toEqual(["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  expect(await request("a5")).toBe("a5");
});

test("an owner who fills the queue loses the latest work to other owners, and gets no more than their share", async () => {
  const { order, request } = open(4);
  const requested = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "a6", "c1"].map(request);
  const outcomes = await Promise.allSettled(requested);
  const refused = outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [[index, outcome.reason.message]] : []));
  // When b3 and a6 arrived, no owner had more in the queue than theirs would have had.
  expect(refused).toEqual([2, 3, 4, 7, 8].map((index) => [index, QUEUE_FULL]));
  expect(order).toEqual(["a1", "a2", "b1", "c1", "b2"]);
});

test("work that fails lets the next one run", async () => {
  const queue = new FairQueue({ ...oneAtATime, waitingMax: 1, queueFull: () => new Error(QUEUE_FULL) });
  const failing = queue.run("a", () => Promise.reject(new Error("failed")));
  const next = queue.run("b", async () => "done");
  await expect(failing).rejects.toThrow("failed");
  expect(await next).toBe("done");
});

/** A queue with three places, two per owner, in which work ends when the test says so. */
function openWide() {
  const queue = new FairQueue({
    concurrencyMax: 3,
    ownerConcurrencyMax: () => 2,
    waitingMax: 10,
    queueFull: () => new Error(QUEUE_FULL),
  });
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const request = async (name: string, signal?: AbortSignal): Promise<void> => {
    const release = await queue.acquire(name.charAt(0), signal);
    started.push(name);
    releases.set(name, release);
  };
  const end = async (name: string): Promise<void> => {
    releases.get(name)?.();
    await new Promise(setImmediate);
  };
  return { started, request, end };
}

test("one owner cannot take all places: another can begin at once", async () => {
  const { started, request, end } = openWide();
  const requested = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"].map((name) => request(name));
  await new Promise(setImmediate);
  expect(started).toEqual(["a1", "a2", "b1"]);
  await end("a1");
  expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  await end("a2");
  expect(started.slice(4)).toEqual(["c1"]);
  await end("b1");
  await end("b1");
  expect(started.slice(5)).toEqual(["b2"]);
  await end("c1");
  await Promise.all(requested);
  expect(started.slice(6)).toEqual(["a4"]);
});

test("a caller who leaves while waiting leaves no gap, and gets the reason", async () => {
  const { started, request, end } = openWide();
  const leaving = new AbortController();
  const requested = [request("a1"), request("a2"), request("a3", leaving.signal), request("a4")];
  const gone = expect(requested[2]).rejects.toThrow("gone");
  leaving.abort(new Error("gone"));
  await gone;
  await expect(request("a5", leaving.signal)).rejects.toThrow("gone");
  await end("a1");
  expect(started).toEqual(["a1", "a2", "a4"]);
});

const ofOneOwner = (concurrencyMax: number, waitingMax: number) =>
  new FairQueue({ concurrencyMax, ownerConcurrencyMax: () => concurrencyMax, waitingMax, queueFull: () => new Error(QUEUE_FULL) });

test("the work of one owner is done in order, and is refused if too much of it waits", async () => {
  const queue = ofOneOwner(1, 2);
  const order: number[] = [];
  const works = [0, 1, 2].map((index) =>
    queue.run("a", async () => {
      order.push(index);
    }),
  );
  await expect(queue.run("a", async () => order.push(3))).rejects.toThrow(QUEUE_FULL);
  await Promise.all(works);
  expect(order).toEqual([0, 1, 2]);
  expect(await queue.run("a", async () => order.push(4))).toBe(4);
});

test("the allowed number works at once, even after some have failed", async () => {
  const queue = ofOneOwner(2, 10);
  let working = 0;
  const seen: number[] = [];
  const works = Array.from({ length: 6 }, (_, index) =>
    queue.run("a", async () => {
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

test("a place that is released twice is one place", async () => {
  const queue = ofOneOwner(1, 0);
  const release = await queue.acquire("a");
  release();
  release();
  await queue.acquire("a");
  await expect(queue.acquire("a")).rejects.toThrow(QUEUE_FULL);
});

test("a caller that is gone takes no place", async () => {
  const queue = ofOneOwner(1, 0);
  await expect(queue.acquire("a", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  await queue.acquire("a");
});

test("a caller that goes away leaves the queue, and the next one gets the place", async () => {
  const queue = ofOneOwner(1, 2);
  const release = await queue.acquire("a");
  const gone = new AbortController();
  const first = queue.acquire("a", gone.signal);
  const second = queue.acquire("a");
  gone.abort(new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  release();
  await second;
  await expect(Promise.all([queue.acquire("a"), queue.acquire("a"), queue.acquire("a")])).rejects.toThrow(QUEUE_FULL);
});
