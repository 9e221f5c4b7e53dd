// Creates alerts together with their deliveries. An alert is created once, however many servers notice the reason for it: its id is a hash
// of its account, type, subject, period and level. Runs in the given transaction.
import { sql } from "kysely";
import type { NewAlert } from "../alert-records.ts";
import type { Queries } from "../schema.ts";
import { addMails } from "./alert-deliveries.ts";
import { idOf } from "./alerts.ts";
import { given, joinToGiven } from "./dialect.ts";
import { addWebhooks } from "./webhook-deliveries.ts";

/** Creates the alerts that do not exist yet, and their deliveries. `mails`: whether this server sends mail. */
export async function addAlerts(
  db: Queries,
  alerts: readonly NewAlert[],
  { mails }: { mails: boolean },
  nowMs: number,
): Promise<void> {
  if (alerts.length === 0) {
    return;
  }
  const rows = alerts
    .map(({ accountId, type, subject, period, level, details, isMailed }) => ({
      id: idOf(accountId, type, subject, period, level),
      account_id: accountId,
      type,
      subject,
      period,
      level,
      details: JSON.stringify(details),
      is_mailed: isMailed,
    }))
    // In the same order everywhere, so that transactions that create the same alerts cannot deadlock.
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const types = {
    id: "text",
    account_id: "text",
    type: "text",
    subject: "text",
    period: "text",
    level: "bigint",
    details: "text",
  } as const;
  // An account that has been deleted in the meantime gets no alerts.
  const { rows: created } = await sql<{ id: string }>`
    insert into alerts (id, account_id, type, subject, period, level, created_at_ms, details)
    select given.id, account_id, type, subject, period, level, ${nowMs}, details from ${given(
      db,
      types,
      rows.map(({ is_mailed: _, ...row }) => row),
    )}
    ${joinToGiven(db)} accounts on accounts.id = given.account_id and accounts.deleted_at_ms is null
    order by given.id
    on conflict do nothing
    returning id
  `.execute(db);
  const createdIds = new Set(created.map(({ id }) => id));
  await addWebhooks(
    db,
    rows.filter(({ id }) => createdIds.has(id)),
    nowMs,
  );
  if (mails) {
    await addMails(
      db,
      rows.filter(({ id, is_mailed }) => is_mailed && createdIds.has(id)),
      nowMs,
    );
  }
}
