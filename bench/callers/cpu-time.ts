// The CPU time that processes have used, from /proc: a server with its threads, and PostgreSQL with its children.
import { readdirSync, readFileSync } from "node:fs";

// Linux counts CPU time in these units.
const US_PER_TICK = 10_000;

interface Stat {
  readonly parent: number;
  /** Of the process or thread itself, in microseconds. */
  readonly ownUs: number;
  /** Of children that have ended, in microseconds. */
  readonly endedUs: number;
}

// The fields of proc(5), counted from after the name, which may contain spaces. Undefined if the process has ended.
function statOf(path: string): Stat | undefined {
  try {
    const fields = readFileSync(path, "utf8").split(") ").at(-1)?.split(" ").map(Number) ?? [];
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((at) => fields[at]);
    return { parent, ownUs: (user + system) * US_PER_TICK, endedUs: (endedUser + endedSystem) * US_PER_TICK };
  } catch {
    return undefined;
  }
}

/** Of a process and all its threads. */
export const processUs = (pid: number): number => statOf(`/proc/${pid}/stat`)?.ownUs ?? 0;

/** Of the main thread of a process. */
export const mainThreadUs = (pid: number): number => statOf(`/proc/${pid}/task/${pid}/stat`)?.ownUs ?? 0;

/** Of a process and its children, including those that have ended. */
export function familyUs(pid: number): number {
  const own = statOf(`/proc/${pid}/stat`);
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(`/proc/${name}/stat`))
    .filter((stat) => stat?.parent === pid);
  return children.reduce((sum, stat) => sum + (stat?.ownUs ?? 0), (own?.ownUs ?? 0) + (own?.endedUs ?? 0));
}

/** The parent of a process. */
export const parentOf = (pid: number): number => statOf(`/proc/${pid}/stat`)?.parent ?? 0;

/** The memory that a process uses, in MiB. */
export const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
