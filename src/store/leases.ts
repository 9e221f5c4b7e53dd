// The months' leases: how many calls of a month are taken, for account and service.
import { sql } from "kysely";
import type { BatchAnswer } from "./batcher.ts";
import type { LeaseAsk, LeaseReturn, LeaseTable } from "./lease-table.ts";
import type { Queries } from "./schema.ts";
import { type LeaseGrant, type Month, type MonthStanding, StoreConflict } from "./store.ts";

/** The leases of a database whose writing transactions come one after another. */
export function serialLeases(write: <Answer>(work: (db: Queries) => Promise<Answer>) => Promise<Answer>): LeaseTable {
  const all = <Ask, Answer>(asks: readonly Ask[], work: (db: Queries, ask: Ask) => Promise<Answer>) =>
    write(async (db) => {
      const answers: BatchAnswer<Answer>[] = [];
      for (const ask of asks) {
        answers.push(await answerOf(work(db, ask)));
      }
      return answers;
    });
  return { take: (asks) => all(asks, lease), giveBack: (returns) => all(returns, giveBack), batchMax: 100, underWayMax: 1 };
}

// Who asks for a subscription that is not there has changed nothing, and does not keep the others from their leases.
async function answerOf<Answer>(asked: Promise<Answer>): Promise<BatchAnswer<Answer>> {
  try {
    return { answer: await asked };
  } catch (error) {
    if (error instanceof StoreConflict) {
      return { error };
    }
    throw error;
  }
}

/** What is wrong with a lease of a subscription that is not there. */
export const noSubscription = (subscriptionId: string): StoreConflict =>
  new StoreConflict(`There is no subscription with the id ${subscriptionId}.`);

async function lease(db: Queries, { subscriptionId, month, callsPerMonth, want }: LeaseAsk): Promise<LeaseGrant> {
  const owner = await ownerOf(db, subscriptionId);
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

// What is taken never goes below zero.
async function giveBack(db: Queries, { subscriptionId, month, calls }: LeaseReturn): Promise<undefined> {
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
    throw noSubscription(subscriptionId);
  }
  return owner;
}
