// The embedded database: one SQLite file in the data directory, for one server and any number of commands on the same machine.
import { statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CompiledQuery, Kysely } from "kysely";
import type { Clock } from "../../runtime/clock.ts";
import type { Backend, SchemaView } from "../backend.ts";
import type { OnChange } from "../changes.ts";
import { ACKNOWLEDGED } from "../repositories/acknowledgements.ts";
import { serialLeases } from "../repositories/leases.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreRefused } from "../store-errors.ts";
import { announceTo, controlSocketPath, listenForChanges } from "./control-socket.ts";
import { pollForChanges } from "./data-version.ts";
import { createPrivately, isWritableByOthers, makeDirectoryPrivately } from "./private-file.ts";
import { takeServerLock } from "./server-lock.ts";
import { NodeSqliteDialect } from "./sqlite-dialect.ts";
import { failingOf, isDiskFailure, isNoDatabase, standstillMs, whenFree } from "./sqlite-errors.ts";
import { ReaderGone, SqliteReader } from "./sqlite-reader.ts";

// How long a transaction waits for other processes', which take milliseconds each. A call may wait for a server; a person can wait longer.
const patienceMs = { server: 250, command: 5000 };

// A log of so many pages of 4 KiB is carried over into the database.
const LOG_PAGES_MAX = 256;
const LOG_BYTES_MAX = 1_048_576;

// The log's index alone takes 32 KiB.
const LEAST_ROOM_BYTES = 65_536;

/** How the database is opened. */
export interface SqliteOptions {
  /** Made, for its owner alone, when it is not there. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** A server is told of changes, and there is one for a data directory; a command tells it. */
  readonly role: "server" | "command";
  /** Called for a change of this process, or of another. */
  readonly onChange: OnChange;
}

/** Where a data directory has its database. */
export const databaseFile = (dataDir: string): string => join(dataDir, "quintet.db");

/** Opens the database. Rejects with StoreRefused when it cannot be used, or another server has it. */
export async function openSqlite({ dataDir, clock, role, onChange }: SqliteOptions): Promise<Backend> {
  const socketPath = controlSocketPath(dataDir);
  const path = databaseFile(dataDir);
  makeDirectoryPrivately(dataDir);
  requirePrivate(dataDir, path);
  const releaseLock = role === "server" ? takeServerLock(dataDir) : undefined;
  let database: DatabaseSync | undefined;
  let ears: Ears | undefined;
  try {
    database = await openDatabase(path, clock, patienceMs[role]);
    ears = role === "server" ? await listen(database, socketPath, clock, onChange) : undefined;
  } catch (error) {
    database?.close();
    releaseLock?.();
    throw error;
  }
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect({ database, clock, patienceMs: patienceMs[role] }) });
  const read = <Answer>(work: (db: Queries) => Promise<Answer>) => db.transaction().setAccessMode("read only").execute(work);
  let acknowledgement = ACKNOWLEDGED;
  // A command has nothing else to do meanwhile.
  const reader = role === "server" ? new SqliteReader(path, clock) : undefined;
  const write = async <Answer>(work: (db: Queries) => Promise<Answer>): Promise<Answer> => {
    try {
      return await db.transaction().setAccessMode("read write").execute(work);
    } catch (error) {
      if (isDiskFailure(error)) {
        emptyLog(database);
      }
      throw error;
    }
  };
  return {
    db,
    schema: schemaView,
    leases: serialLeases(write),
    // In a transaction too, for it is what waits for other processes.
    read,
    async ask<Row>(query: CompiledQuery<Row>) {
      return reader === undefined
        ? (await read((transaction) => transaction.executeQuery(query))).rows
        : ((await reader.ask(query)) as readonly Row[]);
    },
    write,
    async change(work, accountOf) {
      const answer = await write(work);
      const accountId = accountOf(answer);
      onChange(accountId);
      // A server has nobody to tell but itself.
      if (ears === undefined && !(await announceTo(socketPath, clock, accountId))) {
        acknowledgement = { isComplete: false, missing: ["the server of this data directory"] };
      }
      return answer;
    },
    acknowledged: () => Promise.resolve(acknowledgement),
    // It does since it was opened.
    listen: () => Promise.resolve(),
    failingOf: (error) => (error instanceof ReaderGone ? "unavailable" : failingOf(error)),
    async close() {
      await ears?.close();
      await reader?.close();
      await db.destroy();
      releaseLock?.();
    },
  };
}

