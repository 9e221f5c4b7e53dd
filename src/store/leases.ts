// The months' leases: how many calls of a month are taken, for account and service. The sum of what is granted never passes the
// plan, however many processes ask at once. Each function runs in the transaction that it is handed, which must be a writing one.
import { sql } from "kysely";
import type { Queries } from "./schema.ts";
import { type LeaseGrant, type Month, type MonthStanding, StoreConflict } from "./store.ts";

/** Takes up to `want` calls. StoreConflict when there is no such subscription. */
export async function lease(
  db: Queries,
  subscriptionId: string,
  month: Month,
  callsPerMonth: number,
  want: number,
): Promise<LeaseGrant> {
  const owner = await ownerOf(db, subscriptionId);
  // Makes the row, or touches it without changing it: where rows can be locked it is locked from here until the end.
  const { leased } = await db
    .insertInto("month_leases")
    .values({ ...owner, month, leased: 0 })
    .onConflict((conflict) =>
      conflict.columns(["account_id", "service", "month"]).doUpdateSet({ leased: sql.ref("month_leases.leased") }),
    )
    .returning("leased")
    .executeTakeFirstOrThrow();
  // A plan that was made smaller may be overdrawn.
  const left = Math.max(0, callsPerMonth - leased);
  const granted = Math.min(want, left);
  if (granted > 0) {
    await db
      .updateTable("month_leases")
      .set((row) => ({ leased: row("leased", "+", granted) }))
      .where("account_id", "=", owner.account_id)
      .where("service", "=", owner.service)
      .where("month", "=", month)
      .execute();
  }
  return { granted, unleased: left - granted };
}

/** Gives calls back; what is taken never goes below zero. StoreConflict when there is no such subscription. */
export async function giveBack(db: Queries, subscriptionId: string, month: Month, calls: number): Promise<void> {
  const owner = await ownerOf(db, subscriptionId);
  await db
    .updateTable("month_leases")
    .set((row) => ({
      leased: row
        .case()
        .when("leased", ">", calls)
        .then(row("leased", "-", calls))
        .else(0)
        .end(),
    }))
    .where("account_id", "=", owner.account_id)
    .where("service", "=", owner.service)
    .where("month", "=", month)
    .execute();
}

/** One standing for each id that is a subscription's, in the order of the ids. */
export async function monthStanding(db: Queries, subscriptionIds: readonly string[], month: Month): Promise<MonthStanding[]> {
  // PostgreSQL has no empty lists.
  if (subscriptionIds.length === 0) {
    return [];
  }
  const rows = await db
    .selectFrom("subscriptions")
    .leftJoin("month_leases", (join) =>
      join
        .onRef("month_leases.account_id", "=", "subscriptions.account_id")
        .onRef("month_leases.service", "=", "subscriptions.service")
        .on("month_leases.month", "=", month),
    )
    .select(["subscriptions.id as id", "month_leases.leased as leased"])
    .where("subscriptions.id", "in", subscriptionIds)
    .execute();
  const leasedById = new Map(rows.map(({ id, leased }) => [id, leased ?? 0]));
  return subscriptionIds.flatMap((subscriptionId) => {
    const leased = leasedById.get(subscriptionId);
    return leased === undefined ? [] : [{ subscriptionId, month, leased }];
  });
}

async function ownerOf(db: Queries, subscriptionId: string): Promise<{ account_id: string; service: string }> {
  const owner = await db
    .selectFrom("subscriptions")
    .select(["account_id", "service"])
    .where("id", "=", subscriptionId)
    .executeTakeFirst();
  if (owner === undefined) {
    throw new StoreConflict(`There is no subscription with the id ${subscriptionId}.`);
  }
  return owner;
}
