// The call log: single calls in the last seven days, a bounded number per second. Each function runs in the given transaction.
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Queries, Tables } from "../schema.ts";
import { read, type Transactions } from "../transactions.ts";
import { CALLS_KEPT_DAYS, type CallCursor, type CallPage, type CallQuery, type LoggedCall } from "../usage-records.ts";
import { type ColumnType, given } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";

const DAY_MS = 86_400_000;
const US_PER_MS = 1000;
// How many calls are searched for one page. If few of them match, the next page continues from there.
const SCANNED_MAX = 20_000;
// How many calls' parameters are deleted in one transaction.
const STRIPPED_MAX = 5000;

export const LOGGED_CALLS: DatedTable = {
  table: "logged_calls",
  key: ["account_id", "started_at_ms", "id"],
  time: "started_at_ms",
};

export const firstCallKept = (nowMs: number): number => nowMs - CALLS_KEPT_DAYS * DAY_MS;

const COLUMNS = {
  account_id: "text",
  started_at_ms: "bigint",
  id: "text",
  service: "text",
  method: "text",
  protocol: "text",
  http_status: "bigint",
  outcome: "text",
  refused: "bigint",
  dry_run: "bigint",
  duration_us: "bigint",
  request_bytes: "bigint",
  response_bytes: "bigint",
  request_id: "text",
  key_id: "text",
  key_last_four: "text",
  left_out: "bigint",
} as const satisfies Partial<Record<keyof Tables["logged_calls"], ColumnType>>;

/**
 * Adds calls to the log, except calls of accounts that do not exist, and calls that were added before. Parameters are kept only for
 * accounts that want them kept. Calls are kept for seven days.
 */
export async function logCalls(db: Queries, calls: readonly LoggedCall[]): Promise<void> {
  const names = Object.keys(COLUMNS).map((name) => sql.ref(name));
  const values = Object.keys(COLUMNS).map((name) => sql.ref(`given.${name}`));
  await sql`
    insert into logged_calls (${sql.join(names)}, parameters)
    select ${sql.join(values)}, (select given.parameters from parameter_logs where account_id = given.account_id)
    from ${given(db, { ...COLUMNS, parameters: "text" }, calls.map(rowOf))}
    where (select deleted_at_ms is null from accounts where id = given.account_id)
    on conflict do nothing
  `.execute(db);
}

/** A page of an account's call log, newest first. It may be empty although there is a next page. */
async function callPage(db: Queries, query: CallQuery): Promise<CallPage> {
  const { accountId, before, limit, requestId, sinceMs, untilMs } = query;
  const conditions = [
    sql`account_id = ${accountId}`,
    ...(requestId === undefined ? [] : [sql`request_id = ${requestId}`]),
    ...(before === undefined ? [] : [sql`(started_at_ms, id) < (${before.startedAtMs}, ${before.id})`]),
    ...(sinceMs === undefined ? [] : [sql`started_at_ms >= ${sinceMs}`]),
    ...(untilMs === undefined ? [] : [sql`started_at_ms < ${untilMs}`]),
  ];
  const newest = sql`order by started_at_ms desc, id desc`;
  const scanned = sql`from logged_calls where ${sql.join(conditions, sql` and `)} ${newest}`;
  const filters = filtersOf(query);
  const { rows } = await sql<Selectable<Tables["logged_calls"]>>`
    select * from (select * ${scanned} limit ${SCANNED_MAX}) as scanned
    where ${sql.join([sql`true`, ...filters], sql` and `)} ${newest} limit ${limit + 1}
  `.execute(db);
  const calls = rows.slice(0, limit).map(toCall);
  if (rows.length > limit) {
    return { calls, next: calls.at(-1) };
  }
  const last = filters.length === 0 ? undefined : await lastScanned(db, scanned);
  return { calls, next: last };
}

// The last call that was searched for a page; undefined if there are no more calls.
async function lastScanned(db: Queries, scanned: RawBuilder<unknown>): Promise<CallCursor | undefined> {
  const { rows } = await sql<CallCursor>`
    select started_at_ms as "startedAtMs", id ${scanned} limit 1 offset ${SCANNED_MAX - 1}
  `.execute(db);
  return rows[0];
}

