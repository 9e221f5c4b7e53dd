// A paced load on several servers at once: each call has the key of a random customer, or of the next one, and is made when it is
// due, whether or not earlier ones have had their responses.
import { spawn } from "node:child_process";
import { LOAD_PROGRAM } from "../go-contenders.ts";
import { nextLine } from "../line.ts";

interface LoadOptions {
  readonly ports: readonly number[];
  /** A file with one key per line. */
  readonly keysPath: string;
  /** On all servers together. */
  readonly callsPerSecond: number;
  readonly seconds: number;
  /** Whether each customer calls once, one after another, instead of a random customer for each call. */
  readonly isOneAfterAnother?: boolean;
}

/** What callers saw. */
export interface LoadReport {
  readonly calls: number;
  readonly refusals: number;
  /** The message of the first refused call; empty if there was none. */
  readonly firstRefusal: string;
  /** Of the slowest server, from when the calls were due. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How late this load itself was with its latest 1% of calls. */
  readonly lateMs: number;
}

/** Runs it once. Rejects if a response is wrong. */
export async function runLoad({
  ports,
  keysPath,
  callsPerSecond,
  seconds,
  isOneAfterAnother = false,
}: LoadOptions): Promise<LoadReport> {
  const programs = await Promise.all(
    ports.map(async (port, index) => {
      const args = [
        `-address=127.0.0.1:${port}`,
        `-keys=${keysPath}`,
        "-counted",
        `-each=${isOneAfterAnother}`,
        `-seconds=${seconds}`,
        `-seed=${index}`,
      ];
      const program = spawn(LOAD_PROGRAM, [...args, `-rate=${callsPerSecond / ports.length}`], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      await nextLine(program);
      return program;
    }),
  );
  const reports = await Promise.all(
    programs.map(async (program) => {
      program.stdin.end("\n");
      return JSON.parse(await nextLine(program)) as LoadReport;
    }),
  );
  const sum = (figure: (report: LoadReport) => number): number => reports.reduce((total, report) => total + figure(report), 0);
  const most = (figure: (report: LoadReport) => number): number => Math.max(...reports.map(figure));
  return {
    calls: sum(({ calls }) => calls),
    refusals: sum(({ refusals }) => refusals),
    firstRefusal: reports.map(({ firstRefusal }) => firstRefusal).find((message) => message !== "") ?? "",
    p50Ms: most(({ p50Ms }) => p50Ms),
    p99Ms: most(({ p99Ms }) => p99Ms),
    lateMs: most(({ lateMs }) => lateMs),
  };
}
