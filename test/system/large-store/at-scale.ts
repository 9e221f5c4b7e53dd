// Runs every method of the store on a filled PostgreSQL, as a server does, and says how long each call took and how each of its statements
// is planned.
import { migrateStore, openStore } from "../../../src/store/open.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { startPostgres } from "../../fixtures/servers/postgres.ts";
import { callsOf, type QueryingMethod } from "./calls.ts";
import { FILLED_AT_MS, type FillSize, fill } from "./fill.ts";
import { plansOf, recordStatements, type StatementPlan } from "./recorded-statements.ts";

/** Tables that stay small, and why. A plan may read them whole. */
export const SMALL_TABLES: Readonly<Record<string, string>> = {
  change_counter: "one row",
  changes: "the last 1000 changes",
  count_batches: "what was counted in the last half minute",
  count_buckets: "64 rows",
  health_hours: "one row for each service or source and hour of 90 days",
  incident_updates: "at most 50 of each of 200 incidents",
  incidents: "at most 200",
  nodes: "one row for each server",
  pending_changes: "changes of the last second",
  plans: "one row for each version of a plan",
  quintet_migrations: "one row for each migration",
  quota_raises: "one row for each time that an operator restored the database",
};

/** A call of a method of the store. */
export interface Timed {
  readonly call: string;
  readonly ms: number;
  /** Undefined if it succeeded. */
  readonly failure: string | undefined;
}

/** The results of the calls. */
export interface AtScale {
  /** How long the store took to open. */
  readonly openMs: number;
  readonly calls: readonly Timed[];
  readonly plans: readonly StatementPlan[];
}

/**
 * Fills a database, and runs every call on it, and `also` before them. `settings` are the PostgreSQL settings that differ from the tests'.
 */
export async function runAtScale(
  size: FillSize,
  settings: Readonly<Record<string, string>>,
  also: (url: string) => Promise<void> = async () => {},
): Promise<AtScale> {
  const server = await startPostgres(undefined, settings);
  try {
    const url = await server.createDatabase();
    const clock = createManualClock({ nowMs: FILLED_AT_MS });
    const database = { url, connectionsMax: 5, staleAfterMs: 10_000 };
    await migrateStore({ dataDir: "/nonexistent", database, clock });
    await fill(url, size);
    let now = "";
    const recorded = recordStatements(() => now);
    const beginMs = performance.now();
    const store = await openStore({ dataDir: "/nonexistent", database, clock, role: "server" });
    const openMs = performance.now() - beginMs;
    await also(url);
    const calls: Timed[] = [];
    for (const [method, variants] of Object.entries(callsOf(store, size)) as [
      QueryingMethod,
      readonly (() => Promise<unknown>)[],
    ][]) {
      for (const [index, call] of variants.entries()) {
        now = `${method} ${index + 1}`;
        const callMs = performance.now();
        const failure = await call().then(
          () => undefined,
          (error: Error) => String(error.cause ?? error),
        );
        calls.push({ call: now, ms: performance.now() - callMs, failure });
      }
    }
    now = "";
    await store.close();
    recorded.end();
    return { openMs, calls, plans: await plansOf(url, recorded.statements) };
  } finally {
    await server.close();
  }
}
