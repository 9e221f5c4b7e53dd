// Kysely on Node's own SQLite. Kysely's SQLite driver expects another library's interface, begins every transaction as a reader, blocks
// the whole thread while it waits for another process, and prepares a statement at each use. This adapts all four.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { LruMap } from "@quintet/guard";
import {
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from "kysely";
import type { Clock } from "../../runtime/clock.ts";
import type { FailureKind } from "../backend.ts";

// Preparing most statements takes longer than running them: docs/decisions.md has figures. A server that is called by customers and by its
// portal uses about this many different ones.
const PREPARED_MAX = 200;

/** An open database, which Kysely closes when it is destroyed, and how long a transaction waits for the transactions of other processes. */
export interface NodeSqliteConfig {
  readonly database: DatabaseSync;
  readonly clock: Clock;
  readonly lockTimeoutMs: number;
}

/** Runs Kysely's queries on `node:sqlite`. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #config: NodeSqliteConfig;

  constructor(config: NodeSqliteConfig) {
    super({ database: kyselyShape(config.database) });
    this.#config = config;
  }

  override createDriver(): Driver {
    return new NodeSqliteDriver(this.#config);
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #config: NodeSqliteConfig;

  constructor(config: NodeSqliteConfig) {
    super({ database: kyselyShape(config.database) });
    this.#config = config;
  }

  // A transaction takes its lock here, once, and nothing after that has to wait. A transaction that started as a reader and then wrote
  // would fail if another process wrote in between.
  override async beginTransaction(_connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const { database, clock, lockTimeoutMs } = this.#config;
    const begin = settings?.accessMode === "read only" ? beginReading : beginWriting;
    await whenFree(clock, lockTimeoutMs, () => begin(database));
  }

  // After some errors (a full or failing disk) SQLite has already rolled back, and a second rollback would hide what happened.
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#config.database.isTransaction) {
      await super.rollbackTransaction(connection);
    }
  }
}

function beginWriting(database: DatabaseSync): void {
  database.exec("begin immediate");
}

// The first read takes the lock. A process that has just closed the database as its last user may still hold it for a moment.
function beginReading(database: DatabaseSync): void {
  database.exec("begin");
  try {
    database.exec("select 1 from sqlite_schema limit 1");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

function kyselyShape(database: DatabaseSync): SqliteDatabase {
  const prepared = new LruMap<string, SqliteStatement>(PREPARED_MAX);
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = prepared.get(sql);
      if (known !== undefined) {
        return known;
      }
      const statement = database.prepare(sql);
      const shape: SqliteStatement = {
        // Whether it returns rows.
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
        run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
        // Its own statement, because the prepared one may run again before this one has ended.
        iterate: (parameters) => database.prepare(sql).iterate(...(parameters as SQLInputValue[])),
      };
      prepared.set(sql, shape);
      return shape;
    },
  };
}

const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_MISUSE = 21;
const SQLITE_RANGE = 25;
const SQLITE_NOTADB = 26;

/** How long SQLite itself waits for another process, in milliseconds. It blocks the whole thread, so it is short. */
export const BUSY_TIMEOUT_MS = 5;

/**
 * Retries until the database is free. Once `timeoutMs` have passed, throws the error of the last attempt. Between attempts other work of
 * this process continues: it may be what keeps the database busy.
 */
export async function whenFree<Result>(clock: Clock, timeoutMs: number, attempt: () => Result): Promise<Result> {
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || clock.monotonicMs() >= deadlineMs) {
        throw error;
      }
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Whether the error says that another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** Whether the error says that the file is not a database. */
export function isNoDatabase(error: unknown): boolean {
  return primaryCode(error) === SQLITE_NOTADB;
}

/** Whether the error says that the file is a database with missing or wrong parts. */
export function isDamaged(error: unknown): boolean {
  return primaryCode(error) === SQLITE_CORRUPT;
}

/**
 * Whether the error says that the disk is full or failed: SQLite reports a failure for a full disk too, if the log's index has no space.
 */
export function isDiskFailure(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_FULL || code === SQLITE_IOERR;
}

/** What a query's error means. */
export function failureKindOf(error: unknown): FailureKind {
  switch (primaryCode(error)) {
    case undefined:
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return "defect";
    case SQLITE_CONSTRAINT:
      return "conflict";
    // Busy, locked, full, unreadable, read-only, corrupt: the database could not run the query.
    default:
      return "unavailable";
  }
}

// The low byte: the higher bytes are more specific than needed here.
function primaryCode(error: unknown): number | undefined {
  const errcode = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}
