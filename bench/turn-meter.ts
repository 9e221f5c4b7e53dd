// Measures the CPU time of the turns of this thread's event loop.
import { threadCpuUs } from "./thread-cpu.ts";

export interface TurnMeter {
  /** The longest turn since the last call, in milliseconds. Call it in a turn after the measured ones. */
  longestMs(): number;
  stop(): void;
}

/** Keeps the event loop turning, and measures each turn. */
export function startTurnMeter(): TurnMeter {
  let longestUs = 0;
  let startedUs = threadCpuUs();
  const turn = (): void => {
    const nowUs = threadCpuUs();
    longestUs = Math.max(longestUs, nowUs - startedUs);
    startedUs = nowUs;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  return {
    longestMs() {
      const longest = longestUs / 1000;
      longestUs = 0;
      return longest;
    },
    stop: () => clearImmediate(next),
  };
}
