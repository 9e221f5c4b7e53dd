// Runs one contender in its own process on one core, and measures its CPU time and memory.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { COMMANDS, type ContenderName } from "./contenders.ts";
import { nextLine } from "./line.ts";
import type { Ready } from "./ready.ts";

/** CPU time of a process, all its threads, in seconds. */
export interface CpuTime {
  readonly user: number;
  readonly system: number;
}

/** A running contender. */
export interface Contender extends Ready {
  readonly name: ContenderName;
  readonly isSecure: boolean;
  /** The CPU time that the process has used so far. */
  cpuTime(): CpuTime;
  /** Resident memory, in MiB. */
  residentMib(): number;
  stop(): Promise<void>;
}

const SERVER_CORE = "0";
/** Linux counts CPU time in these units. */
const TICKS_PER_SECOND = 100;
const TLS_ARGS = ["--cert", "packages/http/test/certificates/server.pem", "--key", "packages/http/test/certificates/server.key"];

// Ended together with the bench.
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) {
    child.kill();
  }
});

/** Starts the radio directory's stand-in, on any core, and returns its port. It ends with the bench. */
export async function startDirectory(): Promise<number> {
  const child = spawn(process.execPath, ["bench/servers/radio-directory.ts"], { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  child.unref();
  const { port } = JSON.parse(await nextLine(child)) as Ready;
  child.stdout.destroy();
  return port;
}

/** How a contender is started. */
interface ContenderOptions {
  /** Whether it uses TLS. */
  readonly isSecure?: boolean;
  /** The folder into which Node writes a CPU profile when it stops. */
  readonly profileTo?: string | undefined;
  /** The cores that it may use, in the format of `taskset`; one by default. */
  readonly cores?: string;
  /** Further arguments. */
  readonly more?: readonly string[];
}

/** Starts one. */
export async function startContender(
  name: ContenderName,
  { isSecure = false, profileTo, cores = SERVER_CORE, more = [] }: ContenderOptions,
): Promise<Contender> {
  const [program = "", ...args] = COMMANDS.get(name) ?? [];
  const profile = profileTo === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileTo}`];
  const child: ChildProcess = spawn(
    "taskset",
    ["-c", cores, program, ...profile, ...args, ...(isSecure ? TLS_ARGS : []), ...more],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_ENV: "production" },
    },
  );
  running.add(child);
  const reported = JSON.parse(await nextLine(child)) as Ready;
  const stat = (): string[] => readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return {
    ...reported,
    name,
    isSecure,
    // Fields 14 and 15, counted from after the name.
    cpuTime() {
      const fields = stat();
      return { user: Number(fields[11]) / TICKS_PER_SECOND, system: Number(fields[12]) / TICKS_PER_SECOND };
    },
    residentMib: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    async stop() {
      child.kill("SIGINT");
      await once(child, "exit");
      running.delete(child);
    },
  };
}
