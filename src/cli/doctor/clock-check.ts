// Whether this machine's clock agrees with other clocks. It decides when months begin and keys expire.
import { type Finding, fail, ok, warn } from "./finding.ts";

/** How far another clock is ahead of ours, in milliseconds, and how exactly that is known. */
export interface ClockDifference {
  /** Whose clock it is, such as `PostgreSQL`. */
  readonly whose: string;
  readonly aheadMs: number;
  readonly uncertaintyMs: number;
}

const WARN_MS = 1000;
const FAIL_MS = 30_000;

/** One line for each other clock. */
export function checkClocks(differences: readonly ClockDifference[]): readonly Finding[] {
  return differences.map(({ whose, aheadMs, uncertaintyMs }) => {
    const offMs = Math.max(0, Math.abs(aheadMs) - uncertaintyMs);
    const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
    const message = `this machine's is ${seconds} s ${aheadMs > 0 ? "behind" : "ahead of"} that of ${whose}`;
    if (offMs < WARN_MS) {
      return ok("clock", `agrees with that of ${whose}`);
    }
    return (offMs < FAIL_MS ? warn : fail)("clock", message, "Let NTP set it (`timedatectl set-ntp true`).");
  });
}
