// Looks up rows by their whole primary key so that PostgreSQL always uses the key's index. It plans a statement by what it knows about a
// table. A statement that was prepared while the table was nearly empty would go on reading the whole table, or all rows of the month, once
// for each row that it looks up: seconds for each batch, until the table is analyzed again.
import { type RawBuilder, sql } from "kysely";

/**
 * The conditions for the row of `table` whose key has the values of `given`, and the order and limit. Two row comparisons instead of
 * equality: only the key's index returns rows in this order, so that it is the cheapest way to the first, however many rows there are.
 */
export function byKey(table: string, given: string, key: readonly string[]): RawBuilder<unknown> {
  const rowOf = (alias: string): RawBuilder<unknown> => sql`(${sql.join(key.map((column) => sql.ref(`${alias}.${column}`)))})`;
  const order = sql.join(key.map((column) => sql.ref(`${table}.${column}`)));
  return sql`where ${rowOf(table)} >= ${rowOf(given)} and ${rowOf(table)} <= ${rowOf(given)} order by ${order} limit 1`;
}

/** The primary key of `month_leases`. */
export const MONTH_KEY = ["account_id", "service", "month"];
