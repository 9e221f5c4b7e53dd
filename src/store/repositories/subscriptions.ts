// The subscriptions table. Each function runs in the transaction that it is given.
import type { Selectable, Updateable } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Subscription } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { lockAccount } from "./accounts.ts";
import { deleteFirstCancelled } from "./subscription-bounds.ts";

/** A row as the rest of the program sees it. */
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
 * Inserts a subscription, and deletes the oldest cancelled ones where there are too many. StoreConflict
 * when there is no such account, or the account has one to the service that is not cancelled.
 */
export async function createSubscription(
  db: Queries,
  subscription: {
    readonly id: string;
    readonly accountId: string;
    readonly service: ServiceName;
    readonly plan: string;
    readonly state: "active" | "requested";
  },
  nowMs: number,
): Promise<Subscription> {
  await lockAccount(db, subscription.accountId);
  await deleteFirstCancelled(db, subscription.accountId);
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
      `The account has a subscription to ${subscription.service} already: ask for another plan on it, or cancel it first.`,
    );
  }
  return toSubscription(row);
}

/** An account's subscriptions by service, oldest first within one; cancelled ones too, as far as they are kept. */
export async function listSubscriptions(db: Queries, accountId: string): Promise<Subscription[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("service")
    .orderBy("created_at_ms")
    .orderBy("id")
    .execute();
  return rows.map(toSubscription);
}

/** An account's subscriptions that are not cancelled, by service. */
export async function listSubscriptionsInForce(db: Queries, accountId: string): Promise<Subscription[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("state", "<>", "cancelled")
    .orderBy("service")
    .execute();
  return rows.map(toSubscription);
}

/** The subscription with this id. */
export async function findSubscriptionById(db: Queries, id: string): Promise<Subscription | undefined> {
  const row = await db.selectFrom("subscriptions").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : toSubscription(row);
}

/** The account's subscription to a service that is not cancelled. */
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

/** Notes the plan that the customer wants, in place of one that waits. StoreConflict when cancelled. */
export async function requestPlan(db: Queries, id: string, plan: string): Promise<Subscription> {
  const { state, plan: inForce } = await requireInForce(db, id);
  if (state === "requested") {
    return update(db, id, { plan });
  }
  return update(db, id, { requested_plan: plan === inForce ? null : plan });
}

/** Puts a plan in force. StoreConflict when cancelled. */
export async function activate(db: Queries, id: string, plan: string): Promise<Subscription> {
  await requireInForce(db, id);
  return update(db, id, { state: "active", plan, requested_plan: null });
}

/** Cancels a subscription for good. StoreConflict when it is cancelled already. */
export async function cancel(db: Queries, id: string): Promise<Subscription> {
  await requireInForce(db, id);
  return update(db, id, { state: "cancelled", requested_plan: null });
}

/** Takes back the request for the plan that waits, and cancels a subscription that has no other. StoreConflict when none waits. */
export async function declinePlan(db: Queries, id: string): Promise<Subscription> {
  const { state, service, plan, requestedPlan } = await requireInForce(db, id);
  if (state === "requested") {
    return update(db, id, { state: "cancelled" });
  }
  if (requestedPlan === null) {
    throw new StoreConflict(`No plan of ${service} waits to be activated; ${plan} is in force.`);
  }
  return update(db, id, { requested_plan: null });
}

// Locks the row, where rows can be locked, by an update that changes nothing, until the caller has written.
async function requireInForce(db: Queries, id: string): Promise<Subscription> {
  const row = await db.updateTable("subscriptions").set({ id }).where("id", "=", id).returningAll().executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no subscription with the id ${id}.`);
  }
  if (row.state === "cancelled") {
    throw new StoreConflict(`The subscription ${id} is cancelled, which is final; make a new one.`);
  }
  return toSubscription(row);
}

async function update(db: Queries, id: string, change: Updateable<Tables["subscriptions"]>): Promise<Subscription> {
  return toSubscription(
    await db.updateTable("subscriptions").set(change).where("id", "=", id).returningAll().executeTakeFirstOrThrow(),
  );
}
