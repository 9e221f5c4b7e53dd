// Reads and writes for the operators' and customers' side of the store. Each method runs in one transaction, which also writes its entry in
// the audit trail.
import type { Clock } from "../../runtime/clock.ts";
import type { Actor, AuditNote } from "../audit-records.ts";
import type { Backend } from "../backend.ts";
import type { CountAdder } from "../count-adder.ts";
import { recordAudit } from "../repositories/audit.ts";
import type { Queries } from "../schema.ts";

export interface SqlAdminStoreOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** How long entries of the audit trail are kept, in days. */
  readonly auditDays: number;
  readonly countAdder: CountAdder;
  /** Runs work unless the store is closed, and translates a driver's error. */
  readonly run: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
}

type Work<Answer> = (db: Queries) => Promise<Answer>;

/** The transactions of an actor. They reject with the store's errors. */
export interface NotedChanges {
  readonly backend: Backend;
  readonly nowMs: () => number;
  readonly actor: Actor;
  readonly run: SqlAdminStoreOptions["run"];
  readonly read: <Answer>(work: Work<Answer>) => Promise<Answer>;
  /** Adds up the counts that servers have written for an account so far, and then does the work. */
  readonly addedUp: <Answer>(accountId: string, work: () => Promise<Answer>) => Promise<Answer>;
  /** Makes changes that are neither announced to guards nor recorded in the audit trail. */
  readonly write: <Answer>(work: Work<Answer>) => Promise<Answer>;
  /** Makes changes that are recorded but not announced to guards. Nothing is recorded if `noteOf` returns undefined. */
  readonly writeNoted: <Answer>(work: Work<Answer>, noteOf: (answer: Answer) => AuditNote | undefined) => Promise<Answer>;
  /**
   * Changes an account, records the change, and announces it to every guard and to every stream of the account's sessions. The entry names
   * the account. If `noteOf` returns undefined, nothing is recorded or announced.
   */
  readonly change: <Answer>(
    work: Work<Answer>,
    noteOf: (answer: Answer) => (AuditNote & { accountId: string }) | undefined,
  ) => Promise<Answer>;
  /** The same without an entry in the audit trail. `accountOf`: the account that was changed; undefined if nothing was. */
  readonly changeUnnoted: <Answer>(work: Work<Answer>, accountOf: (answer: Answer) => string | undefined) => Promise<Answer>;
  /** Adds an entry inside a transaction, by default in the actor's name. */
  readonly record: (db: Queries, note: AuditNote, by?: Actor) => Promise<void>;
}

/** Creates the transactions of `actor`. */
export function createNotedChanges(
  { backend, clock, auditDays, countAdder, run }: SqlAdminStoreOptions,
  actor: Actor,
): NotedChanges {
  const nowMs = (): number => clock.nowMs();
  const record = (db: Queries, note: AuditNote, by = actor): Promise<void> =>
    recordAudit(db, by, note, { nowMs: nowMs(), keptDays: auditDays });
  const noted =
    <Answer>(work: Work<Answer>, noteOf: (answer: Answer) => AuditNote | undefined): Work<Answer> =>
    async (db) => {
      const answer = await work(db);
      const note = noteOf(answer);
      if (note !== undefined) {
        await record(db, note);
      }
      return answer;
    };
  return {
    backend,
    nowMs,
    actor,
    run,
    record,
    read: (work) => run(() => backend.read(work)),
    addedUp: (accountId, work) =>
      run(async () => {
        await countAdder.addUp(accountId);
        return work();
      }),
    write: (work) => run(() => backend.write(work)),
    writeNoted: (work, noteOf) => run(() => backend.write(noted(work, noteOf))),
    change: (work, noteOf) => run(() => backend.change(noted(work, noteOf), (answer) => noteOf(answer)?.accountId)),
    changeUnnoted: (work, accountOf) => run(() => backend.change(work, accountOf)),
  };
}
