// The result of a run, and the table of all runs: for each fault its runs, and the calls made, admitted, over-admitted and forfeited.
import { check } from "./checker.ts";
import { type History, meaningOf } from "./history.ts";
import { countMonths } from "./quota-check.ts";

/** One run. */
export interface Result {
  readonly seed: number;
  /** The faults, in order. */
  readonly faults: readonly string[];
  /** The checker's findings. */
  readonly wrong: readonly string[];
  readonly calls: number;
  readonly admitted: number;
  readonly overAdmitted: number;
  /** Leased from the store, and neither admitted nor returned. */
  readonly forfeited: number;
  readonly mayBeForfeited: number;
}

/** Judges a run. */
export function judge(seed: number, faults: readonly string[], history: History): Result {
  const months = countMonths(history);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    seed,
    faults,
    wrong: check(history),
    calls: history.calls.length,
    admitted: history.calls.filter(({ outcome }) => meaningOf(outcome) === "kept").length,
    overAdmitted: sum(months.map(({ kept, quota }) => Math.max(0, kept - quota))),
    forfeited: sum(months.map(({ taken, kept }) => Math.max(0, taken - kept))),
    mayBeForfeited: sum(months.map(({ mayBeLost, possible }) => mayBeLost + possible)),
  };
}

/** One line about a run. */
export const lineOf = ({ seed, faults, wrong, calls, admitted, forfeited, mayBeForfeited }: Result): string =>
  `seed ${seed}: ${calls} calls, ${admitted} admitted, ${forfeited} forfeited of at most ${mayBeForfeited}; ${faults.join(", ")}` +
  wrong.map((sentence) => `\n  WRONG: ${sentence}`).join("");

/** The table, one row for each fault and one for all runs. */
export function tableOf(results: readonly Result[]): string {
  const kinds = [...new Set(results.flatMap(({ faults }) => faults))].toSorted();
  const rows = kinds.map((kind) =>
    rowOf(
      kind,
      results.filter(({ faults }) => faults.includes(kind)),
      kind,
    ),
  );
  const head = ["fault", "runs", "times", "calls made", "admitted", "over-admitted", "forfeited", "may be forfeited"];
  return [head, head.map(() => "---"), ...rows, rowOf("all", results)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function rowOf(name: string, runs: readonly Result[], kind?: string): (string | number)[] {
  const sum = (value: (result: Result) => number): number => runs.reduce((total, result) => total + value(result), 0);
  return [
    name,
    runs.length,
    sum(({ faults }) => faults.filter((fault) => kind === undefined || fault === kind).length),
    sum(({ calls }) => calls),
    sum(({ admitted }) => admitted),
    sum(({ overAdmitted }) => overAdmitted),
    sum(({ forfeited }) => forfeited),
    sum(({ mayBeForfeited }) => mayBeForfeited),
  ];
}
