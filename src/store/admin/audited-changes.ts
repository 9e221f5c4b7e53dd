// Reads and writes for the store's methods that operators and customers use. Each method runs in one transaction, which also writes its
// entry in the audit trail.
import type { Clock } from "../../runtime/clock.ts";
import type { Actor, AuditNote } from "../audit-records.ts";
import type { Backend } from "../backend.ts";
import type { CountAggregator } from "../count-aggregator.ts";
import { recordAudit } from "../repositories/audit.ts";
import type { Queries } from "../schema.ts";

export interface SqlAdminStoreOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** How long entries of the audit trail are kept, in days. */
  readonly auditDays: number;
  readonly countAggregator: CountAggregator;
  /** Runs work unless the store is closed, and translates a driver's error. */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

type Work<Result> = (db: Queries) => Promise<Result>;

/** The transactions of an actor. They reject with the store's errors. */
export interface AuditedChanges {
  readonly backend: Backend;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly actor: Actor;
  readonly run: SqlAdminStoreOptions["run"];
  readonly read: <Result>(work: Work<Result>) => Promise<Result>;
  /** Adds up the counts that servers have written for an account so far, and then does the work. */
  readonly addUpThen: <Result>(accountId: string, work: () => Promise<Result>) => Promise<Result>;
  /** Makes changes that are neither announced to guards nor recorded in the audit trail. */
  readonly write: <Result>(work: Work<Result>) => Promise<Result>;
  /** Makes changes that are recorded but not announced to guards. Nothing is recorded if `noteOf` returns undefined. */
  readonly writeAudited: <Result>(work: Work<Result>, noteOf: (result: Result) => AuditNote | undefined) => Promise<Result>;
  /**
   * Changes an account, records the change, and announces it to every guard and to every stream of the account's sessions. The entry names
   * the account. If `noteOf` returns undefined, nothing is recorded or announced.
   */
  readonly change: <Result>(
    work: Work<Result>,
    noteOf: (result: Result) => (AuditNote & { accountId: string }) | undefined,
  ) => Promise<Result>;
  /** Does the same without an entry in the audit trail. `accountOf`: the account that was changed; undefined if nothing was. */
  readonly changeUnaudited: <Result>(work: Work<Result>, accountOf: (result: Result) => string | undefined) => Promise<Result>;
  /** Adds an entry inside a transaction, by default in the actor's name. */
  readonly record: (db: Queries, note: AuditNote, by?: Actor) => Promise<void>;
}

/** Creates the transactions of `actor`. */
export function createAuditedChanges(
  { backend, clock, auditDays, countAggregator, run }: SqlAdminStoreOptions,
  actor: Actor,
): AuditedChanges {
  const nowMs = (): number => clock.nowMs();
  const record = (db: Queries, note: AuditNote, by = actor): Promise<void> =>
    recordAudit(db, by, note, { nowMs: nowMs(), keptDays: auditDays });
  const audited =
    <Result>(work: Work<Result>, noteOf: (result: Result) => AuditNote | undefined): Work<Result> =>
    async (db) => {
      const result = await work(db);
      const note = noteOf(result);
      if (note !== undefined) {
        await record(db, note);
      }
      return result;
    };
  return {
    backend,
    nowMs,
    monotonicMs: () => clock.monotonicMs(),
    actor,
    run,
    record,
    read: (work) => run(() => backend.read(work)),
    addUpThen: (accountId, work) =>
      run(async () => {
        await countAggregator.addUp(accountId);
        return work();
      }),
    write: (work) => run(() => backend.write(work)),
    writeAudited: (work, noteOf) => run(() => backend.write(audited(work, noteOf))),
    change: (work, noteOf) => run(() => backend.change(audited(work, noteOf), (result) => noteOf(result)?.accountId)),
    changeUnaudited: (work, accountOf) => run(() => backend.change(work, accountOf)),
  };
}
