// How long every method of the store takes with a million accounts in PostgreSQL, and which indexes its statements use. Fails if a
// statement reads the whole of a table that grows. `npm run bench -- store --accounts 1000000 --keys 10000000 --usage 3000000`.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { raiseQuotas } from "../src/account/quota-raise.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { openStore } from "../src/store/open.ts";
import { runAtScale, SMALL_TABLES, type Timed } from "../test/system/large-store/at-scale.ts";
import { MEASURED_SETTINGS } from "./store/postgres-cpu.ts";
import { table, whole } from "./table.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    keys: { type: "string", default: "10000000" },
    usage: { type: "string", default: "3000000" },
  },
});
const size = { accounts: Number(values.accounts), keys: Number(values.keys), usageRows: Number(values.usage) };

async function timed(what: string, work: () => Promise<string>): Promise<string[]> {
  const beginMs = performance.now();
  const found = await work();
  return [what, `${((performance.now() - beginMs) / 1000).toFixed(1)} s`, found];
}

// Runs a command, and says how much it printed and how much memory it took.
async function command(url: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ["src/start.js", ...args], {
    env: { ...process.env, QUINTET_DATABASE_URL: url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let bytes = 0;
  let peak = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "latin1")) ?? [];
    peak = Math.max(peak, Number(kib ?? 0));
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  return `exit ${code}, ${whole(bytes / 1024)} KiB printed, ${whole(peak / 1024)} MiB at most`;
}

async function whatOperatorsDo(url: string): Promise<string[][]> {
  const database = { url, connectionsMax: 5, staleAfterMs: 10_000 };
  const store = await openStore({ dataDir: "/nonexistent", database, clock: systemClock, role: "command" });
  const raise = { id: "raise-3", month: "2026-11", seconds: 3600, percent: 0 } as const;
  const done = [
    await timed(
      "quota raise of all subscriptions",
      async () => `${whole((await raiseQuotas(store, raise)).subscriptions)} of them`,
    ),
    await timed("`quintet account list`", () => command(url, ["account", "list"])),
    await timed("`quintet account list --json`", () => command(url, ["account", "list", "--json"])),
    await timed("`quintet subscription list --waiting`", () => command(url, ["subscription", "list", "--waiting"])),
  ];
  await store.close();
  return done;
}

let others: string[][] = [];
const { openMs, calls, plans } = await runAtScale(size, { ...MEASURED_SETTINGS, fsync: "off" }, async (url) => {
  others = await whatOperatorsDo(url);
});

const rows = Map.groupBy<string, Timed>(calls, ({ call }) => call);
const scans = plans.filter(({ scanned }) => scanned.some((name) => !(name in SMALL_TABLES)));
process.stdout.write(`
${whole(size.accounts)} accounts, ${whole(size.keys)} keys, ${whole(size.usageRows)} rows of usage. The store opens in ${whole(openMs)} ms.

${table(["what", "time", "result"], others)}

${table(
  ["call", "ms", "statements", "slowest, ms", "indexes"],
  [...rows].map(([call, [{ ms, failure } = { ms: Number.NaN, failure: "not run" }]]) => {
    const own = plans.filter((plan) => plan.call === call);
    const indexes = [...new Set(own.flatMap((plan) => plan.indexes))].toSorted();
    const time = failure === undefined ? ms.toFixed(1) : `${ms.toFixed(1)}: ${failure}`;
    return [call, time, own.length, Math.max(0, ...own.map((plan) => plan.ms)).toFixed(1), indexes.join(", ")];
  }),
)}
`);
for (const scan of new Set(
  scans.map(({ call, scanned, text }) => `${call} reads ${scanned.join(", ")}: ${text.slice(0, 500)}\n`),
)) {
  process.stderr.write(scan);
}
process.exitCode = scans.length > 0 ? 1 : 0;
