// What differs between the databases behind the store: how a query or a transaction is run, what a driver's error means, how a change is
// announced to other processes, how leases are taken, and how the schema is inspected. The tables and all other queries are the same.
import type { CompiledQuery } from "kysely";
import type { Acknowledgement } from "./repositories/acknowledgements.ts";
import type { LeaseTable } from "./repositories/lease-table.ts";
import type { NodeRegistry } from "./repositories/node-registry.ts";
import type { Queries } from "./schema.ts";

/** What an error means. `unavailable`: the database did not do it. `conflict`: a rule of the schema forbids it. `defect`: the query is wrong. */
export type Failing = "unavailable" | "conflict" | "defect";

/** How a migration looks at a database. */
export interface SchemaView {
  /** Keeps every other process from migrating until the given transaction ends. */
  lock(transaction: Queries): Promise<void>;
  /** The names of the tables where Quintet's are, or would be. */
  tableNames(transaction: Queries): Promise<readonly string[]>;
  /** What to do when tables of another program are there: a sentence. */
  readonly elsewhere: string;
}

/** One database. */
export interface Backend {
  readonly db: Queries;
  readonly schema: SchemaView;
  readonly leases: LeaseTable;
  /** Runs work that is one reading statement. */
  read<Answer>(work: (db: Queries) => Promise<Answer>): Promise<Answer>;
  /** The rows of one reading statement that may take long. In a server it blocks neither this thread nor other queries. */
  ask<Row>(query: CompiledQuery<Row>): Promise<readonly Row[]>;
  /** Runs work in one transaction. When this resolves, the transaction is committed durably. */
  write<Answer>(work: (db: Queries) => Promise<Answer>): Promise<Answer>;
  /**
   * As `write`, and announces to this process and to the others that the account has changed, unless `accountOf` says that none has. An announcement
   * that fails is no error.
   */
  change<Answer>(work: (db: Queries) => Promise<Answer>, accountOf: (answer: Answer) => string | undefined): Promise<Answer>;
  /** Waits until the other processes have applied what this one has changed so far, two seconds at most. Never rejects. */
  acknowledged(): Promise<Acknowledgement>;
  /** The servers that share the database. */
  nodes(): Promise<NodeRegistry>;
  /** Listens for changes from the moment this resolves, where this process is a server. Call it once the schema is right. */
  listen(): Promise<void>;
  /** Reads an error's code, never its text. */
  failingOf(error: unknown): Failing;
  /** Closes the connections and stops listening. Call it when nothing is under way. */
  close(): Promise<void>;
}
