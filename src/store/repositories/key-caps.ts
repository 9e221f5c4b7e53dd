// The caps of keys in `month_leases`, next to the monthly quotas of subscriptions. Each function runs in the given transaction.
import { type RawBuilder, sql } from "kysely";
import type { Month } from "../../runtime/calendar.ts";
import type { KeyCap, LeasedCapCalls, QuotaRaise } from "../records.ts";
import type { Queries } from "../schema.ts";
import { given, joinToGiven } from "./dialect.ts";
import { raisedCalls } from "./quota-raises.ts";

const PREFIX = "key:";

/** The value of the column `service` in the row of a cap. */
export const serviceOfCap = ({ capId }: KeyCap): string => `${PREFIX}${capId}`;

/** Whether a row belongs to a subscription and not to a cap. */
export const isOfSubscription: RawBuilder<boolean> = sql.raw(`service not like '${PREFIX}%'`);

/** How much of each cap is leased, in any order. Caps without leased calls are left out. */
export async function leasedCapCalls(db: Queries, caps: readonly KeyCap[], month: Month): Promise<LeasedCapCalls[]> {
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
 * Counts calls as used for every cap of a key that is not revoked, up to the cap. `requestsPerSecond`: the highest rate at which a key
 * without a rate limit of its own could have called. Returns how many caps there are.
 */
export async function raiseCaps(
  db: Queries,
  { month, seconds, percent }: Pick<QuotaRaise, "month" | "seconds" | "percent">,
  requestsPerSecond: number,
): Promise<number> {
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
