// What a plot over time shows, in words.
import { formatNumber } from "../formats.ts";
import type { Step } from "./steps.ts";

interface Values {
  readonly label: string;
  readonly values: readonly number[];
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const callsOf = (calls: number): string => (calls === 1 ? "1 call" : `${formatNumber(calls)} calls`);

/** For calls that were admitted. The first series counts those that succeeded, the second those that failed. */
export function callsText(timesMs: readonly number[], series: readonly Values[], step: Pick<Step, "name" | "format">): string {
  const [ok, failed] = [sumOf(series[0]?.values ?? []), sumOf(series[1]?.values ?? [])];
  return ok + failed === 0
    ? "No calls in this period."
    : `${callsOf(ok + failed)}, ${failed === 0 ? "none" : formatNumber(failed)} failed. ${busiestText(timesMs, series, step)}`;
}

/** For several series of calls, each with a name. `what` comes after the total: with `refused`, the text begins with `12 calls refused`. */
export function partsText(
  timesMs: readonly number[],
  series: readonly Values[],
  step: Pick<Step, "name" | "format">,
  what = "",
): string {
  const parts = series.map(({ label, values }) => `${formatNumber(sumOf(values))} ${label}`);
  const all = callsOf(sumOf(series.flatMap(({ values }) => values)));
  return `${all}${what && ` ${what}`}: ${parts.join(", ")}. ${busiestText(timesMs, series, step)}`;
}

function busiestText(
  timesMs: readonly number[],
  series: readonly Values[],
  { name, format }: Pick<Step, "name" | "format">,
): string {
  const sums = timesMs.map((_, index) => sumOf(series.map(({ values }) => values[index] ?? 0)));
  const most = Math.max(...sums);
  return `The busiest ${name} was ${format.format(timesMs[sums.indexOf(most)])}, with ${formatNumber(most)}.`;
}
