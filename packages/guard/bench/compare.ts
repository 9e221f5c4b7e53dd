// `node packages/guard/bench/compare.ts`: the CPU time of a decision about a call, with a rate and a month, over SQLite in write-ahead mode
// with `synchronous = normal`. rate-limiter-flexible, which is installed into a temporary folder, gets Node's SQLite too; it knows no keys,
// and needs a limiter for each of both limits. Rounds alternate, and figures are medians. Prints the table of README.md.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Guard, KeyFormat, SqliteStore } from "../src/index.ts";

const PEER = "rate-limiter-flexible@11.4.0";
const ROUNDS = 7;
const CALLS = 20_000;
const RATE = 1_000_000;
const CALLS_PER_MONTH = 1_000_000_000;
const MONTH_SECONDS = 30 * 86_400;

interface Limiter {
  consume(key: string, points: number): Promise<unknown>;
}

type LimiterClass = new (options: object, ready?: (error?: Error) => void) => Limiter;

const folder = mkdtempSync(join(tmpdir(), "guard-compare-"));
execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, PEER]);
const { RateLimiterSQLite, RateLimiterMemory } = (await import(
  join(folder, "node_modules/rate-limiter-flexible/index.js")
)) as Readonly<Record<string, LimiterClass>>;

function open(name: string): DatabaseSync {
  const db = new DatabaseSync(join(folder, name));
  db.exec("pragma journal_mode = wal; pragma synchronous = normal");
  return db;
}

function guarded(): () => Promise<unknown> {
  const store = new SqliteStore(open("guard.db"));
  const keys = new KeyFormat("ek_");
  const key = keys.generate("ek_");
  store.addKey("ada", key);
  store.subscribe("ada", "eliza", { name: "large", requestsPerSecond: RATE, callsPerMonth: CALLS_PER_MONTH });
  const guard = new Guard({
    store,
    keys,
    onError(error) {
      throw error;
    },
  });
  return () => guard.admit({ key: key.secret, service: "eliza", address: "203.0.113.9" });
}

async function flexible(Limiter: LimiterClass, options: object): Promise<() => Promise<unknown>> {
  const create = (points: number, duration: number, tableName: string): Promise<Limiter> =>
    new Promise((resolve, reject) => {
      const all = { points, duration, tableName, keyPrefix: tableName, ...options };
      const limiter: Limiter = new Limiter(all, (error) => (error === undefined ? resolve(limiter) : reject(error)));
      if (Limiter === RateLimiterMemory) {
        resolve(limiter);
      }
    });
  const second = await create(RATE, 1, "second");
  const month = await create(CALLS_PER_MONTH, MONTH_SECONDS, "month");
  return async () => {
    await second.consume("ada", 1);
    await month.consume("ada", 1);
  };
}

// The methods of better-sqlite3 that it uses.
const db = open("flexible.db");
const storeClient = {
  prepare: (sql: string) => db.prepare(sql),
  transaction: (work: () => unknown) => () => {
    db.exec("begin immediate");
    const result = work();
    db.exec("commit");
    return result;
  },
};

const ROWS: readonly (readonly [name: string, decide: () => Promise<unknown>])[] = [
  ["this guard, with the key and the subscription", guarded()],
  [
    "`rate-limiter-flexible` over SQLite, limits only",
    await flexible(RateLimiterSQLite as LimiterClass, { storeClient, storeType: "better-sqlite3" }),
  ],
  ["`rate-limiter-flexible` in memory, limits only", await flexible(RateLimiterMemory as LimiterClass, {})],
];

const spentUs = ROWS.map((): number[] => []);
for (let round = 0; round <= ROUNDS; round++) {
  for (const [row, [, decide]] of ROWS.entries()) {
    const before = process.cpuUsage();
    for (let calls = 0; calls < CALLS; calls++) {
      await decide();
    }
    const { user, system } = process.cpuUsage(before);
    // The first round only warms up.
    if (round > 0) {
      spentUs[row]?.push((user + system) / CALLS);
    }
  }
}
process.stdout.write("| guard | CPU, µs |\n| --- | ---: |\n");
for (const [row, [name]] of ROWS.entries()) {
  const sorted = spentUs[row]?.toSorted((a, b) => a - b) ?? [];
  process.stdout.write(`| ${name} | ${(sorted[Math.floor(ROUNDS / 2)] as number).toFixed(1)} |\n`);
}
rmSync(folder, { recursive: true });
process.exit();