const schemaView: SchemaView = {
  // Each transaction that may write has the database to itself.
  lock: () => Promise.resolve(),
  tableNames: async (transaction) => (await transaction.introspection.getTables()).map(({ name }) => name),
  elsewhere: "Point QUINTET_DATA_DIR to a directory of Quintet's own.",
};

interface Ears {
  close(): Promise<void>;
}

// Hears what commands announce, and looks for what they did not.
async function listen(database: DatabaseSync, socketPath: string, clock: Clock, onChange: OnChange): Promise<Ears> {
  const poll = pollForChanges(database, clock, () => onChange());
  const onAnnouncement = (accountId: string): void => {
    poll.catchUp();
    onChange(accountId);
  };
  try {
    const socket = await listenForChanges(socketPath, clock, onAnnouncement);
    return {
      async close() {
        poll.stop();
        await socket.close();
      },
    };
  } catch (error) {
    poll.stop();
    throw error;
  }
}

function requirePrivate(dataDir: string, path: string): void {
  for (const one of [dataDir, path, `${path}-wal`]) {
    if (isWritableByOthers(one)) {
      throw new StoreRefused(
        `${one} can be written to by others than its owner. Run \`chmod go-w ${one}\`, or point QUINTET_DATA_DIR to a directory of Quintet's own.`,
      );
    }
  }
}

// SQLite opens a file that it may not write to, and a full disk, without a word.
function requireWritable(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
    database.exec(`PRAGMA user_version = ${version}`);
  } finally {
    // Some errors have rolled back by themselves.
    if (database.isTransaction) {
      database.exec("COMMIT");
    }
  }
}

// A log that has filled the disk would stay as it is: SQLite carries it over when something is committed, and nothing can be.
function emptyLog(database: DatabaseSync): void {
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // There is no room for that either, or somebody still reads the log. The next write that fails tries again.
  }
}

const hasNoRoom = (dataDir: string): boolean => {
  const { bavail, bsize } = statfsSync(dataDir);
  return bavail * bsize < LEAST_ROOM_BYTES;
};

async function openDatabase(path: string, clock: Clock, patience: number): Promise<DatabaseSync> {
  createPrivately(path);
  const database = new DatabaseSync(path, { timeout: standstillMs, enableForeignKeyConstraints: true });
  try {
    await whenFree(clock, patience, () => {
      // Readers do not wait for a writer, nor a writer for readers: a report, which another thread or process reads, does not hold up a
      // lease.
      database.exec("PRAGMA journal_mode = WAL");
      // Every commit reaches the disk before it is answered: a lease must outlive a power cut, or its calls would be granted twice.
      database.exec("PRAGMA synchronous = FULL");
      // The log is begun anew, and cut to this, whenever all of it is in the database: it never takes the room that a checkpoint needs.
      database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`);
      database.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}`);
      requireWritable(database);
    });
    return database;
  } catch (error) {
    database.close();
    if (isDiskFailure(error) && hasNoRoom(dirname(path))) {
      throw new StoreRefused(
        `The disk of the data directory ${dirname(path)} is full. Make room, or point QUINTET_DATA_DIR to a directory on another.`,
        { cause: error },
      );
    }
    if (isNoDatabase(error)) {
      throw new StoreRefused(`${path} is not a database. Move it away, or point QUINTET_DATA_DIR to another directory.`, {
        cause: error,
      });
    }
    throw error;
  }
}
