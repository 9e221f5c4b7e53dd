// Which changes this server has applied. Changes are numbered without gaps and each names the one before it. So the server knows when it
// has missed one, and when the database has lost one that was applied.
import type { OnChange } from "../changes.ts";
import type { ChangePosition, LoggedChange } from "../repositories/change-log.ts";

/** The changes that were applied. */
export class AppliedChanges {
  readonly #onChange: OnChange;
  #last: ChangePosition | undefined;

  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  /** The last change that was applied; undefined before the first is known. */
  get last(): ChangePosition | undefined {
    return this.#last;
  }

  /** Treats everything up to this change as applied, because nothing is cached yet. */
  startAt(last: ChangePosition): void {
    this.#last = last;
  }

  /** The database does not know what was applied: it is a different one, or an older copy. Any account may have changed. */
  restartAt(last: ChangePosition): void {
    this.#last = last;
    this.#onChange();
  }

  /** Whether this is the change that was applied last. */
  isLast({ number, id }: ChangePosition): boolean {
    return number === this.#last?.number && id === this.#last.id;
  }

  /** Whether a change has a later number than those that were applied, even if it is from a different database. */
  isNew({ number }: ChangePosition): boolean {
    return this.#last !== undefined && number > this.#last.number;
  }

  /** Whether a change is the next one, so that none before it was missed. */
  isNext({ number, previousId }: LoggedChange): boolean {
    return this.#last !== undefined && number === this.#last.number + 1 && previousId === this.#last.id;
  }

  /** Whether a change has the next number but follows a different change than the one that was applied: that one is not in the database. */
  isForked({ number, previousId }: LoggedChange): boolean {
    return this.#last !== undefined && number === this.#last.number + 1 && previousId !== this.#last.id;
  }

  /** Applies changes, in ascending order; those that were applied before are skipped. */
  apply(changes: readonly LoggedChange[]): void {
    for (const change of changes) {
      if (this.isNew(change)) {
        // Any account may have changed if the log does not reach back far enough, or does not contain what was applied.
        this.#onChange(this.isNext(change) ? change.accountId : undefined);
        this.#last = { number: change.number, id: change.id };
      }
    }
  }
}
