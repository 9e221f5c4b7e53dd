// Limits the keys of an account: how many may be valid, and how many revoked and expired ones are kept. Keys with a lifetime of an hour at
// most, such as the console's, are counted separately, so that they neither use up the limit nor push other keys off the list. Each
// function runs in the given transaction.
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from "kysely";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";

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
