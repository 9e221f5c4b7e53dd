// Puts the figures of a run into bench/results.md.
import { cpus, totalmem } from "node:os";
import type { Round } from "./load.ts";
import type { StartCost } from "./start.ts";
import type { ContenderName, Workload } from "./workloads.ts";

/** The rounds of one workload, by contender. */
export interface Result {
  readonly workload: Workload;
  readonly rounds: ReadonlyMap<ContenderName, readonly Round[]>;
}

/** What is measured once. */
export interface Standing {
  readonly start: StartCost;
  readonly mibBeforeAndAfter: readonly [number, number];
  readonly callsBetween: number;
}

/** The middle one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const whole = (value: number): string => Math.round(value).toLocaleString("en");

function tableOf({ workload, rounds }: Result): string {
  const rateOf = (name: ContenderName): number => median((rounds.get(name) ?? []).map((round) => round.requestsPerSecond));
  const cpuRateOf = (name: ContenderName): number => median((rounds.get(name) ?? []).map((round) => round.requestsPerCpuSecond));
  // Round by round, because a machine that is shared has fast and slow minutes.
  const ratioTo = (name: ContenderName): number => {
    const theirs = rounds.get(name) ?? [];
    return median(
      (rounds.get("quintet") ?? []).map((own, round) => own.requestsPerSecond / (theirs[round]?.requestsPerSecond ?? 0)),
    );
  };
  const lines = workload.contenders.map((name) => {
    const aim = workload.aims[name];
    const ratio = ratioTo(name);
    const verdict = aim === undefined ? "" : `${aim} ${ratio >= aim ? "met" : "missed"}`;
    return `| ${name} | ${whole(rateOf(name))} | ${whole(cpuRateOf(name))} | ${name === "quintet" ? "" : ratio.toFixed(2)} | ${verdict} |`;
  });
  return [
    `## ${workload.name}`,
    "",
    "| contender | requests/s | requests per CPU-second | quintet to it | aim |",
    "| --- | ---: | ---: | ---: | --- |",
    ...lines,
    "",
  ].join("\n");
}

/** The whole report. */
export function reportOf(results: readonly Result[], standing: Standing, roundCount: number, seconds: number): string {
  const [cpu] = cpus();
  const [before, after] = standing.mibBeforeAndAfter;
  return [
    "# Bench",
    "",
    "Written by `npm run bench`. Each contender is a process of its own on one core; `h2load` runs on another; rounds are taken in turn and",
    `the median is given, of the ratios too: ${roundCount} rounds of ${seconds} s after a warm-up. Compare within a table, not between machines. Quintet has its guard`,
    "on and sends the whole envelope; the peers do what their names say.",
    "",
    `Machine: ${cpu?.model ?? "unknown"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB. Node ${process.version}.`,
    "",
    ...results.map(tableOf),
    "## Standing",
    "",
    "| what | figure | aim |",
    "| --- | ---: | --- |",
    `| from the start of \`quintet serve\` with one worker to the first answer | ${whole(standing.start.firstAnswerMs)} ms | 500 ms |`,
    `| its resident memory when idle | ${whole(standing.start.idleMib)} MiB | under 90 MiB |`,
    `| resident memory before and after ${whole(standing.callsBetween)} calls | ${whole(before)} → ${whole(after)} MiB | flat |`,
    "",
  ].join("\n");
}
