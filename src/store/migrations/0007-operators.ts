// Whether an account's owner is an operator.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable("accounts")
    .addColumn("operator", "integer", (column) => column.notNull().defaultTo(0).check(sql`operator in (0, 1)`))
    .execute();
}
