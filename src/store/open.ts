// Opens the store: the database, its schema brought up to date, and the ears for changes that other processes make.
import type { Clock } from "../clock.ts";
import { ChangeListeners } from "./changes.ts";
import { migrate } from "./migrate.ts";
import { createSqlStore } from "./sql-store.ts";
import { openSqlite } from "./sqlite.ts";
import { type Store, StoreRefused } from "./store.ts";

/** Which store, and for whom. */
export interface StoreOptions {
  /** The directory of the embedded database. Made, for its owner alone, when it is not there. A relative one is kept relative. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** `server`: is told of changes that others make; there is one for a data directory. `command`: tells the server of its own changes. */
  readonly role: "server" | "command";
}

/** Opens the store. Rejects with StoreRefused, saying what to do, when it cannot be used. */
export async function openStore({ dataDir, clock, role }: StoreOptions): Promise<Store> {
  const listeners = new ChangeListeners();
  const backend = await openSqlite({ dataDir, clock, role, onForeignChange: () => listeners.notify() }).catch((error: unknown) => {
    throw refusal(error, dataDir);
  });
  try {
    await migrate(backend.db, clock);
  } catch (error) {
    await backend.close();
    throw refusal(error, dataDir);
  }
  return createSqlStore(backend, clock, listeners);
}

function refusal(error: unknown, dataDir: string): StoreRefused {
  if (error instanceof StoreRefused) {
    return error;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreRefused(
    `The data directory ${dataDir} cannot be used: ${reason}. Check its permissions and the disk, or point QUINTET_DATA_DIR to another.`,
    { cause: error },
  );
}
