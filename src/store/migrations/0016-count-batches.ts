// Counts of calls and refusals as servers write them: each batch is only inserted, so that no two servers wait for the same row. Later a
// server adds them up into the count tables, one bucket of accounts at a time.
import { type Kysely, sql } from "kysely";
import { isPostgres } from "../repositories/dialect.ts";

const BUCKETS = 64;

/** Creates the tables. Older versions still add up their own counts, and report other servers' counts only once they have been added up. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("count_batches")
    .addColumn("bucket", "integer", (column) => column.notNull())
    .addColumn("writer", "text", (column) => column.notNull())
    .addColumn("number", "bigint", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("written_at_ms", "bigint", (column) => column.notNull())
    // The number of counts in the batch, and the counts as a JSON array.
    .addColumn("size", "integer", (column) => column.notNull())
    .addColumn("counts", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("count_batches_key", ["bucket", "writer", "number"])
    .execute();
  // The last batch that each writer has written.
  await db.schema
    .createTable("count_writers")
    .addColumn("writer", "text", (column) => column.primaryKey())
    .addColumn("number", "bigint", (column) => column.notNull())
    .addColumn("written_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("count_writers_by_time").on("count_writers").column("written_at_ms").execute();
  // When each bucket was last added up. A server locks a bucket's row while it does that.
  await db.schema
    .createTable("count_buckets")
    .addColumn("bucket", "integer", (column) => column.primaryKey())
    .addColumn("added_up_at_ms", "bigint", (column) => column.notNull())
    .execute();
  const buckets = Array.from({ length: BUCKETS }, (_, bucket) => sql`(${sql.lit(bucket)}, 0)`);
  await sql`insert into count_buckets (bucket, added_up_at_ms) values ${sql.join(buckets)}`.execute(db);
  if (isPostgres(db)) {
    await vacuumOften(db);
  }
}

// Most rows of these tables are updated many times, in place if their page has room, and rows of batches live for seconds.
async function vacuumOften(db: Kysely<never>): Promise<void> {
  for (const table of ["usage_counts", "usage_hours", "refusal_counts", "refusal_hours", "key_uses", "month_leases"]) {
    await sql`alter table ${sql.table(table)} set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)`.execute(db);
  }
  for (const table of ["count_batches", "count_writers", "count_buckets"]) {
    await sql`
      alter table ${sql.table(table)} set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)
    `.execute(db);
  }
}
