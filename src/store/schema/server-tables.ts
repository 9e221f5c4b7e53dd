// The tables of servers and operators: which servers share the database, what has changed, and who changed it.
import type { Generated } from "kysely";
import type { Flag } from "./flag.ts";

/** A server that shares the database with others. */
export interface NodesTable {
  readonly id: string;
  /** The number of the last change that it has applied. */
  readonly change_number: number;
  /** The time until which it may be serving, by the database's clock. */
  readonly expires_at_ms: number;
  /** The version of the protocol by which it receives changes. */
  readonly protocol: number;
}

/** One row: the last change. */
export interface ChangeCounterTable {
  readonly number: number;
  /** Empty if there was none. */
  readonly change_id: string;
  readonly previous_id: string;
}

/** The last changes to accounts, keys and subscriptions. */
export interface ChangesTable {
  readonly number: number;
  /** A random id. */
  readonly change_id: string;
  /** The id of the change before it. */
  readonly previous_id: string;
  readonly account_id: string;
}

/** Who changed what. */
export interface AuditEntriesTable {
  readonly number: Generated<number>;
  readonly at_ms: number;
  readonly actor_kind: string;
  readonly actor: string;
  readonly origin: string;
  readonly action: string;
  readonly account_id: string | null;
  readonly subject: string | null;
  /** A JSON object. */
  readonly details: string;
  /** Whether entries of its kind are frequent. */
  readonly is_routine: Generated<Flag>;
}

export interface AppliedMigrationsTable {
  readonly name: string;
  readonly applied_at_ms: number;
  /** Whether older versions can work with it. */
  readonly additive: Generated<Flag>;
}
