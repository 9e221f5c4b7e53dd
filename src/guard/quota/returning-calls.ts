// Calls that are to be given back to the store as soon as it can be asked: those of one month, added up.

import type { Calendar, Day } from "./month.ts";

/** Calls of a day's month. */
export interface CallsOfDay {
  readonly day: Day;
  readonly calls: number;
}

/** Calls on their way back to the store. */
export class ReturningCalls {
  readonly #calendar: Calendar;
  #pending: CallsOfDay | undefined;

  constructor(calendar: Calendar) {
    this.#calendar = calendar;
  }

  get isEmpty(): boolean {
    return this.#pending === undefined;
  }

  /** Adds calls. Those of a month that is over are of no use, and must not take the place of those of the present month. */
  add(day: Day, calls: number): void {
    if (calls > 0 && day.monthNumber === this.#calendar.today().monthNumber) {
      const before = this.#pending?.day.monthNumber === day.monthNumber ? this.#pending.calls : 0;
      this.#pending = { day, calls: before + calls };
    }
  }

  /** Takes all of them out; undefined where there are none, or their month is over. */
  takeAll(): CallsOfDay | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending?.day.monthNumber === this.#calendar.today().monthNumber ? pending : undefined;
  }
}
