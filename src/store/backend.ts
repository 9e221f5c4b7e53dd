// What differs between the databases behind the store, and nothing more: how a query or a transaction is run, what a driver's error
// means, how a change is told to the other processes, how leases are taken, and how the schema is looked at. The tables and all other
// queries are the same for all.
import type { CompiledQuery } from "kysely";
import type { Acknowledgement } from "./repositories/acknowledgements.ts";
import type { LeaseTable } from "./repositories/lease-table.ts";
import type { Queries } from "./schema.ts";

/** What an error means. `conflict`: a rule of the schema forbids the change. `defect`: neither; it is ours to mend. */
export type Failing = "unavailable" | "conflict" | "defect";

/** How a migration looks at a database. */
export interface SchemaView {
  /** Keeps every other process from migrating until the transaction that it is handed ends. */
  lock(transaction: Queries): Promise<void>;
  /** The names of the tables where Quintet's are, or would be. */
  tableNames(transaction: Queries): Promise<readonly string[]>;
  /** What to do when somebody else's tables are there: a sentence. */
  readonly elsewhere: string;
}

/** One database. */
export interface Backend {
  readonly db: Queries;
  readonly schema: SchemaView;
  readonly leases: LeaseTable;
  /** Runs work that is one reading statement. */
  read<Answer>(work: (db: Queries) => Promise<Answer>): Promise<Answer>;
  /** Answers the rows of one reading statement that may take long. In a server neither this thread nor anything else waits for it. */
  ask<Row>(query: CompiledQuery<Row>): Promise<readonly Row[]>;
  /** Runs work in one transaction, which is committed for good when the answer is there. */
  write<Answer>(work: (db: Queries) => Promise<Answer>): Promise<Answer>;
  /**
   * As `write`, and tells this process and the others that the account has changed. What cannot be told is no error.
   */
  change<Answer>(work: (db: Queries) => Promise<Answer>, accountOf: (answer: Answer) => string): Promise<Answer>;
  /** Waits until the other processes have applied what this one has changed so far, two seconds at most. Never rejects. */
  acknowledged(): Promise<Acknowledgement>;
  /** Hears of changes from when it resolves on, where this process is a server. Call it once the schema is right. */
  listen(): Promise<void>;
  /** Reads an error's code, never its text. */
  failingOf(error: unknown): Failing;
  /** Closes the connections and stops listening. Nothing is under way any more. */
  close(): Promise<void>;
}
