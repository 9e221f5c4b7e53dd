// Yields to the event loop between two parts of long work. All long work shares one budget in each turn of the event loop, so it
// delays other calls by no more than that budget, even if several calls have long work.
import { performance } from "node:perf_hooks";

/** After this long, no further part is started in the same turn. */
const TURN_MS = 2;

const waiting: (() => void)[] = [];

/** Resolves in a later turn of the event loop: first come, first served, until the budget of that turn is spent. */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) {
    setImmediate(beginTurn);
  }
  return promise;
}

function beginTurn(): void {
  runTurn(performance.now() + TURN_MS, waiting.length);
}

// Work that arrives in the meantime waits for another turn.
function runTurn(untilMs: number, left: number): void {
  // The code that awaits the promise runs in microtasks. A tick requested in a microtask runs once all microtasks are done.
  queueMicrotask(() => process.nextTick(partEnded, untilMs, left - 1));
  waiting[0]?.();
}

function partEnded(untilMs: number, left: number): void {
  waiting.shift();
  if (left > 0 && performance.now() < untilMs) {
    runTurn(untilMs, left);
  } else if (waiting.length > 0) {
    setImmediate(beginTurn);
  }
}
