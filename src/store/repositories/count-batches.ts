// Batches of counts as servers write them. A batch is split by account into buckets, and only inserted, so no writer waits for another.
// Each writer numbers its batches, and the last number is stored, so that a batch that is tried again is not added twice. Each function
// runs in the given transaction.
import { type RawBuilder, sql } from "kysely";
import type { Queries } from "../schema.ts";
import type { BatchId, RefusalCount, UsageCount } from "../usage-records.ts";
import { given, isPostgres } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";

/** A batch's counts. */
export type Counts =
  | { readonly kind: "usage"; readonly counts: readonly UsageCount[] }
  | { readonly kind: "refusals"; readonly counts: readonly RefusalCount[] };

/** The table of writers, for deleting those that have written nothing for a long time. */
export const WRITERS: DatedTable = { table: "count_writers", key: ["writer"], time: "written_at_ms" };

// Long enough: a server that tries a batch again does so every few seconds.
const WRITERS_KEPT_MS = 7 * 86_400_000;

export const firstWriterKept = (nowMs: number): number => nowMs - WRITERS_KEPT_MS;

/** Writes a batch, unless it has been written before. One statement on PostgreSQL, because the database may be remote. */
export async function writeBatch(db: Queries, { kind, counts }: Counts, { writer, number }: BatchId, nowMs: number): Promise<void> {
  if (counts.length === 0) {
    return;
  }
  const buckets = Map.groupBy<number, UsageCount | RefusalCount>(counts, ({ accountId }) => bucketOf(accountId));
  const rows = [...buckets].map(([bucket, bucketCounts]) => ({
    bucket,
    size: bucketCounts.length,
    counts: JSON.stringify(bucketCounts.map(valuesOf)),
  }));
  // Returns a row if the batch is new.
  const numbered = db
    .insertInto("count_writers")
    .values({ writer, number, written_at_ms: nowMs })
    .onConflict((conflict) =>
      conflict.column("writer").doUpdateSet({ number, written_at_ms: nowMs }).where("count_writers.number", "<", number),
    )
    .returning("number");
  const inserted = (condition: RawBuilder<unknown>) => sql`
    insert into count_batches (bucket, writer, number, kind, written_at_ms, size, counts)
    select bucket, ${writer}, ${number}, ${kind}, ${nowMs}, size, counts
    from ${given(db, { bucket: "bigint", size: "bigint", counts: "text" }, rows)} ${condition}
  `;
  if (isPostgres(db)) {
    await sql`with numbered as (${numbered}) ${inserted(sql`where exists (select from numbered)`)}`.execute(db);
  } else if ((await numbered.execute()).length > 0) {
    await inserted(sql``).execute(db);
  }
}

/** The counts of some batches, and when each was written. */
export type WrittenCounts = Counts & { readonly writtenAtMs: number };

/** Removes the first batches of a bucket, and returns them: about `countsMax` counts, and at least one batch. */
export async function takeBatches(db: Queries, bucket: number, countsMax: number): Promise<readonly WrittenCounts[]> {
  const { rows } = await sql<{ kind: string; written_at_ms: number; counts: string }>`
    delete from count_batches where bucket = ${bucket} and (writer, number) in (
      select writer, number from (
        select writer, number, sum(size) over (order by writer, number) - size as before
        from (
          select writer, number, size from count_batches where bucket = ${bucket}
          order by writer, number limit ${sql.lit(countsMax)}
        ) as first
      ) as first where before < ${sql.lit(countsMax)}
    ) returning kind, written_at_ms, counts
  `.execute(db);
  return rows.map(({ kind, written_at_ms: writtenAtMs, counts }) => {
    const values = JSON.parse(counts) as readonly (readonly (string | number)[])[];
    return kind === "usage"
      ? { kind, counts: values.map(usageOf), writtenAtMs }
      : { kind: "refusals", counts: values.map(refusalOf), writtenAtMs };
  });
}

// The names of the fields are left out: they would make up half of the length. A newer version may add values at the end.
function valuesOf(count: UsageCount | RefusalCount): readonly (string | number)[] {
  const { accountId, keyId, service, day, hour, calls } = count;
  const more = "reason" in count ? [count.reason, count.rateNeeded] : [count.method, count.outcome];
  return [accountId, keyId, service, day, hour, calls, ...more];
}

function usageOf([accountId, keyId, service, day, hour, calls, method, outcome]: readonly (string | number)[]): UsageCount {
  return { accountId, keyId, service, day, hour, calls, method, outcome } as UsageCount;
}

function refusalOf([accountId, keyId, service, day, hour, calls, reason, rateNeeded]: readonly (string | number)[]): RefusalCount {
  return { accountId, keyId, service, day, hour, calls, reason, rateNeeded } as RefusalCount;
}

const BUCKETS = 64;
const FNV_BASIS = 2_166_136_261;
const FNV_PRIME = 16_777_619;

/**
 * The bucket of an account's counts, from 0 to 63. All servers and versions must agree on it, because two of them must never add up the
 * counts of the same account at the same time. FNV-1a, over UTF-16 units. http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function bucketOf(accountId: string): number {
  let hash = FNV_BASIS;
  for (let index = 0; index < accountId.length; index++) {
    hash = Math.imul(hash ^ accountId.charCodeAt(index), FNV_PRIME);
  }
  return (hash >>> 0) % BUCKETS;
}
