// Adds up the batches of counts that servers have written: into the usage history, the refusals, and the times when keys were last used.
// One server at a time adds up a bucket of accounts, in short transactions. Each function runs in the given transaction.
import { type RawBuilder, sql } from "kysely";
import type { Queries } from "../schema.ts";
import type { RefusalCount, UsageCount } from "../usage-records.ts";
import { addAlertChecks } from "./alert-checks.ts";
import { takeBatches, type WrittenCounts } from "./count-batches.ts";
import { given, isPostgres } from "./dialect.ts";
import { type KeyUse, recordKeyUses } from "./keys.ts";
import { addRefusals, addUsage } from "./usage.ts";

// How many counts are added up in one transaction. On the embedded database, leases wait for that transaction. On PostgreSQL, it is about
// what four servers count in two minutes if ten thousand customers call occasionally, so each customer's rows are written once in that
// time.
const COUNTS_MAX = { embedded: 1000, postgresql: 3000 };
// A bucket waits this long, so that most keys have several calls to add up.
const WAIT_MS = 30_000;
// If this many keys have called in one of the 64 buckets, the bucket waits longer: there are then more than a thousand callers in all, who
// call only occasionally, and after a longer wait each written row stands for several calls.
const MANY_CALLERS = 20;
const WAIT_MS_MAX = 120_000;
// A server whose clock is further ahead than this must not keep other servers from adding up counts.
const CLOCK_SKEW_MAX_MS = 60_000;
const EXTRA_WAIT_MS = WAIT_MS_MAX - WAIT_MS;

/**
 * Adds up some counts of one bucket, after waiting for any other server that is doing so. Returns whether the bucket may have more counts.
 */
export async function addUpBucket(db: Queries, bucket: number, nowMs: number): Promise<boolean> {
  await sql`select bucket from count_buckets where bucket = ${bucket} ${lockOf(db)}`.execute(db);
  return addUpLocked(db, bucket, nowMs);
}

// The buckets with counts that have waited long enough.
const dueBuckets = (nowMs: number): RawBuilder<unknown> => sql`
  select bucket from count_buckets
  where (added_up_at_ms <= ${nowMs - WAIT_MS} or added_up_at_ms > ${nowMs + EXTRA_WAIT_MS + CLOCK_SKEW_MAX_MS})
    and exists (select 1 from count_batches where count_batches.bucket = count_buckets.bucket)
`;

/** Whether `addUpNext` would find a bucket, unless other servers are adding up all due buckets. */
export async function isAnyBucketDue(db: Queries, nowMs: number): Promise<boolean> {
  return (await sql`${dueBuckets(nowMs)} limit 1`.execute(db)).rows.length > 0;
}

/**
 * Adds up some counts of the bucket that has waited longest, if it has waited long enough. Returns whether other buckets may be due too.
 */
export async function addUpNext(db: Queries, nowMs: number): Promise<boolean> {
  const { rows } = await sql<{ bucket: number }>`
    ${dueBuckets(nowMs)} order by added_up_at_ms limit 1 ${lockOf(db, sql`skip locked`)}
  `.execute(db);
  const [next] = rows;
  if (next === undefined) {
    return false;
  }
  await addUpLocked(db, next.bucket, nowMs);
  return true;
}

/** The buckets with counts that have not been added up. */
export async function waitingBuckets(db: Queries): Promise<readonly number[]> {
  const { rows } = await sql<{ bucket: number }>`
    select bucket from count_buckets
    where exists (select 1 from count_batches where count_batches.bucket = count_buckets.bucket)
  `.execute(db);
  return rows.map(({ bucket }) => bucket);
}

/** Whether a bucket has counts that have not been added up. */
export async function hasWaitingCounts(db: Queries, bucket: number): Promise<boolean> {
  return (await db.selectFrom("count_batches").select("bucket").where("bucket", "=", bucket).limit(1).execute()).length > 0;
}

// SQLite runs one writing transaction at a time.
const lockOf = (db: Queries, how = sql``) => (isPostgres(db) ? sql`for update of count_buckets ${how}` : sql``);

async function addUpLocked(db: Queries, bucket: number, nowMs: number): Promise<boolean> {
  const countsMax = isPostgres(db) ? COUNTS_MAX.postgresql : COUNTS_MAX.embedded;
  const taken = await takeBatches(db, bucket, countsMax);
  const size = taken.reduce((sum, { counts }) => sum + counts.length, 0);
  const deleted = await deletedAmong(db, taken);
  const kept = taken.map((batch) => withoutAccounts(batch, deleted));
  await addUsage(
    db,
    kept.flatMap(({ kind, counts }) => (kind === "usage" ? counts : [])),
  );
  await addRefusals(
    db,
    kept.flatMap(({ kind, counts }) => (kind === "refusals" ? counts : [])),
  );
  await recordKeyUses(db, usesOf(kept));
  await addAlertChecks(db, kept, nowMs);
  const hasMore = size >= countsMax;
  if (!hasMore) {
    const keys = new Set(taken.flatMap(({ counts }) => counts.map(({ keyId }) => keyId)));
    // A time in the future, so that the bucket is due later than others.
    const addedUpAtMs = nowMs + (keys.size >= MANY_CALLERS ? EXTRA_WAIT_MS : 0);
    await db.updateTable("count_buckets").set({ added_up_at_ms: addedUpAtMs }).where("bucket", "=", bucket).execute();
  }
  return hasMore;
}

// The accounts that were deleted before their counts were added up.
async function deletedAmong(db: Queries, batches: readonly WrittenCounts[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(batches.flatMap(({ counts }) => counts.map(({ accountId }) => accountId)))];
  if (ids.length === 0) {
    return new Set();
  }
  const rows = await db
    .selectFrom("accounts")
    .select("id")
    .where(
      "id",
      "in",
      sql<string>`(select id from ${given(
        db,
        { id: "text" },
        ids.map((id) => ({ id })),
      )})`,
    )
    .where("deleted_at_ms", "is not", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

function withoutAccounts(batch: WrittenCounts, deleted: ReadonlySet<string>): WrittenCounts {
  const isKept = ({ accountId }: UsageCount | RefusalCount): boolean => !deleted.has(accountId);
  return batch.kind === "usage"
    ? { ...batch, counts: batch.counts.filter(isKept) }
    : { ...batch, counts: batch.counts.filter(isKept) };
}

// A refused call does not count as a use of its key.
function usesOf(batches: readonly WrittenCounts[]): readonly KeyUse[] {
  const uses = new Map<string, KeyUse>();
  for (const { kind, counts, writtenAtMs } of batches) {
    for (const { keyId, accountId } of kind === "usage" ? counts : []) {
      const usedAtMs = Math.max(writtenAtMs, uses.get(keyId)?.usedAtMs ?? 0);
      uses.set(keyId, { keyId, accountId, usedAtMs });
    }
  }
  return [...uses.values()];
}
