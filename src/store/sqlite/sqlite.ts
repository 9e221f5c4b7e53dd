// The embedded database: one SQLite file in the data directory, for one server and any number of commands on the same machine.
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type CompiledQuery, Kysely } from "kysely";
import type { Clock } from "../../runtime/clock.ts";
import type { Backend, SchemaView } from "../backend.ts";
import type { OnChange } from "../changes.ts";
import { ACKNOWLEDGED } from "../repositories/acknowledgements.ts";
import { serialLeases } from "../repositories/leases.ts";
import type { Queries, Tables } from "../schema.ts";
import { announceTo, controlSocketPath, listenOnSqlite, type SqliteChangeListener } from "./change-listener.ts";
import { LogSync, SyncFailed } from "./log-sync.ts";
import { createPrivateDirectory, emptyLog, openDatabase, requirePrivate, takeServerLock } from "./open-database.ts";
import { failureKindOf, isDiskFailure, NodeSqliteDialect } from "./sqlite-dialect.ts";
import { ReaderExited, SqliteReader } from "./sqlite-reader.ts";

// How long a transaction waits for the transactions of other processes, which take milliseconds each. In a server, calls wait for it; in a
// command, a person does.
const LOCK_TIMEOUTS_MS = { server: 250, command: 5000 };

/** Counts and logs are synced to the disk at most once in this interval. */
const SYNC_INTERVAL_MS = 1000;

/** How the database is opened. */
interface SqliteOptions {
  /** Created, accessible only to its owner, if it does not exist. */
  readonly dataDir: string;
  /** The database's file, if it is not the data directory's own. */
  readonly path?: string | undefined;
  readonly clock: Clock;
  /** A server receives changes, and a data directory has only one server; a command announces them. */
  readonly role: "server" | "command";
  /** Called for a change by this process or another. */
  readonly onChange: OnChange;
}

/** The database file of a data directory. */
export const databaseFile = (dataDir: string): string => join(dataDir, "quintet.db");

/** Opens the database. Rejects with StoreRefused if it cannot be used, or another server uses it. */
export async function openSqlite({
  dataDir,
  path = databaseFile(dataDir),
  clock,
  role,
  onChange,
}: SqliteOptions): Promise<Backend> {
  const socketPath = controlSocketPath(dataDir);
  createPrivateDirectory(dataDir);
  requirePrivate(dataDir, path);
  const releaseLock = role === "server" ? takeServerLock(dataDir) : undefined;
  let database: DatabaseSync | undefined;
  let changeListener: SqliteChangeListener | undefined;
  try {
    database = await openDatabase(path, clock, LOCK_TIMEOUTS_MS[role]);
    changeListener = role === "server" ? await listenOnSqlite(database, socketPath, clock, onChange) : undefined;
  } catch (error) {
    database?.close();
    releaseLock?.();
    throw error;
  }
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect({ database, clock, lockTimeoutMs: LOCK_TIMEOUTS_MS[role] }) });
  const read = <Result>(work: (db: Queries) => Promise<Result>) => db.transaction().setAccessMode("read only").execute(work);
  let acknowledgement = ACKNOWLEDGED;
  // A command has nothing else to do in the meantime.
  const reader = role === "server" ? new SqliteReader(path, clock) : undefined;
  const writeOn = async <Result>(connection: Kysely<Tables>, work: (db: Queries) => Promise<Result>): Promise<Result> => {
    try {
      return await connection.transaction().setAccessMode("read write").execute(work);
    } catch (error) {
      // Otherwise a log that fills the disk would stay: SQLite merges the log after a commit, and nothing can be committed.
      if (isDiskFailure(error)) {
        emptyLog(database);
      }
      throw error;
    }
  };
  const write = <Result>(work: (db: Queries) => Promise<Result>): Promise<Result> => writeOn(db, work);
  // Commits without waiting for the disk.
  const writeUnsynced = <Result>(work: (db: Queries) => Promise<Result>): Promise<Result> =>
    db.connection().execute(async (connection) => {
      database.exec("PRAGMA synchronous = NORMAL");
      try {
        return await writeOn(connection, work);
      } finally {
        database.exec("PRAGMA synchronous = FULL");
      }
    });
  const logSync = new LogSync({ path: `${path}-wal`, emptyLog: () => emptyLog(database) });
  const writeLeases = async <Result>(work: (db: Queries) => Promise<Result>): Promise<Result> => {
    const result = await writeUnsynced(work);
    await logSync.sync();
    return result;
  };
  let syncedAtMs = Number.NEGATIVE_INFINITY;
  const writeSyncedLater = async <Result>(work: (db: Queries) => Promise<Result>): Promise<Result> => {
    const result = await writeUnsynced(work);
    const nowMs = clock.monotonicMs();
    if (nowMs - syncedAtMs >= SYNC_INTERVAL_MS) {
      syncedAtMs = nowMs;
      // If it fails, the next sync tries to empty the log first.
      logSync.sync().catch(() => {});
    }
    return result;
  };
  return {
    db,
    schema: SCHEMA_VIEW,
    leases: serialLeases(writeLeases),
    // Also runs in a transaction, because only transactions wait for other processes.
    read,
    async readRows<Row>(query: CompiledQuery<Row>) {
      return reader === undefined
        ? (await read((transaction) => transaction.executeQuery(query))).rows
        : ((await reader.query(query)) as readonly Row[]);
    },
    write,
    writeSyncedLater,
    writeOnce: writeSyncedLater,
    async change(work, accountOf) {
      const result = await write(work);
      const accountId = accountOf(result);
      if (accountId === undefined) {
        return result;
      }
      onChange(accountId);
      // A server only has to notify itself.
      if (changeListener === undefined && !(await announceTo(socketPath, clock, accountId))) {
        acknowledgement = { isComplete: false, missing: ["the server of this data directory"] };
      }
      return result;
    },
    acknowledged: () => Promise.resolve(acknowledgement),
    nodes: () => Promise.resolve({ self: undefined, changeNumber: 0, nodes: [] }),
    // The listener was started when the database was opened.
    listen: () => Promise.resolve(),
    failureKindOf: (error) => (error instanceof ReaderExited || error instanceof SyncFailed ? "unavailable" : failureKindOf(error)),
    async close() {
      await changeListener?.close();
      await reader?.close();
      await logSync.close();
      await db.destroy();
      releaseLock?.();
    },
  };
}

const SCHEMA_VIEW: SchemaView = {
  // Each transaction that may write has the database to itself.
  lock: () => Promise.resolve(),
  tableNames: async (transaction) => (await transaction.introspection.getTables()).map(({ name }) => name),
  incompatiblePeers: () => Promise.resolve([]),
  name: "The database",
  foreignTablesAdvice: "Point QUINTET_DATA_DIR to a directory of Quintet's own.",
};
