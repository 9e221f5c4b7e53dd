// Puts the figures of a run into bench/results.md.
import { cpus, totalmem } from "node:os";
import type { Round } from "./load.ts";
import type { StartCost } from "./start.ts";
import type { ThreadResult } from "./threads.ts";
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

// Ours in another shape is no peer.
const OURS: ReadonlySet<ContenderName> = new Set(["quintet", "quintet, guard off"]);

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
    return `| ${name} | ${whole(rateOf(name))} | ${whole(cpuRateOf(name))} | ${OURS.has(name) ? "" : ratio.toFixed(2)} | ${verdict} |`;
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

const cpuUsOf = ({ requestsPerCpuSecond }: Round): number => 1_000_000 / requestsPerCpuSecond;

function guardRowOf({ workload, rounds }: Result): string {
  const on = (rounds.get("quintet") ?? []).map(cpuUsOf);
  const off = (rounds.get("quintet, guard off") ?? []).map(cpuUsOf);
  const differences = on.map((us, round) => us - (off[round] ?? Number.NaN));
  return `| ${[workload.name, ...[on, off, differences].map((values) => median(values).toFixed(1))].join(" | ")} |`;
}

function threadRowsOf({ workload, rounds }: ThreadResult): readonly string[] {
  return [...rounds].map(([threads, taken]) => {
    const rates = [taken.map((round) => round.requestsPerSecond), taken.map((round) => round.requestsPerCpuSecond)];
    return `| ${[workload, threads, ...rates.map((values) => whole(median(values)))].join(" | ")} |`;
  });
}

/** What a report is made from. */
export interface Measured {
  readonly results: readonly Result[];
  readonly threads: readonly ThreadResult[];
  readonly standing: Standing;
  readonly roundCount: number;
  readonly seconds: number;
}

/** The whole report. */
export function reportOf({ results, threads, standing, roundCount, seconds }: Measured): string {
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
    "## What the guard costs a call",
    "",
    "CPU time of the whole process for one call, in microseconds. Off is the same gateway behind a guard that admits every call at once, charges",
    "nothing and knows of no limits; the requests are the same, a key among their headers. The difference is the median of those of the rounds,",
    "each with the guard on and then off. It includes the RateLimit headers, which are written and sent with the guard on alone.",
    "[guard.md](guard.md) has what the admission costs by itself.",
    "",
    "| workload | guard on, µs | guard off, µs | difference, µs |",
    "| --- | ---: | ---: | ---: |",
    ...results.filter(({ rounds }) => rounds.has("quintet, guard off")).map(guardRowOf),
    "",
    "## One thread and two",
    "",
    "The server and `h2load` share two cores here, so two threads cannot reach twice what one does; 32 connections, which the kernel spreads over",
    "the threads. CPU time is that of the server's process with all its threads.",
    "",
    "| workload | threads | requests/s | requests per CPU-second |",
    "| --- | ---: | ---: | ---: |",
    ...threads.flatMap(threadRowsOf),
    "",
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
