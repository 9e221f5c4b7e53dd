// What every command needs. Each part is created only when it is used: a command that prints its help opens no database.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { openPlans } from "../account/offered-plans.ts";
import type { Plans } from "../catalogue/plans.ts";
import { Environment } from "../config/environment.ts";
import { readOutboundConfig } from "../config/outbound.ts";
import { readPaymentConfig } from "../config/payments.ts";
import { readPublicUrl } from "../config/public-url.ts";
import { type KeyPrefix, keyPrefixOf } from "../guard/keys/key.ts";
import type { StripeClient } from "../payments/stripe-client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { version } from "../runtime/version.ts";
import { readDataConfig } from "../server-config.ts";
import type { Actor } from "../store/audit-records.ts";
import { migrateStore, openStore } from "../store/open.ts";

import type { Acknowledgement } from "../store/repositories/acknowledgements.ts";
import { type Backup, backUpDatabase } from "../store/sqlite/backup.ts";
import { takeServerLock } from "../store/sqlite/open-database.ts";
import { type Replaced, type Restoring, restoreDatabase } from "../store/sqlite/restore.ts";
import { databaseFile } from "../store/sqlite/sqlite.ts";
import type { AdminStore, Store } from "../store/store.ts";
import { CommandRefused } from "./command-refused.ts";
import { shouldCreateDatabase } from "./data-directory.ts";
import { readDemoKey } from "./demo-key.ts";

// If the path is a file, the store refuses it and says why.
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;

/** What commands get from the process. */
export interface CommandEdge {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Who runs the command, and on which machine, for the audit trail. */
  readonly operator: { readonly user: string; readonly host: string };
  /** Reads a secret from standard input. On a terminal, it prompts and does not echo what is typed. */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Writes text to standard output unchanged. */
  readonly out: (text: string) => void;
  /** Writes text to standard error unchanged. */
  readonly err: (text: string) => void;
}

// A user of sudo is recorded under their own name, which matters if all operators share one system account.
function actorOf({ variables, operator: { user, host } }: CommandEdge): Actor {
  const person = variables.SUDO_USER;
  const name = person === undefined || person === "" || person === user ? user : `${person} as ${user}`;
  return { kind: "operator", name, origin: host };
}

/** The store as commands use it. Changes through it are recorded under the name of the command's user. */
export type CommandStore = AdminStore & Pick<Store, "findCredential" | "lease">;

export class CommandContext {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly readSecret: CommandEdge["readSecret"];
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly #variables: CommandEdge["variables"];
  readonly #actor: Actor;

  constructor(edge: CommandEdge) {
    this.clock = edge.clock;
    this.randomness = edge.randomness;
    this.readSecret = edge.readSecret;
    this.out = edge.out;
    this.err = edge.err;
    this.#variables = edge.variables;
    this.#actor = actorOf(edge);
  }

