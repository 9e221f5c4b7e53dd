// `node test/system/soak/newcomers.ts`: how long newcomers from another address wait while 32 connections of one address flood the whole
// program, and how much memory it holds during that time and a minute later. One process gets all floods. Prints a table. `--minutes N` for
// each flood, a quarter by default.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { FLOODS_OF_MANY } from "../../../packages/http/test/soak/floods-of-many.ts";
import { DEAD_UPSTREAMS } from "../../fixtures/dead-upstreams.ts";
import { freePort } from "../../fixtures/servers/server-process.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "0.25" } } });
const floodMs = Number(values.minutes) * 60_000;
const QUIET_MS = 5000;
/** The program checks every ten seconds for memory that it can return. */
const AFTER_MS = 60_000;

const port = await freePort();

/** How long each newcomer waited, in milliseconds. */
async function newcomers(forMs: number): Promise<{ readonly medianMs: number; readonly p99Ms: number }> {
  const worker = new Worker(new URL("./newcomer.ts", import.meta.url), { workerData: { port, forMs } });
  const [took] = (await once(worker, "message")) as [number[]];
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { medianMs: at(0.5), p99Ms: at(0.99) };
}

const dataDir = mkdtempSync(join(tmpdir(), "quintet-newcomers-"));
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
const server = spawn(process.execPath, ["src/start.js", "serve"], {
  env: {
    ...process.env,
    ...DEAD_UPSTREAMS,
    QUINTET_DATA_DIR: dataDir,
    QUINTET_PORT: String(port),
    QUINTET_WORKERS: "1",
    QUINTET_LOG_LEVEL: "silent",
  },
  stdio: ["ignore", "ignore", "inherit"],
});
process.once("exit", () => server.kill());
const residentMib = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;
const cpuMs = (): number => {
  const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
while ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok !== true) {
  await wait(100);
}
await newcomers(1000);

process.stdout.write("| flood | median before and during, ms | p99 | CPU of one core | MiB before, at most, a minute after |\n");
process.stdout.write("| --- | ---: | ---: | ---: | ---: |\n");
for (const [index, { name }] of FLOODS_OF_MANY.entries()) {
  const before = await newcomers(QUIET_MS);
  const [mibBefore, cpuBeforeMs] = [residentMib(), cpuMs()];
  let mibMax = 0;
  const watch = setInterval(() => {
    mibMax = Math.max(mibMax, residentMib());
  }, 200);
  const attacker = new Worker(new URL("./flood-of-many.ts", import.meta.url), { workerData: { port, index, forMs: floodMs } });
  const attacked = once(attacker, "exit");
  const during = await newcomers(floodMs);
  await attacked;
  const cpu = (cpuMs() - cpuBeforeMs) / floodMs;
  await wait(AFTER_MS);
  clearInterval(watch);
  const change = (from: number, to: number): string => `${from.toFixed(1)} → ${to.toFixed(1)}`;
  const row = [
    name,
    change(before.medianMs, during.medianMs),
    change(before.p99Ms, during.p99Ms),
    `${(cpu * 100).toFixed(0)} %`,
    [mibBefore, mibMax, residentMib()].map((mib) => mib.toFixed(0)).join(", "),
  ];
  process.stdout.write(`| ${row.join(" | ")} |\n`);
}
process.exit(0);
