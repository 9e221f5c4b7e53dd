// Runs one contender in a process of its own on one core, and reads what it costs.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Ready } from "./ready.ts";
import { CONTENDERS, type ContenderName } from "./workloads.ts";

/** A running contender. */
export interface Contender extends Ready {
  readonly name: ContenderName;
  /** CPU time that the process has used, all threads, in seconds. */
  cpuSeconds(): number;
  /** Resident memory, in MiB. */
  residentMib(): number;
  stop(): Promise<void>;
}

const SERVER_CORE = "0";
/** Linux counts CPU time in these. */
const TICKS_PER_SECOND = 100;

/** Starts the radio directory's stand-in, on any core, and answers its port. It ends with the bench. */
export async function startDirectory(): Promise<number> {
  const child = spawn(process.execPath, ["bench/servers/radio-directory.ts"], { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => child.kill());
  child.unref();
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  child.stdout.destroy();
  return (JSON.parse(line.toString()) as Ready).port;
}

/** How a contender is started. */
export interface ContenderOptions {
  readonly directoryPort: number;
  /** The folder into which Node writes a CPU profile when it stops. */
  readonly profileTo?: string | undefined;
  /** The cores that it may use, as `taskset` takes them; one by default. */
  readonly cores?: string;
  /** What it is told beside the directory's port. */
  readonly more?: readonly string[];
}

/** Starts one. */
export async function startContender(
  name: ContenderName,
  { directoryPort, profileTo, cores = SERVER_CORE, more = [] }: ContenderOptions,
): Promise<Contender> {
  const profile = profileTo === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileTo}`];
  const child: ChildProcess = spawn(
    "taskset",
    ["-c", cores, process.execPath, ...profile, ...CONTENDERS[name], String(directoryPort), ...more],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_ENV: "production" },
    },
  );
  process.once("exit", () => child.kill());
  const died = once(child, "exit").then(() => {
    throw new Error(`${name} ended before it was ready`);
  });
  const [line] = (await Promise.race([once(child.stdout as NodeJS.ReadableStream, "data"), died])) as [Buffer];
  died.catch(() => {});
  const stat = (): string[] => readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return {
    ...(JSON.parse(line.toString()) as Ready),
    name,
    // Fields 14 and 15, counted behind the name.
    cpuSeconds: () => (Number(stat()[11]) + Number(stat()[12])) / TICKS_PER_SECOND,
    residentMib: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    async stop() {
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}
