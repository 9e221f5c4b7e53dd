// The last changes of accounts, keys and subscriptions, numbered without gaps in the order of their commits. So a server knows which it has
// applied, and can catch up with those that it missed.
import { sql } from "kysely";
import type pg from "pg";
import type { Queries } from "../schema.ts";

/** The channel for notices of changes. The payload is a change's number, a blank and the account's id. */
export const CHANGES_CHANNEL = "quintet_changes";

const KEPT = 1000;

/** A change. */
export interface LoggedChange {
  readonly number: number;
  readonly accountId: string;
}

/**
 * Logs a change, and notifies all servers once its transaction is committed. Call it last in the transaction: other changes wait here until
 * this one is committed or rolled back.
 */
export async function logChange(transaction: Queries, accountId: string): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    with next as (update change_counter set number = number + 1 returning number),
      logged as (insert into changes (number, account_id) select number, ${accountId}::text from next),
      pruned as (delete from changes where number <= (select number from next) - ${KEPT}::bigint)
    select number, pg_notify(${CHANGES_CHANNEL}, number || ' ' || ${accountId}::text) from next
  `.execute(transaction);
  return (rows[0] as { number: number }).number;
}

/** The changes after a number, oldest first, as far as they are kept. */
export async function changesAfter(client: Pick<pg.Client, "query">, number: number): Promise<readonly LoggedChange[]> {
  const { rows } = await client.query<{ number: number; account_id: string }>(
    `select number, account_id from changes where number > $1 order by number limit ${KEPT}`,
    [number],
  );
  return rows.map((row) => ({ number: row.number, accountId: row.account_id }));
}

/** Reads a notice; undefined when it is not one of ours. */
export function parseChange(payload = ""): LoggedChange | undefined {
  const [, number, accountId] = /^(\d{1,15}) (.+)$/.exec(payload) ?? [];
  return accountId === undefined ? undefined : { number: Number(number), accountId };
}
