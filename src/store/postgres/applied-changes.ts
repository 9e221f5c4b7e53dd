// Which changes this server has applied. Changes are numbered without gaps, so the server knows when it has missed one.
import type { OnChange } from "../changes.ts";
import type { LoggedChange } from "../repositories/change-log.ts";

/** The changes that were applied, up to a number. */
export class AppliedChanges {
  readonly #onChange: OnChange;
  #number: number | undefined;

  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  /** The number of the last change that was applied; undefined before the first is known. */
  get number(): number | undefined {
    return this.#number;
  }

  /** Takes everything up to this number as applied, where nothing is remembered yet. */
  startAt(number: number): void {
    this.#number = number;
  }

  /** The database is another one, or an older copy: any account may have changed. */
  restartAt(number: number): void {
    this.#number = number;
    this.#onChange();
  }

  /** Whether a change is yet to be applied. */
  isNew({ number }: LoggedChange): boolean {
    return this.#number !== undefined && number > this.#number;
  }

  /** Whether changes before this one are yet to be applied. */
  misses({ number }: LoggedChange): boolean {
    return number > (this.#number ?? 0) + 1;
  }

  /** Whether a change is the next one, so that none before it was missed. */
  isNext({ number }: LoggedChange): boolean {
    return number === (this.#number ?? 0) + 1;
  }

  /** Applies changes, in ascending order; those that were applied before are skipped. */
  apply(changes: readonly LoggedChange[]): void {
    for (const change of changes) {
      if (change.number > (this.#number ?? 0)) {
        // Where the log does not reach back far enough, any account may have changed.
        this.#onChange(this.isNext(change) ? change.accountId : undefined);
        this.#number = change.number;
      }
    }
  }
}
