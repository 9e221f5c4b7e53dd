// `npm run bench -- attacks`: attacks by strangers, customers and sources on a whole gateway, each while a well-behaved caller makes calls.
// `--seconds N` for each attack, 10 by default; `--only N` for only the Nth. Prints a table for bench/floods.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Orders } from "./attacks/attacker.ts";
import { ATTACKS } from "./attacks/attacks.ts";
import type { Origins } from "./attacks/upstreams.ts";
import type { Calls, Outcome } from "./attacks/victim.ts";
import { nextLine } from "./line.ts";
import { percentilesOf } from "./percentiles.ts";
import type { Ready } from "./ready.ts";
import { table } from "./table.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "10" }, only: { type: "string" } } });
const forMs = Number(values.seconds) * 1000;
const WARM_UP_MS = 2000;
/** The gateway checks every ten seconds for memory that it can release. */
const AFTER_MS = 25_000;
const SCORE = { path: "/farkle/v1/score?dice=1,5", perSecond: 50 };

async function inThread<Report>(file: string, workerData: object): Promise<Report> {
  const [report] = await once(new Worker(new URL(`./attacks/${file}`, import.meta.url), { workerData }), "message");
  return report as Report;
}

const origins = await inThread<Origins>("upstreams.ts", {});
const rows: (string | number)[][] = [];
for (const [attack, { name, isSourceSlow, isListsHostile, victim = SCORE }] of ATTACKS.entries()) {
  if (values.only !== undefined && Number(values.only) !== attack + 1) {
    continue;
  }
  const prices = isSourceSlow ? origins.slow : origins.hostile;
  const lists = isListsHostile ? origins.hostile : "http://127.0.0.1:9";
  const args = ["bench/attacks/server.ts", prices, lists, origins.hostile];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const { port, keys = [] } = JSON.parse(await nextLine(server)) as Ready;
  const callWell = (callForMs: number): Promise<Outcome> => {
    const calls: Calls = { port, key: keys[0] ?? "", ...victim, forMs: callForMs };
    return inThread("victim.ts", calls);
  };
  const residentMib = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;
  await callWell(WARM_UP_MS);
  const before = await callWell(forMs / 2);
  const mibBefore = residentMib();
  let mibMax = mibBefore;
  const watch = setInterval(() => {
    mibMax = Math.max(mibMax, residentMib());
  }, 100);
  const orders: Orders = { port, keys, attack, forMs };
  const attacking = inThread<{ readonly sentBytes: number; readonly cuts: number }>("attacker.ts", orders);
  const during = await callWell(forMs);
  const { sentBytes } = await attacking;
  await wait(AFTER_MS);
  clearInterval(watch);
  const [quiet, attacked] = [percentilesOf(before.tookMs), percentilesOf(during.tookMs)];
  const change = (from: number, to: number): string => `${from.toFixed(1)} → ${to.toFixed(1)}`;
  rows.push([
    name,
    (sentBytes / forMs).toFixed(1),
    change(quiet.median, attacked.median),
    change(quiet.p99, attacked.p99),
    `${during.failed} of ${during.tookMs.length}`,
    [mibBefore, mibMax, residentMib()].map((mib) => mib.toFixed(0)).join(", "),
  ]);
  server.kill();
  await once(server, "exit");
}
const columns = ["attack", "KB/s", "median before and during, ms", "p99", "failed", "MiB before, at most, after"];
process.stdout.write(`${table(columns, rows)}\n`);
process.exit(0);
