// Long work for many calls shares the turns of the event loop.
import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { nextTurn } from "../../src/runtime/event-loop-turn.ts";

/** Keeps the thread busy. */
function busy(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs) {
    // Nothing else runs.
  }
}

/** Runs some calls with parts of this length, and returns how many parts were done in each turn of the event loop. */
async function partsPerTurn(calls: number, parts: number, partMs: number): Promise<number[]> {
  const perTurn = [0];
  let isCounting = true;
  const count = (): void => {
    perTurn.push(0);
    if (isCounting) {
      setImmediate(count);
    }
  };
  setImmediate(count);
  const call = async (): Promise<void> => {
    for (let part = 0; part < parts; part += 1) {
      await nextTurn();
      // A part may itself await something that is ready.
      await Promise.resolve();
      busy(partMs);
      perTurn.push((perTurn.pop() ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: calls }, call));
  isCounting = false;
  return perTurn;
}

test("a part that takes up the turn is the only one in it, however many calls there are", async () => {
  const perTurn = await partsPerTurn(15, 3, 2.1);
  expect(Math.max(...perTurn)).toBe(1);
  expect(perTurn.reduce((sum, parts) => sum + parts)).toBe(45);
});

test("a call has at most one part per turn, and calls alternate", async () => {
  const order: string[] = [];
  const call = async (name: string): Promise<void> => {
    for (let part = 0; part < 3; part += 1) {
      await nextTurn();
      order.push(`${name}${part}`);
      busy(2.1);
    }
  };
  await Promise.all([call("a"), call("b"), call("c")]);
  expect(order).toEqual(["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"]);
  expect(Math.max(...(await partsPerTurn(1, 20, 0)))).toBe(1);
});
