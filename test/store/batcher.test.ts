// Simultaneous queries are sent as one batch.
import { expect, test } from "vitest";
import { Batcher } from "../../src/store/batcher.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("queries of one event loop turn form one batch, and later ones wait while it runs", async () => {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const batcher = new Batcher({
    batchMax: 3,
    concurrencyMax: 1,
    async run(requests: readonly number[]) {
      batches.push(requests);
      await new Promise<void>((resolve) => gates.push(resolve));
      return requests.map((request) => ({ result: request * 10 }));
    },
  });
  const results = [1, 2, 3, 4].map((request) => batcher.request(request));
  await nextTurn();
  results.push(batcher.request(5));
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
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
});

test("a query's error is its own, a batch's is shared by all, and a retried query runs alone", async () => {
  const batches: [readonly string[], boolean][] = [];
  const batcher = new Batcher({
    batchMax: 10,
    concurrencyMax: 1,
    async run(requests: readonly string[], alone: boolean) {
      batches.push([requests, alone]);
      if (requests.includes("broken")) {
        throw new Error("The database is down.");
      }
      return requests.map((request) => {
        if (request === "wrong") {
          return { error: new Error("There is no such thing.") };
        }
        return request === "busy" && !alone ? "again" : { result: request };
      });
    },
  });
  const first = await Promise.allSettled(["good", "wrong", "busy"].map((request) => batcher.request(request)));
  const second = await Promise.allSettled(["good", "broken"].map((request) => batcher.request(request)));
  const ended = (one: PromiseSettledResult<string>): string => (one.status === "fulfilled" ? one.value : one.reason.message);
  expect(first.map(ended)).toEqual(["good", "There is no such thing.", "busy"]);
  expect(second.map(ended)).toEqual(["The database is down.", "The database is down."]);
  expect(batches).toEqual([
    [["good", "wrong", "busy"], false],
    [["busy"], true],
    [["good", "broken"], false],
  ]);
});
