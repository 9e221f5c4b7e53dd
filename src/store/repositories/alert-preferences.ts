// Which alerts the owners of accounts do not want by e-mail. Each function runs in the given transaction.
import { ALERT_TYPES, type AlertPreferences } from "../alert-records.ts";
import type { Queries } from "../schema.ts";
import { lockAccount } from "./accounts.ts";

/** The types of alerts that are not mailed. Without a row, all types are mailed. Types that only another version knows are left out. */
export async function alertPreferences(db: Queries, accountId: string): Promise<AlertPreferences> {
  const row = await db.selectFrom("alert_preferences").select("muted").where("account_id", "=", accountId).executeTakeFirst();
  const muted = JSON.parse(row?.muted ?? "[]") as readonly string[];
  return { muted: ALERT_TYPES.filter((type) => muted.includes(type)) };
}

export async function setAlertPreferences(db: Queries, accountId: string, { muted }: AlertPreferences): Promise<AlertPreferences> {
  await lockAccount(db, accountId);
  const row = { muted: JSON.stringify(muted) };
  await db
    .insertInto("alert_preferences")
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.column("account_id").doUpdateSet(row))
    .execute();
  return { muted };
}
