// The last changes to accounts, keys and subscriptions, in batches that are numbered without gaps. The numbers tell a server which changes
// it has missed, and it reads them here. A number alone does not identify a batch: a standby that takes over without the last batches, or a
// restored backup, uses their numbers again. So each batch also has a random id, and names the one before it.
//
// A change is first recorded as pending, in its own transaction. After the commit, the process that made it announces it: all changes that
// are pending by then become one batch with one notice. Each notice wakes every server, so there is a pause between batches, which grows
// with the number of servers.
import { type RawBuilder, sql } from "kysely";
import type { Queries } from "../schema.ts";

/**
 * The channel for notices of batches. The payload is a batch's number, its id, the previous id (`-` for none) and the accounts' ids; `*` in
 * place of the accounts' ids if they are too long for a notice.
 */
export const CHANGES_CHANNEL = "quintet_changes";

/** Roughly how many servers may be woken per second, by all notices together, and the longest pause between two batches. */
const WAKES_PER_SECOND = 3000;
const PAUSE_MAX_MS = 250;

const BATCHES_KEPT = 1000;
const NO_ID = "-";
const UNLISTED = "*";
// PostgreSQL limits a notice to 8000 bytes.
const LISTED_BYTES_MAX = 7000;

/** The database's clock, in Unix milliseconds. */
export const NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** Runs a statement and returns its rows. A connection that stays open may prepare the statement once, by its name. */
export type RunStatement = <Row>(statement: Statement) => Promise<readonly Row[]>;

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The number and id of a batch. The id is empty if nothing has been changed yet. */
export interface ChangePosition {
  readonly number: number;
  readonly id: string;
}

export interface ChangeBatch extends ChangePosition {
  /** The id of the batch before this one. */
  readonly previousId: string;
  /** The accounts that were changed, each once. */
  readonly accountIds: readonly string[];
}

