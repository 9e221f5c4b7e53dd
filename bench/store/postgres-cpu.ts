// The CPU time of a PostgreSQL server on this machine: of all its processes, including those that have ended.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inDatabase } from "../../test/fixtures/servers/postgres.ts";

// Linux counts in hundredths of a second.
const TICK_MS = 10;

/** The process id of a server. `url`: any database of it. */
export async function pidOf(url: string): Promise<number> {
  const { rows } = await inDatabase(url, (client) => client.query("show data_directory"));
  return Number.parseInt(readFileSync(join(rows[0].data_directory, "postmaster.pid"), "latin1"), 10);
}

/** Milliseconds since the server started. */
export function cpuMs(pid: number): number {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(name));
  const own = stats.find((stat) => stat.pid === pid);
  const children = stats.filter(({ parent }) => parent === pid);
  return TICK_MS * children.reduce((ticks, stat) => ticks + stat.ticks, (own?.ticks ?? 0) + (own?.endedTicks ?? 0));
}

// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
function statOf(name: string): { pid: number; parent: number; ticks: number; endedTicks: number }[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "latin1");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const at = (field: number): number => fields[field - 3] ?? 0;
    return [{ pid: Number(name), parent: at(4), ticks: at(14) + at(15), endedTicks: at(16) + at(17) }];
  } catch {
    // It has ended.
    return [];
  }
}

/** Settings of a server that is measured. */
export const MEASURED_SETTINGS = {
  fsync: "on",
  full_page_writes: "on",
  max_connections: "400",
  shared_buffers: "1GB",
  max_wal_size: "4GB",
};
