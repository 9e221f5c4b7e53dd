// What differs between the databases behind the store: how a query or a transaction is run, what a driver's error means, how a change is
// announced to other processes, how leases are taken, and how the schema is inspected. The tables and all other queries are the same.
import type { CompiledQuery } from "kysely";
import type { Month } from "../runtime/calendar.ts";
import type { BatchResult } from "./batcher.ts";
import type { LeaseGrant, LeaseSubject } from "./records.ts";
import type { Acknowledgement } from "./repositories/acknowledgements.ts";
import type { NodeRegistry } from "./repositories/node-registry.ts";
import type { Queries } from "./schema.ts";

/**
 * What an error means. `unavailable`: the database could not run the query. `conflict`: a constraint of the schema forbids it. `defect`:
 * the query is wrong.
 */
export type FailureKind = "unavailable" | "conflict" | "defect";

/** How a migration inspects a database. */
export interface SchemaView {
  /** Keeps every other process from migrating until the given transaction ends. */
  lock(transaction: Queries): Promise<void>;
  /** The names of all tables in the database schema that Quintet uses, including those of other programs. */
  tableNames(transaction: Queries): Promise<readonly string[]>;
  /**
   * Other programs that are connected to the database and announce changes in another way: their addresses or ids. `isMigrated`: whether
   * the schema is the one that this version knows.
   */
  incompatiblePeers(transaction: Queries, isMigrated: boolean): Promise<readonly string[]>;
  /** How error messages name the database. Begins a sentence. */
  readonly name: string;
  /** A sentence that says what to do if the database contains another program's tables. */
  readonly foreignTablesAdvice: string;
}

/** A request to lease calls of one month. */
export interface LeaseRequest {
  readonly subject: LeaseSubject;
  readonly month: Month;
  readonly callsPerMonth: number;
  readonly want: number;
}

/** A request to return calls of one month. */
export interface ReturnRequest {
  readonly subject: LeaseSubject;
  readonly month: Month;
  readonly calls: number;
}

/**
 * The leases. In total they never exceed the plan or the cap, however many processes lease at once. Each method is one transaction and
 * returns results in the order of the requests, with a StoreConflict for a subscription that does not exist. Only with `mayWait` does it
 * wait for a row that another process has locked; otherwise the request must be made again.
 */
export interface LeaseTable {
  lease(requests: readonly LeaseRequest[], mayWait: boolean): Promise<readonly BatchResult<LeaseGrant>[]>;
  returnCalls(requests: readonly ReturnRequest[], mayWait: boolean): Promise<readonly BatchResult<undefined>[]>;
  /** The maximum number of requests in one batch: few enough that no request waits long for the others. */
  readonly batchMax: number;
  /** How many batches may run at once. */
  readonly concurrencyMax: number;
}

export interface Backend {
  readonly db: Queries;
  readonly schema: SchemaView;
  readonly leases: LeaseTable;
  /** Runs work that consists of one statement that only reads. */
  read<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  /** The rows of one statement that only reads and may take a long time. In a server it blocks neither this thread nor other queries. */
  readRows<Row>(query: CompiledQuery<Row>): Promise<readonly Row[]>;
  /**
   * Runs work that writes counts or logs, all of them or none. A remote database gets one statement. The embedded one may get several,
   * which are synced to disk later.
   */
  writeOnce<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  /** Runs work in one transaction. When this resolves, the transaction is committed durably. */
  write<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  /**
   * Like `write`, for counts and logs, but the embedded database does not wait for the disk: it is synced once a second. A power cut may
   * lose what was written since the last sync; any later `write` also saves everything before it.
   */
  writeSyncedLater<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  /**
   * Like `write`, and announces to all processes that the account has changed, unless `accountOf` returns undefined. A failed announcement
   * is not an error.
   */
  change<Result>(work: (db: Queries) => Promise<Result>, accountOf: (result: Result) => string | undefined): Promise<Result>;
  /** Waits, for two seconds at most, until the other processes have applied what this one has changed so far. Never rejects. */
  acknowledged(): Promise<Acknowledgement>;
  /** The servers that share the database. */
  nodes(): Promise<NodeRegistry>;
  /** If this process is a server, listens for changes from the moment this resolves. Call it once the schema is up to date. */
  listen(): Promise<void>;
  /** Reads an error's code, never its text. */
  failureKindOf(error: unknown): FailureKind;
  /** Closes the connections and stops listening. Call it when no work is in progress. */
  close(): Promise<void>;
}
