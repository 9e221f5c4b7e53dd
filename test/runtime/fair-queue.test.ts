import { expect, test } from "vitest";
import { FairQueue } from "../../src/runtime/fair-queue.ts";

const QUEUE_FULL = "the queue is full";
const open = (waitingMax: number) => {
  const queue = new FairQueue({ waitingMax, queueFull: () => new Error(QUEUE_FULL) });
  const order: string[] = [];
  const ask = (name: string): Promise<string> => {
    const owner = name.charAt(0);
    const asked = queue.run(owner, async () => {
      order.push(name);
      await Promise.resolve();
      return name;
    });
    // What is refused is looked at below.
    asked.catch(() => undefined);
    return asked;
  };
  return { order, ask };
};

test("one is worked for at a time, and owners take turns", async () => {
  const { order, ask } = open(10);
  const asked = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map(ask);
  expect(await Promise.all(asked)).toEqual(["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  expect(await ask("a5")).toBe("a5");
});

test("an owner who fills the queue gives way to others, the latest first, and gets no more than their share", async () => {
  const { order, ask } = open(4);
  const asked = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "a6", "c1"].map(ask);
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [[index, outcome.reason.message]] : []));
  // b3 and a6 found that nobody had more than they would have.
  expect(refused).toEqual([2, 3, 4, 7, 8].map((index) => [index, QUEUE_FULL]));
  expect(order).toEqual(["a1", "a2", "b1", "c1", "b2"]);
});

test("work that fails passes the turn on", async () => {
  const queue = new FairQueue({ waitingMax: 1, queueFull: () => new Error(QUEUE_FULL) });
  const failing = queue.run("a", () => Promise.reject(new Error("failed")));
  const next = queue.run("b", async () => "done");
  await expect(failing).rejects.toThrow("failed");
  expect(await next).toBe("done");
});
