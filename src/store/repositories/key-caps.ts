// The limits of single keys: how many keys an account may have, and the calls of a month that a key may make. Each function runs in the
// given transaction.
import { type ExpressionBuilder, type ExpressionWrapper, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Month } from "../../runtime/calendar.ts";
import type { KeyCap, LeasedCapCalls, QuotaRaise } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { given, joinToGiven } from "./dialect.ts";
import { raisedCalls } from "./quota-raises.ts";

const PREFIX = "key:";

/** The value of the column `service` in the row of a cap. */
export const serviceOfCap = ({ capId }: KeyCap): string => `${PREFIX}${capId}`;

/** Whether a row belongs to a subscription and not to a cap. */
export const isOfSubscription: RawBuilder<boolean> = sql.raw(`service not like '${PREFIX}%'`);

/** How much of each cap is leased, in any order. Caps without leased calls are left out. */
export async function leasedCapCalls(db: Queries, caps: readonly KeyCap[], month: Month): Promise<readonly LeasedCapCalls[]> {
  const rows = caps.map((cap) => ({ account_id: cap.accountId, service: serviceOfCap(cap) }));
  if (rows.length === 0) {
    return [];
  }
  const found = await sql<{ service: string; leased: number }>`
    select m.service, m.leased from ${given(db, { account_id: "text", service: "text" }, rows)}
    ${joinToGiven(db)} month_leases as m on m.account_id = given.account_id and m.service = given.service and m.month = ${month}
  `.execute(db);
  return found.rows.map(({ service, leased }) => ({ capId: service.slice(PREFIX.length), month, leased, credited: 0 }));
}

/** Deletes the counts of all caps of some accounts. */
export async function deleteCaps(db: Queries, accountIds: readonly string[]): Promise<void> {
  await db
    .deleteFrom("month_leases")
    .where("account_id", "in", accountIds)
    .where(sql<boolean>`not (${isOfSubscription})`)
    .execute();
}

/**
 * Counts calls as used for the caps of all keys that are not revoked, each up to the cap. `requestsPerSecond`: the highest rate at which
 * a key without a rate limit of its own could have called. Returns how many caps there are.
 */
export async function raiseCaps(db: Queries, { month, seconds, percent }: QuotaRaise, requestsPerSecond: number): Promise<number> {
  const caps = sql`
    select account_id, ${PREFIX} || coalesce(cap_id, id) as service, max(calls_per_month) as calls,
      max(coalesce(requests_per_second, ${sql.raw(String(requestsPerSecond))})) as rate
    from api_keys where calls_per_month is not null and revoked_at_ms is null group by account_id, coalesce(cap_id, id)
  `;
  await sql`
    insert into month_leases (account_id, service, month, leased)
    select account_id, service, ${month}, 0 from (${caps}) as cap where true
    on conflict (account_id, service, month) do nothing
  `.execute(db);
  const lost = raisedCalls(sql`cap.rate`, sql`cap.calls`, { seconds, percent });
  const left = sql`(cap.calls - month_leases.leased)`;
  const charged = sql`(case when ${left} <= 0 then 0 when ${left} < ${lost} then ${left} else ${lost} end)`;
  const { numAffectedRows = 0n } = await sql`
    update month_leases set leased = month_leases.leased + ${charged}, raised = month_leases.raised + ${charged}
    from (${caps}) as cap
    where month_leases.account_id = cap.account_id and month_leases.service = cap.service and month_leases.month = ${month}
  `.execute(db);
  return Number(numAffectedRows);
}

// The longest lifetime of a short-lived key.
const SHORT_LIFETIME_MS = 3_600_000;

interface KeyBounds {
  /** The maximum number of keys that are neither revoked nor expired. */
  readonly aliveMax: number;
  /** How many revoked and expired keys are kept. */
  readonly endedMax: number;
  /** What the limit counts, for the message to a customer who has too many. */
  readonly what: string;
  readonly advice: string;
}

const LONG_LIVED: KeyBounds = {
  aliveMax: 100,
  endedMax: 900,
  what: "keys that are neither revoked nor expired",
  advice: "Revoke one that you no longer need",
};
const SHORT_LIVED: KeyBounds = {
  aliveMax: 100,
  endedMax: 20,
  what: "keys with a lifetime of at most an hour that are neither revoked nor expired",
  advice: "Wait until one has expired, or revoke one",
};

/** The most keys that an account can have, including revoked and expired ones. */
export const ACCOUNT_KEYS_MAX = [LONG_LIVED, SHORT_LIVED].reduce((sum, { aliveMax, endedMax }) => sum + aliveMax + endedMax, 0);

type Row = ExpressionBuilder<Tables, "api_keys">;
type Condition = ExpressionWrapper<Tables, "api_keys", SqlBool>;

/** A key that is about to be created. */
export interface KeyToCreate {
  readonly accountId: string;
  /** The time from now until it expires; null if it does not expire. */
  readonly lifetimeMs: number | null;
}

const isShortLived = ({ lifetimeMs }: KeyToCreate): boolean => lifetimeMs !== null && lifetimeMs <= SHORT_LIFETIME_MS;

/** StoreConflict if the account has no room for another key of this kind. */
export async function requireRoom(db: Queries, key: KeyToCreate, nowMs: number): Promise<void> {
  const isShort = isShortLived(key);
  const { aliveMax, what, advice } = isShort ? SHORT_LIVED : LONG_LIVED;
  const { alive } = await db
    .selectFrom("api_keys")
    .select((row) => row.fn.countAll<number>().as("alive"))
    .where("account_id", "=", key.accountId)
    .where((row) => ofKind(row, isShort))
    .where((row) => isAlive(row, nowMs))
    .executeTakeFirstOrThrow();
  if (alive >= aliveMax) {
    throw new StoreConflict(`The account has ${alive} ${what}; the maximum is ${aliveMax}. ${advice}.`);
  }
}

/** If there are too many revoked and expired keys of this kind, deletes the ones that ended first. */
export async function deleteOldestEnded(db: Queries, key: KeyToCreate, nowMs: number): Promise<void> {
  const isShort = isShortLived(key);
  const kept = db
    .selectFrom("api_keys")
    .select("id")
    .where("account_id", "=", key.accountId)
    .where((row) => ofKind(row, isShort))
    .where((row) => row.not(isAlive(row, nowMs)))
    .orderBy((row) => row.fn.coalesce("revoked_at_ms", "expires_at_ms"), "desc")
    .orderBy("id")
    .limit((isShort ? SHORT_LIVED : LONG_LIVED).endedMax);
  await db
    .deleteFrom("api_keys")
    .where("account_id", "=", key.accountId)
    .where((row) => ofKind(row, isShort))
    .where((row) => row.not(isAlive(row, nowMs)))
    .where("id", "not in", kept)
    .execute();
}

const ofKind = (row: Row, isShort: boolean): Condition =>
  isShort
    ? row("lifetime_ms", "<=", SHORT_LIFETIME_MS)
    : row.or([row("lifetime_ms", "is", null), row("lifetime_ms", ">", SHORT_LIFETIME_MS)]);

const isAlive = (row: Row, nowMs: number): Condition =>
  row.and([row("revoked_at_ms", "is", null), row.or([row("expires_at_ms", "is", null), row("expires_at_ms", ">", nowMs)])]);
