// Whose password is hashed next when there are more requests than can be served.
import { describe, expect, test } from "vitest";
import { type HashPriority, PasswordQueue, UNKNOWN_CALLER_PRIORITY } from "../../src/account/password-queue.ts";
import { tooManyAttempts } from "../../src/account/refusals.ts";
import { Failure } from "../../src/problem/failure.ts";

// Work that runs until the test ends it, and records of who started and who was refused.
function scene() {
  const queue = new PasswordQueue();
  const started: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    started,
    refused,
    async arrive(name: string, priority: HashPriority) {
      const work = (): Promise<void> => {
        started.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      };
      queue.run(priority, work).catch((error: unknown) => {
        expect(error).toEqual(new Failure(tooManyAttempts(3000)));
        refused.push(name);
      });
      await settle();
    },
    async end(name: string) {
      ends.get(name)?.();
      await settle();
    },
  };
}

const unknown = (recentAttempts: number): HashPriority => ({ isKnown: false, recentAttempts });
const known: HashPriority = { isKnown: true, recentAttempts: 9 };

describe("while unknown callers fill their places and the queue", () => {
  async function crowd() {
    const the = scene();
    for (let number = 1; number <= 23; number++) {
      await the.arrive(`s${number}`, unknown(5));
    }
    return the;
  }

  test("two are served, 20 wait, and the others are refused", async () => {
    const the = await crowd();
    expect([the.started, the.refused]).toEqual([["s1", "s2"], ["s23"]]);
  });

  test("a caller who signed in recently gets a place at once, or waits at the head of the queue if none is free", async () => {
    const the = await crowd();
    await the.arrive("k1", known);
    await the.arrive("k2", known);
    expect(the.started).toEqual(["s1", "s2", "k1"]);
    await the.end("s1");
    await the.end("s2");
    expect(the.started).toEqual(["s1", "s2", "k1", "k2", "s3"]);
  });

  test("a caller with fewer attempts goes ahead of them, and the last of them is refused", async () => {
    const the = await crowd();
    await the.arrive("new", unknown(1));
    await the.arrive("newer", unknown(1));
    await the.end("s1");
    await the.end("s2");
    expect([the.started, the.refused]).toEqual([
      ["s1", "s2", "new", "newer"],
      ["s23", "s22", "s21"],
    ]);
  });

  test("a caller with more attempts is refused", async () => {
    const the = await crowd();
    await the.arrive("busy", unknown(6));
    expect(the.refused).toEqual(["s23", "busy"]);
  });
});

test("when callers who signed in recently fill all places and the queue, another such caller gets the next place", async () => {
  const the = scene();
  for (let number = 1; number <= 24; number++) {
    await the.arrive(`k${number}`, known);
  }
  await the.arrive("s1", unknown(1));
  await the.arrive("s2", unknown(1));
  expect([the.started, the.refused]).toEqual([["k1", "k2", "k3"], ["k24"]]);
  await the.end("k1");
  await the.end("k2");
  await the.end("k3");
  expect(the.started).toEqual(["k1", "k2", "k3", "s1", "k4", "k5"]);
  await the.end("s1");
  expect(the.started.at(-1)).toBe("s2");
});

test("work that fails frees its place", async () => {
  const queue = new PasswordQueue();
  const fail = (): Promise<never> => Promise.reject(new Error("broken"));
  const all = await Promise.allSettled(Array.from({ length: 22 }, () => queue.run(UNKNOWN_CALLER_PRIORITY, fail)));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  expect(await queue.run(UNKNOWN_CALLER_PRIORITY, () => Promise.resolve("done"))).toBe("done");
});