function filtersOf({ keyId, service, method, outcome, result }: CallQuery): readonly RawBuilder<unknown>[] {
  const results = {
    succeeded: sql`outcome = 'OK'`,
    failed: sql`outcome <> 'OK' and refused = 0`,
    refused: sql`refused = 1`,
  };
  return [
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(service === undefined ? [] : [sql`service = ${service}`]),
    ...(method === undefined ? [] : [sql`method = ${method}`]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    ...(result === undefined ? [] : [results[result]]),
  ];
}

/** Whether the parameters of an account's calls are kept in its log. */
async function keepsParameters(db: Queries, accountId: string): Promise<boolean> {
  const row = await db.selectFrom("parameter_logs").select("account_id").where("account_id", "=", accountId).executeTakeFirst();
  return row !== undefined;
}

/**
 * Sets whether the parameters of an account's calls are kept from now on. Parameters that were kept before stay; `stripParameters` deletes
 * them.
 */
async function setKeepsParameters(db: Queries, accountId: string, keeps: boolean): Promise<void> {
  if (keeps) {
    await db
      .insertInto("parameter_logs")
      .values({ account_id: accountId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  } else {
    await db.deleteFrom("parameter_logs").where("account_id", "=", accountId).execute();
  }
}

/** Deletes the parameters of some of an account's calls. Returns whether there may be more. */
async function stripParameters(db: Queries, accountId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update logged_calls set parameters = null where account_id = ${accountId} and (started_at_ms, id) in (
      select started_at_ms, id from logged_calls where account_id = ${accountId} and parameters is not null limit ${STRIPPED_MAX}
    )
  `.execute(db);
  return Number(numAffectedRows) === STRIPPED_MAX;
}

/** Deletes whether the parameters of the given accounts' calls are kept. */
export async function forgetParameterLogs(db: Queries, accountIds: readonly string[]): Promise<void> {
  await db.deleteFrom("parameter_logs").where("account_id", "in", accountIds).execute();
}

const rowOf = (call: LoggedCall) => ({
  account_id: call.accountId,
  started_at_ms: call.startedAtMs,
  id: call.id,
  service: call.service,
  method: call.method,
  protocol: call.protocol,
  http_status: call.httpStatus,
  outcome: call.outcome,
  refused: call.isRefused ? 1 : 0,
  dry_run: call.isDryRun ? 1 : 0,
  duration_us: Math.round(call.durationMs * US_PER_MS),
  request_bytes: call.requestBytes,
  response_bytes: call.responseBytes,
  request_id: call.requestId,
  key_id: call.keyId,
  key_last_four: call.keyLastFour,
  left_out: call.leftOut,
  parameters: call.parameters ?? null,
});

const toCall = (row: Selectable<Tables["logged_calls"]>): LoggedCall => ({
  accountId: row.account_id,
  id: row.id,
  startedAtMs: row.started_at_ms,
  service: row.service as LoggedCall["service"],
  method: row.method,
  protocol: row.protocol as LoggedCall["protocol"],
  httpStatus: row.http_status,
  outcome: row.outcome,
  isRefused: row.refused === 1,
  isDryRun: row.dry_run === 1,
  durationMs: row.duration_us / US_PER_MS,
  requestBytes: row.request_bytes,
  responseBytes: row.response_bytes,
  requestId: row.request_id,
  keyId: row.key_id,
  keyLastFour: row.key_last_four,
  leftOut: row.left_out,
  parameters: row.parameters ?? undefined,
});

/** The store's methods for the call log. */
export const callLogMethods = {
  callPage: read(callPage),
  keepsParameters: read(keepsParameters),
  /** Sets whether the parameters are kept. If this is switched off, the parameters that were kept are deleted before this resolves. */
  setKeepsParameters: (transactions: Transactions) => async (accountId: string, keeps: boolean) => {
    await transactions.writeAudited(
      (db) => setKeepsParameters(db, accountId, keeps),
      () => ({ action: keeps ? "account.keep_parameters" : "account.drop_parameters", accountId }),
    );
    if (!keeps) {
      while (await transactions.write((db) => stripParameters(db, accountId))) {
        // Each batch is a transaction of its own, so that other writes do not have to wait for the whole log.
      }
    }
  },
};
