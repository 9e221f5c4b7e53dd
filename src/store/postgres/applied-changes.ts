// Which changes this server has applied. Their batches are numbered without gaps and each names the one before it. So the server knows when
// it has missed one, and when the database has lost one that was applied.
import type { OnChange } from "../changes.ts";
import type { ChangeBatch, ChangePosition } from "../repositories/change-log.ts";

/** The changes that were applied. */
export class AppliedChanges {
  readonly #onChange: OnChange;
  #last: ChangePosition | undefined;

  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  /** The last batch that was applied; undefined before the first is known. */
  get last(): ChangePosition | undefined {
    return this.#last;
  }

  /** Treats everything up to this batch as applied, because nothing is cached yet. */
  startAt(last: ChangePosition): void {
    this.#last = last;
  }

  /**
   * Starts again from this batch, because the database does not know what was applied: it is a different one, or an older copy. Any account
   * may have changed.
   */
  restartAt(last: ChangePosition): void {
    this.#last = last;
    this.#onChange();
  }

  /** Whether a batch has a later number than the applied batches, even if it is from a different database. */
  isNew({ number }: ChangePosition): boolean {
    return this.#last !== undefined && number > this.#last.number;
  }

  /** Whether a batch is the next one, so that none before it was missed. */
  isNext({ number, previousId }: ChangeBatch): boolean {
    return this.#last !== undefined && number === this.#last.number + 1 && previousId === this.#last.id;
  }

  /** Whether a batch has the next number but does not follow the batch that was applied, which is then no longer in the database. */
  isForked({ number, previousId }: ChangeBatch): boolean {
    return this.#last !== undefined && number === this.#last.number + 1 && previousId !== this.#last.id;
  }

  /** Applies batches, given in ascending order. Skips the ones that were applied before. */
  apply(batches: readonly ChangeBatch[]): void {
    for (const batch of batches) {
      if (this.isNew(batch)) {
        if (this.isNext(batch)) {
          for (const accountId of batch.accountIds) {
            this.#onChange(accountId);
          }
        } else {
          // Any account may have changed: the log does not reach back far enough, or does not contain what was applied.
          this.#onChange();
        }
        this.#last = { number: batch.number, id: batch.id };
      }
    }
  }
}
