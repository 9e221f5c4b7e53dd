// How the methods of the store are declared. A repository has functions that run in a given transaction, and its table of methods says for
// each whether it reads or changes, and what the audit trail records. The store's type is made from these tables.
import type { Clock } from "../runtime/clock.ts";
import { type Actor, type AuditNote, SERVER_ACTOR } from "./audit-records.ts";
import type { Backend } from "./backend.ts";
import { recordAudit } from "./repositories/audit.ts";
import type { Queries } from "./schema.ts";

interface TransactionsOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Adds up the counts that servers have written: of an account, of all, or some of them, and says whether there may be more. */
  readonly countAggregator: {
    addUp(accountId: string): Promise<void>;
    addUpAll(): Promise<void>;
    addUpSome(): Promise<boolean>;
  };
  /** Runs work unless the store is closed, and translates a driver's error. */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

type Work<Result> = (db: Queries) => Promise<Result>;

/** An entry of the audit trail about an account. */
export type AccountNote = AuditNote & { readonly accountId: string };

/** The transactions of an actor. They reject with the store's errors. */
export class Transactions {
  readonly options: TransactionsOptions;
  readonly actor: Actor;

  constructor(options: TransactionsOptions, actor: Actor = SERVER_ACTOR) {
    this.options = options;
    this.actor = actor;
  }

  get nowMs(): number {
    return this.options.clock.nowMs();
  }

  read<Result>(work: Work<Result>): Promise<Result> {
    return this.options.run(() => this.options.backend.read(work));
  }

  /** Reads that take long: in a server they block neither this thread nor other queries. */
  report<Result>(work: (backend: Backend) => Promise<Result>): Promise<Result> {
    return this.options.run(() => work(this.options.backend));
  }

  /** Adds up the counts that servers have written for an account so far, and then does the work. */
  addUpThen<Result>(accountId: string, work: (backend: Backend) => Promise<Result>): Promise<Result> {
    return this.report(async (backend) => {
      await this.options.countAggregator.addUp(accountId);
      return work(backend);
    });
  }

  /** Makes changes that are neither announced to guards nor recorded in the audit trail. */
  write<Result>(work: Work<Result>): Promise<Result> {
    return this.options.run(() => this.options.backend.write(work));
  }

  /** The same for counts and logs: the embedded database does not wait for the disk. */
  writeSyncedLater<Result>(work: Work<Result>): Promise<Result> {
    return this.options.run(() => this.options.backend.writeSyncedLater(work));
  }

  /** Makes changes that are recorded but not announced to guards. Nothing is recorded if `noteOf` returns undefined. */
  writeAudited<Result>(work: Work<Result>, noteOf: (result: Result) => AuditNote | undefined): Promise<Result> {
    return this.write(this.#audited(work, noteOf));
  }

  /**
   * Changes an account, records the change, and announces it to every guard and to every stream of the account's sessions. The entry names
   * the account. If `noteOf` returns undefined, nothing is recorded or announced.
   */
  change<Result>(work: Work<Result>, noteOf: (result: Result) => AccountNote | undefined): Promise<Result> {
    return this.changeUnaudited(this.#audited(work, noteOf), (result) => noteOf(result)?.accountId);
  }

  /** Does the same without an entry in the audit trail. `accountOf`: the account that was changed; undefined if nothing was. */
  changeUnaudited<Result>(work: Work<Result>, accountOf: (result: Result) => string | undefined): Promise<Result> {
    return this.options.run(() => this.options.backend.change(work, accountOf));
  }

  /** Adds an entry inside a transaction, by default in the actor's name. */
  record(db: Queries, note: AuditNote, by = this.actor): Promise<void> {
    return recordAudit(db, by, note, this.nowMs);
  }

  #audited<Result>(work: Work<Result>, noteOf: (result: Result) => AuditNote | undefined): Work<Result> {
    return async (db) => {
      const result = await work(db);
      const note = noteOf(result);
      if (note !== undefined) {
        await this.record(db, note);
      }
      return result;
    };
  }
}

/** A method of the store, before it is known on whose behalf it runs. */
export type Method<Args extends unknown[], Result> = (transactions: Transactions) => (...args: Args) => Promise<Result>;

/** The methods of a table, for one actor. */
export type Bound<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (transactions: Transactions) => infer Run ? Run : never;
};

type Query<Args extends unknown[], Result> = (db: Queries, ...args: Args) => Promise<Result>;
type TimedQuery<Args extends unknown[], Result> = (db: Queries, ...args: [...args: Args, nowMs: number]) => Promise<Result>;

/** A query that only reads. */
export const read =
  <Args extends unknown[], Result>(query: Query<Args, Result>): Method<Args, Result> =>
  (transactions) =>
  (...args) =>
    transactions.read((db) => query(db, ...args));

/** The same, with the time as the query's last argument. */
export const readAt =
  <Args extends unknown[], Result>(query: TimedQuery<Args, Result>): Method<Args, Result> =>
  (transactions) =>
  (...args) =>
    transactions.read((db) => query(db, ...args, transactions.nowMs));

/** A query that changes what neither guards nor the audit trail need to know. */
export const write =
  <Args extends unknown[], Result>(query: Query<Args, Result>): Method<Args, Result> =>
  (transactions) =>
  (...args) =>
    transactions.write((db) => query(db, ...args));

/** The same, with the time as the query's last argument. */
export const writeAt =
  <Args extends unknown[], Result>(query: TimedQuery<Args, Result>): Method<Args, Result> =>
  (transactions) =>
  (...args) =>
    transactions.write((db) => query(db, ...args, transactions.nowMs));

/** A query whose change is recorded, but not announced to guards. `noteOf` gets the result and the method's arguments. */
export const audited =
  <Args extends unknown[], Result>(
    query: Query<Args, Result>,
    noteOf: (result: Result, ...args: Args) => AuditNote | undefined,
  ): Method<Args, Result> =>
  (transactions) =>
  (...args) =>
    transactions.writeAudited(
      (db) => query(db, ...args),
      (result) => noteOf(result, ...args),
    );

/** The same, with the time as the query's last argument. */
export const auditedAt =
  <Args extends unknown[], Result>(
    query: TimedQuery<Args, Result>,
    noteOf: (result: Result, ...args: Args) => AuditNote | undefined,
  ): Method<Args, Result> =>
  (transactions) =>
    audited((db, ...args: Args) => query(db, ...args, transactions.nowMs), noteOf)(transactions);

/** A query whose change is recorded and announced to guards. */
export const changing =
  <Args extends unknown[], Result>(
    query: Query<Args, Result>,
    noteOf: (result: Result, ...args: Args) => AccountNote | undefined,
  ): Method<Args, Result> =>
  (transactions) =>
  (...args) =>
    transactions.change(
      (db) => query(db, ...args),
      (result) => noteOf(result, ...args),
    );

/** The same, with the time as the query's last argument. */
export const changingAt =
  <Args extends unknown[], Result>(
    query: TimedQuery<Args, Result>,
    noteOf: (result: Result, ...args: Args) => AccountNote | undefined,
  ): Method<Args, Result> =>
  (transactions) =>
    changing((db, ...args: Args) => query(db, ...args, transactions.nowMs), noteOf)(transactions);
