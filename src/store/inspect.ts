// Inspects the database for an operator. Changes and creates nothing.
import { existsSync, statfsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import type { DatabaseConfig } from "../config/many-nodes.ts";
import type { Clock } from "../runtime/clock.ts";
import { requireSchema } from "./migrate.ts";
import { NodeStatus } from "./node-status.ts";
import type { Queries } from "./schema.ts";
import { isWritableByOthers } from "./sqlite/open-database.ts";
import { databaseFile } from "./sqlite/sqlite.ts";
import { StoreRefused } from "./store-errors.ts";

/** The data directory and its database. */
export interface EmbeddedFacts {
  readonly isDirectory: boolean;
  readonly isWritableByOthers: boolean;
  /** Undefined if there is no directory. */
  readonly freeBytes: number | undefined;
  /** Undefined if there is no database yet. */
  readonly database: { readonly bytes: number; readonly sqliteVersion: string; readonly fault: string | undefined } | undefined;
}

export function inspectEmbedded(dataDir: string): EmbeddedFacts {
  const isDirectory = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isDirectory) {
    return { isDirectory, isWritableByOthers: false, freeBytes: undefined, database: undefined };
  }
  const path = databaseFile(dataDir);
  const { bavail, bsize } = statfsSync(dataDir);
  return {
    isDirectory,
    isWritableByOthers: [dataDir, path].some(isWritableByOthers),
    freeBytes: bavail * bsize,
    database: existsSync(path) ? { bytes: statSync(path).size, ...checkFile(path) } : undefined,
  };
}

function checkFile(path: string): { readonly sqliteVersion: string; readonly fault: string | undefined } {
  const empty = new DatabaseSync(":memory:");
  const sqliteVersion = String(empty.prepare("SELECT sqlite_version() AS version").get()?.version);
  empty.close();
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    try {
      const result = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
      return { sqliteVersion, fault: result === "ok" ? undefined : String(result) };
    } finally {
      database.close();
    }
  } catch (error) {
    return { sqliteVersion, fault: (error as Error).message };
  }
}

export interface PostgresFacts {
  /** The version of PostgreSQL, such as `15.6`. */
  readonly version: string;
  /** The fastest of five round trips, in milliseconds. */
  readonly latencyMs: number;
  /** How far its clock is ahead of ours, in milliseconds. */
  readonly aheadMs: number;
  /** What is wrong with the schema, and what to do; undefined if nothing is. */
  readonly schemaFault: string | undefined;
  readonly connectionsMax: number;
  /** Our role, as SQL writes it. */
  readonly role: string;
  /** The rights that it lacks, such as `CREATE on the schema public`: for migrations, and for the tables. */
  readonly missingRights: readonly string[];
  /** Whether two transactions of one connection can run in different sessions, because a pooler is in between. */
  readonly isPooledByTransaction: boolean;
}

/** Connects to PostgreSQL and inspects the database. Rejects with the error that prevents this. */
export async function inspectPostgres(database: DatabaseConfig, clock: Clock): Promise<PostgresFacts> {
  const { openPostgres } = await import("./postgres/postgres.ts");
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  // One connection waits for the other.
  const withTwo = { ...database, connectionsMax: Math.max(2, database.connectionsMax) };
  const backend = await openPostgres({ database: withTwo, clock, log, role: "command", status: new NodeStatus(), onChange() {} });
  try {
    let latencyMs = Number.POSITIVE_INFINITY;
    let aheadMs = 0;
    for (let count = 0; count < 5; count++) {
      const startedMs = clock.monotonicMs();
      const { rows } = await sql<{ now_ms: number }>`
        select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms
      `.execute(backend.db);
      const tookMs = clock.monotonicMs() - startedMs;
      if (tookMs < latencyMs) {
        latencyMs = tookMs;
        aheadMs = (rows[0]?.now_ms ?? 0) + tookMs / 2 - clock.nowMs();
      }
    }
    const { rows } = await sql<{ version: string; connections: string; role: string; missing: readonly string[] }>`
      select current_setting('server_version') as version, current_setting('max_connections') as connections,
        quote_ident(current_user) as role, array(${MISSING_RIGHTS}) as missing
    `.execute(backend.db);
    const { version = "", connections, role = "", missing: missingRights = [] } = rows[0] ?? {};
    const isUnreadable = missingRights.some((right) => right.startsWith("USAGE") || right.endsWith("quintet_migrations"));
    return {
      version,
      connectionsMax: Number(connections),
      latencyMs,
      aheadMs,
      role,
      missingRights,
      schemaFault: isUnreadable ? undefined : await refusalOf(requireSchema(backend)),
      isPooledByTransaction: await isPooledByTransaction(backend.db),
    };
  } finally {
    await backend.close();
  }
}

// What migrations need of the schema, and servers of its tables.
const MISSING_RIGHTS = sql`
  select kind || ' on the schema ' || schema
  from (select coalesce(current_schema(), 'public') as schema) as named, unnest(array['USAGE', 'CREATE']) as kind
  where not has_schema_privilege(schema, kind)
  union all
  select string_agg(kind, ', ' order by kind) || ' on ' || schemaname || '.' || tablename
  from pg_tables, unnest(array['DELETE', 'INSERT', 'SELECT', 'UPDATE']) as kind
  where schemaname = coalesce(current_schema(), 'public')
    and not has_table_privilege(quote_ident(schemaname) || '.' || quote_ident(tablename), kind)
  group by schemaname, tablename`;

// A pooler lends a backend to a transaction: while the other connection is in one, our next transaction gets another backend, or the other
// has got ours.
async function isPooledByTransaction(db: Queries): Promise<boolean> {
  const backendOf = async (one: Queries) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(one)).rows[0]?.pid ?? 0;
  return db.connection().execute(async (connection) => {
    const before = await backendOf(connection);
    return db.transaction().execute(async (other) => {
      const others = await backendOf(other);
      return others === before || (await backendOf(connection)) !== before;
    });
  });
}

// The message of a refusal; undefined if there is none.
const refusalOf = (required: Promise<unknown>): Promise<string | undefined> =>
  required.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof StoreRefused) {
        return error.message;
      }
      throw error;
    },
  );
