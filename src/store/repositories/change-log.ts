// The last changes of accounts, keys and subscriptions, numbered without gaps in the order of their commits. From these a server knows
// which changes it has applied, and catches up with those it missed. A number alone does not identify a change: a standby that takes over
// without the last changes, or a restored backup, uses their numbers again. So each change also has a random id, and names the one before
// it.
import { sql } from "kysely";
import type pg from "pg";
import type { Queries } from "../schema.ts";

/** The channel for notices of changes. The payload is a change's number, its id, the previous id (`-` for none) and the account's id. */
export const CHANGES_CHANNEL = "quintet_changes";

const KEPT = 1000;
const NO_ID = "-";

/** The number and id of a change. The id is empty if nothing was changed yet, or if an older version logged the change. */
export interface ChangePosition {
  readonly number: number;
  readonly id: string;
}

export interface LoggedChange extends ChangePosition {
  /** The id of the change before this one. */
  readonly previousId: string;
  readonly accountId: string;
}

/**
 * Logs a change, and notifies all servers once its transaction is committed. Call it last in the transaction: other changes wait here until
 * this one is committed or rolled back.
 */
export async function logChange(transaction: Queries, accountId: string): Promise<LoggedChange> {
  const { rows } = await sql<{ number: number; change_id: string; previous_id: string }>`
    with next as (
        update change_counter set number = number + 1, previous_id = change_id, change_id = gen_random_uuid()::text
        returning number, change_id, previous_id
      ),
      logged as (
        insert into changes (number, change_id, previous_id, account_id)
        select number, change_id, previous_id, ${accountId}::text from next
      ),
      pruned as (delete from changes where number <= (select number from next) - ${KEPT}::bigint)
    select number, change_id, previous_id, pg_notify(
      ${CHANGES_CHANNEL},
      number || ' ' || change_id || ' ' || coalesce(nullif(previous_id, ''), ${NO_ID}::text) || ' ' || ${accountId}::text
    ) from next
  `.execute(transaction);
  const { number, change_id: id, previous_id: previousId } = rows[0] as (typeof rows)[number];
  return { number, id, previousId, accountId };
}

/** The changes after a number that are still kept, oldest first. */
export async function changesAfter(client: Pick<pg.Client, "query">, number: number): Promise<readonly LoggedChange[]> {
  const { rows } = await client.query<{ number: number; change_id: string; previous_id: string; account_id: string }>(
    `select number, change_id, previous_id, account_id from changes where number > $1 order by number limit ${KEPT}`,
    [number],
  );
  return rows.map((row) => ({
    number: row.number,
    id: row.change_id,
    previousId: row.previous_id,
    accountId: row.account_id,
  }));
}

/** Parses a notice; undefined if it is not one of ours. */
export function parseChange(payload = ""): LoggedChange | undefined {
  const [, number, id = "", previousId, accountId] = /^(\d{1,15}) (\S+) (\S+) (.+)$/.exec(payload) ?? [];
  return accountId === undefined
    ? undefined
    : { number: Number(number), id, previousId: previousId === NO_ID ? "" : (previousId ?? ""), accountId };
}
