// What every command needs. Made only when it is used: a command that prints its help opens no database.
import { existsSync, statSync } from "node:fs";
import { loadPlans, type Plans } from "../catalogue/plans.ts";
import { Environment } from "../config/environment.ts";
import type { KeyPrefix } from "../guard/keys/key.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { readDataConfig } from "../server-config.ts";
import type { Actor } from "../store/audit-records.ts";
import { migrateStore, openStore } from "../store/open.ts";
import type { OwnerStore } from "../store/owner-store.ts";
import type { Acknowledgement } from "../store/repositories/acknowledgements.ts";
import { databaseFile } from "../store/sqlite/sqlite.ts";
import type { AdminStore, Store } from "../store/store.ts";
import { keyPrefixFor } from "./demo-key.ts";

// The store refuses a file in place of the directory, and says why.
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;

/** What commands get from the process. */
export interface CommandEdge {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Who runs the command, and on which machine, for the audit trail. */
  readonly operator: { readonly user: string; readonly host: string };
  /** Reads a secret from the standard input; on a terminal it asks with the prompt, and shows nothing of what is typed. */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Writes to standard output as it is. */
  readonly out: (text: string) => void;
  /** Writes to standard error as it is. */
  readonly err: (text: string) => void;
}

// Who works through sudo is known by their own name, which matters where all operators use one account of the system.
function actorOf({ variables, operator: { user, host } }: CommandEdge): Actor {
  const person = variables.SUDO_USER;
  const name = person === undefined || person === "" || person === user ? user : `${person} as ${user}`;
  return { kind: "operator", name, origin: host };
}

/** A command cannot do what it was asked. The message says what to do. The exit code is 1. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

/** The store as commands use it. What is changed through it is noted as their user's. */
export type CommandStore = AdminStore & OwnerStore & Pick<Store, "findCredential" | "lease">;

/** What commands run in. */
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

  /** The plans on offer. Throws a PlanFileError. */
  plans(): Plans {
    return loadPlans(this.#dataConfig().plansPath);
  }

  /**
   * Opens the store in the name of who runs the command, does the work, and closes the store in any case. Refuses where there is no store,
   * because the directory may be mistyped.
   */
  async withStore<Answer>(work: (store: CommandStore) => Promise<Answer>): Promise<Answer> {
    const { dataDir, database, auditDays } = this.#dataConfig();
    if (database === undefined && !existsSync(databaseFile(dataDir)) && !isFile(dataDir)) {
      throw new CommandRefused(
        `There is no database in the data directory ${dataDir}. Check QUINTET_DATA_DIR; \`quintet serve\` makes one, and so does \`quintet migrate\`.`,
      );
    }
    const store = await openStore({ dataDir, database, clock: this.clock, auditDays, role: "command" });
    try {
      const answer = await work({ ...store, ...store.by(this.#actor) });
      this.#tellUnconfirmed(await store.acknowledged(), database !== undefined);
      return answer;
    } finally {
      await store.close();
    }
  }

  #tellUnconfirmed({ isComplete, missing }: Acknowledgement, isShared: boolean): void {
    if (!isComplete) {
      const servers = missing.length === 0 ? "which ones is not known" : missing.join(", ");
      const later = isShared
        ? "One that cannot reach the database refuses calls by itself after QUINTET_DATABASE_SILENCE_MAX_MS."
        : "It looks for changes by itself every 250 milliseconds.";
      this.err(`The change is made, but not every server has confirmed it within 2 seconds (${servers}). ${later}\n`);
    }
  }

  /** The prefix of keys that are made here. */
  keyPrefix(): KeyPrefix {
    return keyPrefixFor(this.#dataConfig().dataDir);
  }

  /** Migrates the database and returns the names of the applied migrations. */
  migrate(): Promise<readonly string[]> {
    const { dataDir, database } = this.#dataConfig();
    return migrateStore({ dataDir, database, clock: this.clock });
  }

  // The server checks the rest of the environment. These commands do not need it, so they do not check it.
  #dataConfig(): ReturnType<typeof readDataConfig> {
    const environment = new Environment(this.#variables);
    const config = readDataConfig(environment, "./data");
    environment.check();
    return config;
  }
}
