// The rows of sign-in's tables one by one, by conditions that are made at run time: the library for passwords and sessions asks for them so.
// Each function runs in the transaction that it is handed.
import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import type { SignInCondition, SignInPage, SignInRow, SignInTable } from "./owner-store.ts";
import type { Queries } from "./schema.ts";

// Which columns there are is known when it runs.
type Loose = Record<SignInTable, Record<string, SignInCondition["value"]>>;
const loose = (db: Queries): Kysely<Loose> => db as unknown as Kysely<Loose>;

// Nothing is equal to null in SQL, null neither.
const ofNull: Partial<Record<SignInCondition["operator"], "is" | "is not">> = { "=": "is", "!=": "is not" };

const all = (conditions: readonly SignInCondition[]) => (row: ExpressionBuilder<Loose, SignInTable>) =>
  row.and(
    conditions.map(({ column, operator, value }) => {
      const known = value === null ? (ofNull[operator] ?? operator) : operator;
      return row(sql.ref<SignInCondition["value"]>(column), known, value as never);
    }),
  );

/** Inserts one. */
export async function insertRow(db: Queries, table: SignInTable, values: SignInRow): Promise<SignInRow> {
  return (await loose(db).insertInto(table).values(values).returningAll().executeTakeFirstOrThrow()) as SignInRow;
}

/** Those that meet all conditions. */
export async function selectRows(
  db: Queries,
  table: SignInTable,
  conditions: readonly SignInCondition[],
  { limit, offset, orderBy }: SignInPage,
): Promise<readonly SignInRow[]> {
  const rows = await loose(db)
    .selectFrom(table)
    .selectAll()
    .where(all(conditions))
    .$if(orderBy !== undefined, (select) => select.orderBy(sql.ref(orderBy?.column ?? ""), orderBy?.direction))
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as readonly SignInRow[];
}

/** How many meet all conditions. */
export async function countRows(db: Queries, table: SignInTable, conditions: readonly SignInCondition[]): Promise<number> {
  const { rows } = await loose(db)
    .selectFrom(table)
    .select(sql<number>`count(*)`.as("rows"))
    .where(all(conditions))
    .executeTakeFirstOrThrow();
  return Number(rows);
}

/** Changes those that meet all conditions, and answers them. */
export async function updateRows(
  db: Queries,
  table: SignInTable,
  conditions: readonly SignInCondition[],
  changes: SignInRow,
): Promise<readonly SignInRow[]> {
  return (await loose(db).updateTable(table).set(changes).where(all(conditions)).returningAll().execute()) as readonly SignInRow[];
}

/** Deletes those that meet all conditions, and answers how many there were. */
export async function deleteRows(db: Queries, table: SignInTable, conditions: readonly SignInCondition[]): Promise<number> {
  const { numDeletedRows } = await loose(db).deleteFrom(table).where(all(conditions)).executeTakeFirst();
  return Number(numDeletedRows);
}
