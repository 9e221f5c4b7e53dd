// Runs the load generator against one contender, on another core, and returns its figures.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Contender } from "./contender.ts";
import { LOAD_PROGRAM } from "./go-contenders.ts";
import { nextLine } from "./line.ts";
import type { Workload } from "./workloads.ts";

/** The result of a round. */
export interface Round {
  readonly requestsPerSecond: number;
  /** CPU time of all threads of the contender per call, in microseconds: its own, and the kernel's on its behalf. */
  readonly userUs: number;
  readonly systemUs: number;
  /** The share of its cores' time that the load itself used. */
  readonly loadShare: number;
  /** How long calls took, in milliseconds; if the load is paced, from when they were due. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** Both together. */
export const cpuUsOf = ({ userUs, systemUs }: Round): number => userUs + systemUs;

/** How a load differs from the workload's own. */
export interface LoadShape {
  /** The cores that send the load, each with a process and a part of the connections. */
  readonly cores?: readonly number[];
  readonly connections?: number;
  readonly streams?: number;
  /** Calls a second on all connections together; as many as possible by default. */
  readonly callsPerSecond?: number;
  /** Whether nearly every call should be refused. */
  readonly isRefused?: boolean;
}

/** The program's final report. */
interface Report {
  readonly calls: number;
  readonly refusals: number;
  readonly seconds: number;
  readonly cpuShare: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

const LOAD_CORES = [1];
const folder = mkdtempSync(join(tmpdir(), "quintet-load-"));

/** The share of a refused load that may be admitted, because the rate limit allows it. */
const ADMITTED_SHARE_MAX = 0.01;

/** Runs one round of `seconds`. Rejects if a response is wrong, or if too many calls of a refused load are admitted. */
export async function load(contender: Contender, workload: Workload, seconds: number, shape: LoadShape = {}): Promise<Round> {
  const {
    cores = LOAD_CORES,
    connections = workload.connections,
    streams = workload.streams,
    callsPerSecond = 0,
    isRefused = false,
  } = shape;
  const keysPath = join(folder, "keys");
  writeFileSync(keysPath, (contender.keys ?? []).join("\n"));
  const { protocol, path = "", searches = 0, holds = "", isRepeated = false } = workload;
  const args = [
    ...[
      `-address=127.0.0.1:${contender.port}`,
      `-secure=${contender.isSecure}`,
      `-protocol=${protocol}`,
      `-path=${path}`,
      `-varied=${searches}`,
      `-holds=${holds}`,
    ],
    ...[`-keys=${keysPath}`, `-repeated=${isRepeated}`, `-refused=${isRefused}`, `-seconds=${seconds}`, `-streams=${streams}`],
    ...[`-connections=${Math.ceil(connections / cores.length)}`, `-rate=${callsPerSecond / cores.length}`],
  ];
  const programs = await Promise.all(cores.map((core) => connect(core, args)));
  const before = contender.cpuTime();
  const reports = await Promise.all(programs.map(run));
  const after = contender.cpuTime();
  const calls = reports.reduce((sum, report) => sum + report.calls, 0);
  const refusals = reports.reduce((sum, report) => sum + report.refusals, 0);
  if (calls === 0 || (isRefused && calls - refusals > calls * ADMITTED_SHARE_MAX)) {
    throw new Error(`${contender.name}, ${workload.name}: ${refusals} of ${calls} calls were refused`);
  }
  const slowest = (figure: (report: Report) => number): number => Math.max(...reports.map(figure));
  return {
    requestsPerSecond: reports.reduce((sum, report) => sum + report.calls / report.seconds, 0),
    userUs: ((after.user - before.user) * 1_000_000) / calls,
    systemUs: ((after.system - before.system) * 1_000_000) / calls,
    loadShare: slowest(({ cpuShare }) => cpuShare),
    p50Ms: slowest(({ p50Ms }) => p50Ms),
    p99Ms: slowest(({ p99Ms }) => p99Ms),
    p999Ms: slowest(({ p999Ms }) => p999Ms),
  };
}

/** Starts the program, and resolves once it is connected. */
async function connect(core: number, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn("taskset", ["-c", String(core), LOAD_PROGRAM, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  await nextLine(child);
  return child;
}

/** Starts the calls, and resolves with the report. */
async function run(child: ChildProcess): Promise<Report> {
  child.stdin?.end("\n");
  return JSON.parse(await nextLine(child)) as Report;
}
