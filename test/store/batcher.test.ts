// Simultaneous queries are sent as one batch.
import { expect, test } from "vitest";
import { Batcher } from "../../src/store/batcher.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("queries of one event loop turn form one batch, and later ones wait while it runs", async () => {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const batcher = new Batcher({
    batchMax: 3,
    underWayMax: 1,
    async run(asks: readonly number[]) {
      batches.push(asks);
      await new Promise<void>((resolve) => gates.push(resolve));
      return asks.map((ask) => ({ answer: ask * 10 }));
    },
  });
  const answers = [1, 2, 3, 4].map((ask) => batcher.ask(ask));
  await nextTurn();
  answers.push(batcher.ask(5));
  await nextTurn();
  expect(batches).toEqual([[1, 2, 3]]);
  gates.shift()?.();
  await nextTurn();
  await nextTurn();
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  gates.shift()?.();
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50]);
});

test("a query's error is its own, a batch's is shared by all, and a retried query runs alone", async () => {
  const batches: [readonly string[], boolean][] = [];
  const batcher = new Batcher({
    batchMax: 10,
    underWayMax: 1,
    async run(asks: readonly string[], alone: boolean) {
      batches.push([asks, alone]);
      if (asks.includes("broken")) {
        throw new Error("The database is away.");
      }
      return asks.map((ask) => {
        if (ask === "wrong") {
          return { error: new Error("There is no such thing.") };
        }
        return ask === "busy" && !alone ? "again" : { answer: ask };
      });
    },
  });
  const first = await Promise.allSettled(["good", "wrong", "busy"].map((ask) => batcher.ask(ask)));
  const second = await Promise.allSettled(["good", "broken"].map((ask) => batcher.ask(ask)));
  const ended = (one: PromiseSettledResult<string>): string => (one.status === "fulfilled" ? one.value : one.reason.message);
  expect(first.map(ended)).toEqual(["good", "There is no such thing.", "busy"]);
  expect(second.map(ended)).toEqual(["The database is away.", "The database is away."]);
  expect(batches).toEqual([
    [["good", "wrong", "busy"], false],
    [["busy"], true],
    [["good", "broken"], false],
  ]);
});