  /** The plans on offer. A new database first gets those of the plan file. Throws a PlanFileError. */
  plans(store: CommandStore): Promise<Plans> {
    return openPlans(store, this.#dataConfig().plansPath);
  }

  /**
   * Opens the store for the command's user, does the work, and always closes the store. Refuses if there is no store, because the directory
   * may be mistyped.
   */
  async withStore<Result>(work: (store: CommandStore) => Promise<Result>): Promise<Result> {
    const { dataDir, database } = this.#dataConfig();
    if (database === undefined && !existsSync(databaseFile(dataDir)) && !isFile(dataDir)) {
      throw new CommandRefused(
        "store",
        `There is no database in the data directory ${dataDir}. Check QUINTET_DATA_DIR; \`quintet serve\` and \`quintet migrate\` create one.`,
      );
    }
    const store = await openStore({ dataDir, database, clock: this.clock, role: "command" });
    try {
      const result = await work(this.#storeOf(store));
      this.#reportUnconfirmed(await store.acknowledged(), database !== undefined);
      return result;
    } finally {
      await store.close();
    }
  }

  /** Like `withStore`, but refuses while a server runs. A server on the embedded database cannot start in the meantime. */
  async withoutServers<Result>(work: (store: CommandStore) => Promise<Result>): Promise<Result> {
    const { dataDir, database } = this.#dataConfig();
    return this.withStore(async (store) => {
      const releaseLock = database === undefined ? takeServerLock(dataDir) : () => {};
      try {
        const running = (await store.nodes()).nodes.filter(({ isAlive }) => isAlive).map(({ id }) => id);
        if (running.length > 0) {
          throw new CommandRefused(
            "store",
            `Servers are using the database: ${running.join(", ")}. Stop them first: they may be spending calls that the database no longer knows about. ` +
              "One that was killed counts as running for 10 seconds.",
          );
        }
        return await work(store);
      } finally {
        releaseLock();
      }
    });
  }

  #reportUnconfirmed({ isComplete, missing }: Acknowledgement, isShared: boolean): void {
    if (!isComplete) {
      const servers = missing.length === 0 ? "it is not known which" : missing.join(", ");
      const later = isShared
        ? "A server that cannot reach the database refuses calls after 10 seconds."
        : "The server also checks for changes every 250 milliseconds.";
      this.err(`The change was made, but not every server confirmed it within 2 seconds (${servers}). ${later}\n`);
    }
  }

  keyPrefix(): KeyPrefix {
    const { dataDir, cell } = this.#dataConfig();
    return keyPrefixOf({ isSandbox: readDemoKey(dataDir) !== undefined, cell });
  }

  /** Migrates the database, and returns the names of the applied migrations. Creates a new database as `serve` does. */
  async migrate(init: boolean): Promise<readonly string[]> {
    const { dataDir, database } = this.#dataConfig();
    if (database === undefined) {
      shouldCreateDatabase({ dataDir, isNamed: this.#isDirectoryNamed(), init });
    }
    return migrateStore({ dataDir, database, clock: this.clock });
  }

  /** Backs up the embedded database into a file, or into a new file in a directory. Returns the file and what is in it. */
  async backUp(target: string): Promise<Backup & { readonly path: string }> {
    const { dataDir } = this.#embedded('back it up with `pg_dump --format=custom --file=FILE "$QUINTET_DATABASE_URL"`');
    const now = new Date(this.clock.nowMs()).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
    const isDirectory = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
    const path = isDirectory ? join(target, `quintet-${now}Z.db`) : target;
    return this.withStore(async (store) => {
      const backup = await backUpDatabase({ path: databaseFile(dataDir), target: path, clock: this.clock, version });
      await store.note({ action: "database.backup", accountId: null, details: { path, bytes: backup.bytes } });
      return { path, ...backup };
    });
  }

  /** Restores a backup of the embedded database. `prepare` changes the restored store before it replaces the database. */
  restore(from: string, prepare: (store: CommandStore, restoring: Restoring) => Promise<void>): Promise<Replaced> {
    const alternative =
      'restore it with `pg_restore --clean --dbname="$QUINTET_DATABASE_URL" FILE`, then run `quintet quota raise`';
    const { dataDir } = this.#embedded(alternative);
    const { clock } = this;
    return restoreDatabase({
      dataDir,
      from,
      clock,
      migrate: (path) => migrateStore({ dataDir, path, clock }),
      prepare: async (path, restoring) => {
        const store = await openStore({ dataDir, path, clock, role: "command" });
        try {
          await prepare(this.#storeOf(store), restoring);
        } finally {
          await store.close();
        }
      },
    });
  }

  #storeOf(store: Store): CommandStore {
    return Object.assign(store.by(this.#actor), { findCredential: store.findCredential, lease: store.lease });
  }

  #embedded(alternative: string): ReturnType<typeof readDataConfig> {
    const config = this.#dataConfig();
    if (config.database !== undefined) {
      throw new CommandRefused("usage", `QUINTET_DATABASE_URL names a PostgreSQL database; ${alternative}.`);
    }
    return config;
  }

  #isDirectoryNamed(): boolean {
    return Boolean(this.#variables.QUINTET_DATA_DIR);
  }

  /** Stripe, if the settings say that customers pay by card. */
  async stripe(): Promise<StripeClient | undefined> {
    const environment = new Environment(this.#variables);
    const publicUrl = readPublicUrl(environment);
    const config = readPaymentConfig(environment, publicUrl);
    const { proxy } = readOutboundConfig(environment, publicUrl);
    environment.check();
    return (
      config && new (await import("../payments/stripe-client.ts")).StripeClient({ config, proxy, nowMs: () => this.clock.nowMs() })
    );
  }

  // These commands do not need the rest of the environment, so they leave it to the server to check.
  #dataConfig(): ReturnType<typeof readDataConfig> {
    const environment = new Environment(this.#variables);
    const config = readDataConfig(environment, "./data");
    environment.check();
    return config;
  }
}
