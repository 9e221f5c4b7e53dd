// Opens the store: the database, its schema as this version knows it, and the listener for changes that other processes make.
import type { DatabaseConfig } from "../config/many-nodes.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Backend } from "./backend.ts";
import { ChangeListeners, type OnChange } from "./changes.ts";
import { migrate, requireSchema } from "./migrate.ts";
import { NodeStatus } from "./node-status.ts";
import { findCredentials } from "./repositories/credentials.ts";
import { openSqlite } from "./sqlite/sqlite.ts";
import { createStore, type Store } from "./store.ts";
import { StoreRefused } from "./store-errors.ts";

/** Which store to open, and who uses it. */
export interface StoreOptions {
  /**
   * The directory of the embedded database. Created, accessible only to its owner, if it does not exist. A relative path stays relative.
   */
  readonly dataDir: string;
  /** The embedded database's file, if it is not the data directory's own: a copy that is to be restored. */
  readonly path?: string;
  /** The PostgreSQL database that is used instead of the embedded one. */
  readonly database?: DatabaseConfig | undefined;
  readonly clock: Clock;
  /** Logs lost connections to PostgreSQL. */
  readonly log?: Log;
  /**
   * `server`: receives the changes that other processes make; a data directory has one server. `command`: announces its own changes to the
   * servers.
   */
  readonly role: "server" | "command";
}

/**
 * Opens the store. The embedded database is migrated first; PostgreSQL is not, because other versions may be using it. Rejects with
 * StoreRefused, which says what to do, if the database cannot be used.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const listeners = new ChangeListeners();
  const status = new NodeStatus();
  const check = (backend: Backend) => (options.database === undefined ? migrate(backend, options.clock) : requireSchema(backend));
  const backend = await openBackend({ ...options, status }, (accountId) => listeners.notify(accountId), check);
  return createStore({ backend, clock: options.clock, listeners, nodeStatus: status });
}

/** Migrates the database and returns the names of the applied migrations. Rejects with StoreRefused, which says what to do. */
export async function migrateStore(options: Omit<StoreOptions, "role">): Promise<readonly string[]> {
  let applied: readonly string[] = [];
  const backend = await openBackend(
    { ...options, role: "command", status: new NodeStatus() },
    () => {},
    async (opened) => {
      applied = await migrate(opened, options.clock);
    },
  );
  await backend.close();
  return applied;
}

const NO_LOG: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function openBackend(
  options: StoreOptions & { readonly status: NodeStatus },
  onChange: OnChange,
  check: (backend: Backend) => Promise<unknown>,
): Promise<Backend> {
  const { dataDir, path, database, clock, role, status, log = NO_LOG } = options;
  let backend: Backend | undefined;
  try {
    if (database === undefined) {
      backend = await openSqlite({ dataDir, path, clock, role, onChange });
    } else {
      // The driver is loaded only if it is used.
      const { openPostgres } = await import("./postgres/postgres.ts");
      backend = await openPostgres({ database, clock, log, role, status, onChange });
    }
    await check(backend);
    if (role === "server") {
      // The first query takes many times as long as later ones. It runs here, with a key that nobody has, so that no call waits for it.
      await backend.read((db) => findCredentials(db, [""]));
      await backend.listen();
    }
    return backend;
  } catch (error) {
    await backend?.close();
    throw error instanceof StoreRefused ? error : refusal(error, options);
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const INSUFFICIENT_PRIVILEGE = "42501";

function refusal(error: unknown, { dataDir, database }: StoreOptions): StoreRefused {
  // When a host name has several addresses, Node's error has a code and no message.
  const { message = "", code = "" } = error as { message?: string; code?: string };
  const reason = message || code || String(error);
  if (code === INSUFFICIENT_PRIVILEGE) {
    const rights =
      "`quintet migrate` needs CREATE and USAGE on the schema, and servers and commands SELECT, INSERT, UPDATE and DELETE on its tables";
    return new StoreRefused(`The role that QUINTET_DATABASE_URL names lacks a right: ${reason}. ${rights}.`, { cause: error });
  }
  const words =
    database === undefined
      ? `The data directory ${dataDir} cannot be used: ${reason}. Check its permissions and the disk, or point QUINTET_DATA_DIR to another.`
      : `The database that QUINTET_DATABASE_URL names cannot be used: ${reason}. Check that it is running and that the URL is correct.`;
  return new StoreRefused(words, { cause: error });
}
