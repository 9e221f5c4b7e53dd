// Calendar months in UTC. Quotas are per month.

/** A calendar month in UTC. Times are in milliseconds since the Unix epoch; the end is exclusive. */
export interface Month {
  /** `2026-11` */
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The month of a time, given in milliseconds since the epoch. */
export function monthAt(nowMs: number): Month {
  const date = new Date(nowMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { name: date.toISOString().slice(0, 7), startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) };
}
