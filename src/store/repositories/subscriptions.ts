// The subscriptions table. Each function runs in the given transaction.
import { type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { PlanTerms, Subscription } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { lockAccount } from "./accounts.ts";
import { chargeActivated } from "./quota-raises.ts";
import { SUBSCRIPTION_ORDER } from "./service-order.ts";
import { deleteOldestCancelled } from "./subscription-bounds.ts";

/** Converts a row to the record that the store returns. */
export function toSubscription(row: Selectable<Tables["subscriptions"]>): Subscription {
  return {
    id: row.id,
    accountId: row.account_id,
    service: row.service as ServiceName,
    plan: row.plan,
    requestedPlan: row.requested_plan,
    state: row.state,
    createdAtMs: row.created_at_ms,
  };
}

/**
 * Inserts a subscription, and deletes the oldest cancelled ones if there are too many. StoreConflict if there is no such account, or it has
 * a subscription to the service that is not cancelled.
 */
export async function createSubscription(
  db: Queries,
  subscription: {
    readonly id: string;
    readonly accountId: string;
    readonly service: ServiceName;
    readonly plan: string;
    readonly state: "active" | "requested";
    readonly terms?: PlanTerms;
  },
  nowMs: number,
): Promise<Subscription> {
  await lockAccount(db, subscription.accountId);
  await deleteOldestCancelled(db, subscription.accountId);
  const row = await db
    .insertInto("subscriptions")
    .values({
      id: subscription.id,
      account_id: subscription.accountId,
      service: subscription.service,
      plan: subscription.plan,
      requested_plan: null,
      state: subscription.state,
      created_at_ms: nowMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(
      `The account already has a subscription to ${subscription.service}: request another plan on it, or cancel it first.`,
    );
  }
  const created = toSubscription(row);
  if (created.state === "active" && subscription.terms !== undefined) {
    await chargeActivated(db, created, subscription.terms, nowMs);
  }
  return created;
}

/** An account's subscriptions by service and, within a service, oldest first, including the cancelled ones that are still kept. */
export async function listSubscriptions(db: Queries, accountId: string): Promise<Subscription[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy(SUBSCRIPTION_ORDER)
    .orderBy("created_at_ms")
    .orderBy("id")
    .execute();
  return rows.map(toSubscription);
}

/** An account's subscriptions that are not cancelled, by service. */
export async function listCurrentSubscriptions(db: Queries, accountId: string): Promise<Subscription[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("state", "<>", "cancelled")
    .orderBy(SUBSCRIPTION_ORDER)
    .execute();
  return rows.map(toSubscription);
}

export async function findSubscriptionById(db: Queries, id: string): Promise<Subscription | undefined> {
  const row = await db.selectFrom("subscriptions").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : toSubscription(row);
}

/** The account's current (not cancelled) subscription to a service. */
export async function findSubscription(db: Queries, accountId: string, service: ServiceName): Promise<Subscription | undefined> {
  const row = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("service", "=", service)
    .where("state", "<>", "cancelled")
    .executeTakeFirst();
  return row === undefined ? undefined : toSubscription(row);
}

/** Records the plan that the customer requests, in place of an earlier request. StoreConflict if the subscription is cancelled. */
export async function requestPlan(db: Queries, id: string, plan: string): Promise<Subscription> {
  return updateCurrent(db, id, {
    plan: sql<string>`case when state = 'requested' then ${plan} else plan end`,
    // No other plan is pending while the first plan is, or if this plan is the active one.
    requested_plan: sql<string | null>`case when state = 'requested' or plan = ${plan} then null else ${plan} end`,
  });
}

/**
 * Activates a plan, and charges the subscription, by the plan's terms, for the calls of the month that the database has lost. StoreConflict
 * if the subscription is cancelled.
 */
export async function activate(
  db: Queries,
  id: string,
  plan: string,
  terms: PlanTerms | undefined,
  nowMs: number,
): Promise<Subscription> {
  const subscription = await updateCurrent(db, id, { state: "active", plan, requested_plan: null });
  if (terms !== undefined) {
    await chargeActivated(db, subscription, terms, nowMs);
  }
  return subscription;
}

/** Cancels a subscription permanently. StoreConflict if it is already cancelled. */
export async function cancel(db: Queries, id: string): Promise<Subscription> {
  return updateCurrent(db, id, { state: "cancelled", requested_plan: null });
}

/** Withdraws the request for the pending plan, and cancels a subscription that has no other plan. StoreConflict if no plan is pending. */
export async function declinePlan(db: Queries, id: string): Promise<Subscription> {
  const { state, service, plan, requestedPlan } = await requireCurrent(db, id);
  if (state === "requested") {
    return update(db, id, { state: "cancelled" });
  }
  if (requestedPlan === null) {
    throw new StoreConflict(`No plan of ${service} is waiting for activation; ${plan} is active.`);
  }
  return update(db, id, { requested_plan: null });
}

// Locks the row until the caller has written, if the database can lock rows: with an update that changes nothing.
async function requireCurrent(db: Queries, id: string): Promise<Subscription> {
  const row = await db.updateTable("subscriptions").set({ id }).where("id", "=", id).returningAll().executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no subscription with the ID ${id}.`);
  }
  if (row.state === "cancelled") {
    throw new StoreConflict(`The subscription ${id} is cancelled, which is final; create a new one.`);
  }
  return toSubscription(row);
}

async function update(db: Queries, id: string, change: Updateable<Tables["subscriptions"]>): Promise<Subscription> {
  return toSubscription(
    await db.updateTable("subscriptions").set(change).where("id", "=", id).returningAll().executeTakeFirstOrThrow(),
  );
}

type Columns = Updateable<Tables["subscriptions"]>;

// In one statement, because the database may be remote. StoreConflict if there is no such subscription, or it is cancelled.
async function updateCurrent(
  db: Queries,
  id: string,
  change: { readonly [Column in keyof Columns]: Columns[Column] | RawBuilder<Columns[Column]> },
): Promise<Subscription> {
  const row = await db
    .updateTable("subscriptions")
    .set(change)
    .where("id", "=", id)
    .where("state", "<>", "cancelled")
    .returningAll()
    .executeTakeFirst();
  // This throws a StoreConflict that says why the row was not updated.
  return row === undefined ? requireCurrent(db, id) : toSubscription(row);
}
