// Puts one contender under load with h2load, from another core, and reads its figures.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Contender } from "./contender.ts";
import type { Workload } from "./workloads.ts";

/** What one round gave. */
export interface Round {
  readonly requestsPerSecond: number;
  /** CPU time of the contender's process, all its threads, for one call, in microseconds: its own, and the kernel's on its behalf. */
  readonly userUs: number;
  readonly systemUs: number;
}

/** Both together. */
export const cpuUsOf = ({ userUs, systemUs }: Round): number => userUs + systemUs;

/** How a load comes, where it does not come as the workload says. */
export interface LoadShape {
  /** The cores that `h2load` may use, as `taskset` takes them. */
  readonly cores?: string;
  readonly connections?: number;
  readonly streams?: number;
  /** Calls a second on all connections together; as many as are answered where it is left out. */
  readonly callsPerSecond?: number;
  /** Whether every answer is to be a 4xx, or nearly every one, instead of a 2xx. */
  readonly isRefused?: boolean;
  /** The file into which each call is written: when it began, its status, and how many microseconds it took. */
  readonly logTo?: string;
}

const LOAD_CORE = "1";
/** What h2load gets to connect and to hear the last answers. */
const OVERTIME_MS = 30_000;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "quintet-load-"));

/** The headers of a workload's requests, with the key where the contender asks for one. */
export const headersOf = (contender: Contender, workload: Workload): Readonly<Record<string, string>> => ({
  ...workload.headers,
  ...(contender.key !== undefined && { "x-gateway-key": contender.key }),
});

/** Where a contender answers a workload. */
export const urlOf = ({ isSecure, port }: Contender, { path }: Workload): string =>
  `http${isSecure ? "s" : ""}://127.0.0.1:${port}${path}`;

/** The answers of a refused load that may be admitted: those of the rate itself. */
const ADMITTED_SHARE_MAX = 0.01;

/** Runs one round of `seconds`. Rejects when any answer was not a 2xx; where all are to be refused, when any was a 5xx or many were admitted. */
export async function load(contender: Contender, workload: Workload, seconds: number, shape: LoadShape = {}): Promise<Round> {
  const {
    cores = LOAD_CORE,
    connections = workload.connections,
    streams = workload.streams,
    callsPerSecond,
    logTo,
    isRefused = false,
  } = shape;
  const headers = Object.entries(headersOf(contender, workload)).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const args = [
    ...["-t1", `-c${connections}`, `-D${seconds}`],
    workload.http === 1 ? "--h1" : `-m${streams}`,
    ...(callsPerSecond === undefined ? [] : [`--rps=${callsPerSecond / connections}`]),
    ...(logTo === undefined ? [] : [`--log-file=${logTo}`]),
    ...headers,
    ...(workload.body === undefined ? [] : ["-d", fileOf(workload)]),
    urlOf(contender, workload),
  ];
  const before = contender.cpuTime();
  const { stdout } = await run("taskset", ["-c", cores, "h2load", ...args], { timeout: seconds * 1000 + OVERTIME_MS });
  const after = contender.cpuTime();
  const done = Number(/requests: \d+ total, \d+ started, (\d+) done/.exec(stdout)?.[1] ?? 0);
  const requestsPerSecond = Number(/finished in [\d.]+\w+, ([\d.]+) req\/s/.exec(stdout)?.[1] ?? 0);
  const [, ok = "0", other3 = "0", other4 = "0", other5 = "0"] =
    /status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx/.exec(stdout) ?? [];
  const isGood = isRefused
    ? Number(other3) + Number(other5) === 0 && Number(ok) < Number(other4) * ADMITTED_SHARE_MAX
    : Number(ok) > 0 && Number(other3) + Number(other4) + Number(other5) === 0;
  if (!isGood) {
    throw new Error(`${contender.name}, ${workload.name}: not every answer was good\n${stdout}`);
  }
  return {
    requestsPerSecond,
    userUs: ((after.user - before.user) * 1_000_000) / done,
    systemUs: ((after.system - before.system) * 1_000_000) / done,
  };
}

/** Runs `seconds` of so many calls a second, and answers how long each took, in milliseconds. */
export async function latenciesOf(
  contender: Contender,
  workload: Workload,
  seconds: number,
  callsPerSecond: number,
): Promise<readonly number[]> {
  const logTo = join(folder, "calls.tsv");
  await load(contender, workload, seconds, { callsPerSecond, logTo });
  const lines = readFileSync(logTo, "utf8").trimEnd().split("\n");
  return lines.map((line) => Number(line.split("\t")[2]) / 1000);
}

function fileOf(workload: Workload): string {
  const path = join(folder, workload.name.replaceAll(/\W/g, "-"));
  writeFileSync(path, workload.body ?? "");
  return path;
}