/** Records a change inside its transaction, and returns its id among the pending changes. Once it is committed, it must be announced. */
export async function addPendingChange(transaction: Queries, accountId: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into pending_changes (account_id) values (${accountId}) returning id
  `.execute(transaction);
  return (rows[0] as { id: number }).id;
}

/** The result of an attempt to announce changes. */
export interface Announcement {
  /** The number of the last batch. */
  readonly number: number;
  /** Whether some of the changes are still pending, because another batch was announced a moment ago or is being announced. */
  readonly isPending: boolean;
  /** How much longer the pause after the last batch lasts, in milliseconds; zero or less if it is over. */
  readonly pauseMs: number;
}

const PAUSE_MS = `least(alive_nodes * 1000 / ${WAKES_PER_SECOND}, ${PAUSE_MAX_MS})`;

// One statement, so that a process that stops in the middle keeps no lock. It need not reach the disk: after a crash the changes are
// pending again, and servers notice that the batch is missing.
const ANNOUNCE = `
  with turn as materialized (
    select from change_counter
    where announced_at_ms + ${PAUSE_MS} <= ${NOW_MS} and exists (select from pending_changes)
    for update skip locked
  ),
  taken as (delete from pending_changes where exists (select from turn) returning account_id),
  batch as (
    update change_counter
    set number = number + 1, previous_id = change_id, change_id = gen_random_uuid()::text, announced_at_ms = ${NOW_MS}
    where exists (select from taken)
    returning number, change_id, previous_id, (select array_agg(distinct account_id) from taken) as account_ids
  ),
  logged as (
    insert into changes (number, change_id, previous_id, account_ids)
    select number, change_id, previous_id, account_ids from batch
  ),
  pruned as (delete from changes where number <= (select number from batch) - ${BATCHES_KEPT}),
  notice as materialized (
    select pg_notify('${CHANGES_CHANNEL}', number || ' ' || change_id || ' ' || coalesce(nullif(previous_id, ''), '${NO_ID}') || ' ' ||
      case when octet_length(array_to_string(account_ids, ' ')) <= ${LISTED_BYTES_MAX}
        then array_to_string(account_ids, ' ') else '${UNLISTED}' end)
    from batch
  )
  select coalesce((select number from batch), number) as number,
    not exists (select from taken) and exists (select from pending_changes where id = any($1::bigint[])) as is_pending,
    (announced_at_ms + ${PAUSE_MS} - ${NOW_MS}) as pause_ms,
    set_config('synchronous_commit', 'off', true),
    (select count(*) from notice)
  from change_counter
`;

/** Announces all pending changes, if the pause after the last batch is over. `ids`: the changes that the caller waits for. */
export async function announceChanges(run: RunStatement, ids: readonly number[]): Promise<Announcement> {
  const [row] = await run<{ number: number; is_pending: boolean; pause_ms: number }>({
    name: "announce",
    text: ANNOUNCE,
    values: [ids],
  });
  const { number, is_pending: isPending, pause_ms: pauseMs } = row as NonNullable<typeof row>;
  return { number, isPending, pauseMs };
}

/** The batches after a number that are still kept, oldest first. */
export async function changesAfter(run: RunStatement, number: number): Promise<readonly ChangeBatch[]> {
  const rows = await run<{ number: number; change_id: string; previous_id: string; account_ids: string[] }>({
    name: "changes",
    text: `select number, change_id, previous_id, account_ids from changes where number > $1 order by number limit ${BATCHES_KEPT}`,
    values: [number],
  });
  return rows.map((row) => ({
    number: row.number,
    id: row.change_id,
    previousId: row.previous_id,
    accountIds: row.account_ids,
  }));
}

/** Parses a notice. `unlisted`: a batch whose accounts must be read from the log. Undefined if it is not a notice of ours. */
export function parseNotice(payload = ""): ChangeBatch | "unlisted" | undefined {
  const [, number, id = "", previousId, accounts] = /^(\d{1,15}) (\S+) (\S+) (.+)$/.exec(payload) ?? [];
  if (accounts === undefined || accounts === UNLISTED) {
    return accounts === undefined ? undefined : "unlisted";
  }
  return {
    number: Number(number),
    id,
    previousId: previousId === NO_ID ? "" : (previousId ?? ""),
    accountIds: accounts.split(" "),
  };
}

/**
 * Incremented with each change to the tables `nodes`, `changes`, `pending_changes` and `change_counter`, or to the notices. Also
 * incremented when there is a new way to refuse calls: a server that does not know it would confirm a change of that kind and still admit
 * the calls. Versions before 2 announced no number.
 */
export const PROTOCOL = 5;

const PROGRAM = "quintet";

/** The name under which PostgreSQL lists our connections. */
export const APPLICATION_NAME = `${PROGRAM}/${PROTOCOL}`;

/**
 * The processes that are connected to the database or may be serving, and use another protocol version: the addresses of their connections,
 * and the ids of servers. The ids come from a table that has protocol versions only if `isMigrated`.
 */
export async function incompatiblePeers(db: Queries, isMigrated: boolean): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`${peersQuery(isMigrated)} order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * The applied migrations' names in order, and the processes that use another protocol version, in one round trip. Only for migrated
 * databases.
 */
export async function migrationsAndPeers(
  db: Queries,
): Promise<{ readonly migrations: readonly string[]; readonly peers: readonly string[] }> {
  const { rows } = await sql<{ migrations: readonly string[] | null; peers: readonly string[] | null }>`
    select (select json_agg(name order by name) from quintet_migrations) as migrations,
      (select json_agg(name order by name) from (${peersQuery(true)}) as peer) as peers
  `.execute(db);
  return { migrations: rows[0]?.migrations ?? [], peers: rows[0]?.peers ?? [] };
}

function peersQuery(isMigrated: boolean): RawBuilder<unknown> {
  const serving = isMigrated
    ? sql`union select id from nodes where protocol <> ${PROTOCOL} and expires_at_ms > extract(epoch from clock_timestamp()) * 1000`
    : sql``;
  return sql`
    select coalesce(host(client_addr), 'a local socket') as name from pg_stat_activity
    where datname = current_database() and application_name <> ${APPLICATION_NAME}
      and (application_name = ${PROGRAM} or application_name like ${`${PROGRAM}/%`})
    ${serving}`;
}
