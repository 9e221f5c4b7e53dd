// Counts on their way into a table: one row for each name, in batches that one statement takes.

// Each row has seven parameters at most, which together are far under the limit of either database.
const ROWS_PER_INSERT = 200;

/** When something was counted. */
export interface CountedAt {
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** The hour of the day, from 0 to 23. */
  readonly hour: number;
}

/** The hour as the tables have it: `2026-11-21T14`. */
export const hourOf = ({ day, hour }: CountedAt): string => `${day}T${String(hour).padStart(2, "0")}`;

/**
 * The counts with those of one name added up, since PostgreSQL refuses a statement that would update one row twice. In the order of their names:
 * where all processes write rows in the same order, they cannot deadlock.
 */
export function mergedByName<Count>(
  counts: readonly Count[],
  nameOf: (count: Count) => readonly string[],
  merge: (count: Count, other: Count) => Count,
): readonly Count[] {
  const merged = new Map<string, Count>();
  for (const count of counts) {
    const name = JSON.stringify(nameOf(count));
    const before = merged.get(name);
    merged.set(name, before === undefined ? count : merge(before, count));
  }
  return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

/** The rows, some at a time. */
export function* batches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    yield rows.slice(start, start + ROWS_PER_INSERT);
  }
}
