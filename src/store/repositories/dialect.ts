// The parts of statements that differ between SQLite and PostgreSQL.
import { PostgresAdapter, type RawBuilder, sql } from "kysely";
import type { Queries } from "../schema.ts";

/** Whether these are statements for PostgreSQL; otherwise they are for SQLite. */
export const isPostgres = (db: Pick<Queries, "getExecutor">): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/**
 * Joins a table to `given`, whose rows are read first. SQLite may choose another order, and read a large part of the table once for each
 * row, because it does not know how few rows there are. It keeps the order of a cross join:
 * https://sqlite.org/lang_select.html#the_from_clause
 */
export const joinToGiven = (db: Queries): RawBuilder<unknown> => (isPostgres(db) ? sql`join` : sql`cross join`);

/** The types of a column that are used here. `bigint` is any whole number. */
export type ColumnType = "text" | "bigint";

/**
 * Rows as a table called `given`, for a `from` clause, in their order. It has one parameter for each column (on SQLite, a single
 * parameter), however many rows there are, so that the database parses the same short statement each time.
 */
export function given<Column extends string>(
  db: Queries,
  columns: Readonly<Record<Column, ColumnType>>,
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns) as Column[];
  if (isPostgres(db)) {
    const arrays = names.map((name) => sql`${rows.map((row) => row[name])}::${sql.raw(columns[name])}[]`);
    return sql`unnest(${sql.join(arrays)}) as given (${sql.join(names.map((name) => sql.ref(name)))})`;
  }
  const values = names.map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
  return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(rows)})) as given`;
}
