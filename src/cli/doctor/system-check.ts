// Checks the limits of the system: open files, ports, the queue of new connections, memory, cores.
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import type { Config } from "../../server-config.ts";
import { grouped } from "../output.ts";
import { type Finding, ok, warn } from "./finding.ts";

/** What the system allows; undefined if it does not say, as on systems other than Linux. */
export interface SystemFacts {
  readonly cores: number;
  /** The machine's, or the container's if that is less. */
  readonly memoryBytes: number;
  readonly openFilesMax: number | undefined;
  readonly outgoingPorts: number | undefined;
  /** net.core.somaxconn. */
  readonly listenQueueMax: number | undefined;
}

const MIB = 1_048_576;
// The memory that a process needs with one thread, and for each further thread.
const PROCESS_BYTES = 150 * MIB;
const THREAD_BYTES = 100 * MIB;
const OPEN_FILES_MIN = 4096;
const OUTGOING_PORTS_MIN = 10_000;
const LISTEN_QUEUE_MIN = 1024;

export function readSystemFacts(cores: number): SystemFacts {
  const [from, to] = numbersOf("/proc/sys/net/ipv4/ip_local_port_range");
  const container = numbersOf("/sys/fs/cgroup/memory.max")[0] ?? Number.POSITIVE_INFINITY;
  const files = /^Max open files\s+(\d+)/m.exec(read("/proc/self/limits"))?.[1];
  return {
    cores,
    memoryBytes: Math.min(totalmem(), container),
    openFilesMax: files === undefined ? undefined : Number(files),
    outgoingPorts: from === undefined || to === undefined ? undefined : to - from + 1,
    listenQueueMax: numbersOf("/proc/sys/net/core/somaxconn")[0],
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const numbersOf = (path: string): readonly number[] => (read(path).match(/\d+/g) ?? []).map(Number);

/** Checks the limits against what the configuration needs. */
export function checkSystem(facts: SystemFacts, { workers }: Pick<Config, "workers">): readonly Finding[] {
  const { cores, memoryBytes, openFilesMax, outgoingPorts, listenQueueMax } = facts;
  const neededBytes = PROCESS_BYTES + (workers - 1) * THREAD_BYTES;
  const findings = [
    workers > cores
      ? warn("cores", `${workers} threads serve on ${cores} cores`, "Set QUINTET_WORKERS to the number of cores, or leave it out.")
      : ok("cores", `${workers} threads on ${cores} cores`),
    memoryBytes < neededBytes
      ? warn(
          "memory",
          `there are ${grouped(Math.round(memoryBytes / MIB))} MiB, and ${workers} threads take up to ${grouped(Math.round(neededBytes / MIB))}`,
          "Give it more memory, or set QUINTET_WORKERS to fewer threads.",
        )
      : ok("memory", `${grouped(Math.round(memoryBytes / MIB))} MiB`),
  ];
  const bounded = (subject: string, value: number | undefined, least: number, advice: string): readonly Finding[] => {
    if (value === undefined) {
      return [];
    }
    return [
      value < least
        ? warn(subject, `at most ${grouped(value)}, which is under ${grouped(least)}`, advice)
        : ok(subject, `at most ${grouped(value)}`),
    ];
  };
  return [
    ...findings,
    ...bounded(
      "open files",
      openFilesMax,
      OPEN_FILES_MIN,
      "Each connection takes one. Raise it: LimitNOFILE=65536 in systemd, or `ulimit -n 65536`.",
    ),
    ...bounded(
      "outgoing ports",
      outgoingPorts,
      OUTGOING_PORTS_MIN,
      "Connections to upstreams and databases take them. Widen net.ipv4.ip_local_port_range.",
    ),
    ...bounded(
      "connection queue",
      listenQueueMax,
      LISTEN_QUEUE_MIN,
      "New connections wait in it when many arrive at once. Raise net.core.somaxconn to 4096.",
    ),
  ];
}
