// Subscriptions, one by one and in lists. Each function runs in the given transaction.
import { type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import { SERVICE_NAMES, type ServiceName } from "../../catalogue/service-names.ts";
import type { Month } from "../../runtime/calendar.ts";
import { subscriptionNote } from "../audit-records.ts";
import type { PlanName, PlanTerms, Subscription, SubscriptionPage, SubscriptionQuery } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { changing, changingAt, read, type Transactions, write, writeAt } from "../transactions.ts";
import { ACCOUNT_COLUMNS, accountOf } from "./account-rows.ts";
import { lockAccount } from "./accounts.ts";
import { isOfSubscription, leasedCapCalls, raiseCaps } from "./key-caps.ts";
import { creditCalls, leasedCalls } from "./leases.ts";
import { addQuotaRaise, chargeActivated, chargeRaise } from "./quota-raises.ts";

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
async function createSubscription(
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
async function listSubscriptions(db: Queries, accountId: string): Promise<readonly Subscription[]> {
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
async function listCurrentSubscriptions(db: Queries, accountId: string): Promise<readonly Subscription[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("state", "<>", "cancelled")
    .orderBy(SUBSCRIPTION_ORDER)
    .execute();
  return rows.map(toSubscription);
}

/** Finds a subscription in any state. */
async function findSubscriptionById(db: Queries, id: string): Promise<Subscription | undefined> {
  const row = await db.selectFrom("subscriptions").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : toSubscription(row);
}

/** The account's current (not cancelled) subscription to a service. */
async function findSubscription(db: Queries, accountId: string, service: ServiceName): Promise<Subscription | undefined> {
  const row = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("service", "=", service)
    .where("state", "<>", "cancelled")
    .executeTakeFirst();
  return row === undefined ? undefined : toSubscription(row);
}

/**
 * Records that the customer requests another plan. Requesting the active plan withdraws an earlier request. If the subscription's first
 * plan is still pending, this one replaces it.
 */
async function requestPlan(db: Queries, id: string, plan: string): Promise<Subscription> {
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
async function activate(db: Queries, id: string, plan: string, terms: PlanTerms | undefined, nowMs: number): Promise<Subscription> {
  const subscription = await updateCurrent(db, id, { state: "active", plan, requested_plan: null });
  if (terms !== undefined) {
    await chargeActivated(db, subscription, terms, nowMs);
  }
  return subscription;
}

/** Cancels a subscription permanently. StoreConflict if it is already cancelled. */
async function cancel(db: Queries, id: string): Promise<Subscription> {
  return updateCurrent(db, id, { state: "cancelled", requested_plan: null });
}

/** Withdraws the request for the pending plan, and cancels a subscription that has no other plan. StoreConflict if no plan is pending. */
async function declinePlan(db: Queries, id: string): Promise<Subscription> {
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

/** Ordered by the account's name, then by service, oldest first within each. */
async function subscriptionPage(db: Queries, query: SubscriptionQuery): Promise<SubscriptionPage> {
  const { total } = await matching(db, query)
    .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("total"))
    .executeTakeFirstOrThrow();
  const rows = await matching(db, query)
    .innerJoin("accounts", "accounts.id", "subscriptions.account_id")
    .selectAll("subscriptions")
    .select(ACCOUNT_COLUMNS)
    .orderBy("accounts.name")
    .orderBy(SUBSCRIPTION_ORDER)
    .orderBy("subscriptions.created_at_ms")
    .orderBy("subscriptions.id")
    .limit(query.limit)
    .offset(query.offset)
    .execute();
  return {
    total,
    rows: rows.map((row) => ({ subscription: toSubscription(row), account: accountOf(row) })),
  };
}

const matching = (db: Queries, { accountId, includeCancelled, pendingOnly }: SubscriptionQuery) =>
  db
    .selectFrom("subscriptions")
    .$if(accountId !== undefined, (select) => select.where("subscriptions.account_id", "=", accountId as string))
    .$if(!includeCancelled, (select) => select.where("subscriptions.state", "<>", "cancelled"))
    .$if(pendingOnly, (select) =>
      select.where((row) =>
        row.or([
          row("subscriptions.state", "=", "requested"),
          row.and([row("subscriptions.state", "=", "active"), row("subscriptions.requested_plan", "is not", null)]),
        ]),
      ),
    );

/** The active subscriptions to a service on a plan after this id, in the order of their ids; "" for the first. */
async function subscribersAfter(
  db: Queries,
  { service, plan }: PlanName,
  id: string,
  limit: number,
): Promise<readonly Pick<Subscription, "id" | "accountId">[]> {
  return db
    .selectFrom("subscriptions")
    .select(["id", "account_id as accountId"])
    .where("service", "=", service)
    .where("plan", "=", plan)
    .where("state", "=", "active")
    .where("id", ">", id)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/**
 * The subscriptions with the most leased calls in the month, busiest first. Numbers of calls with as many digits and the same first digit
 * count as equal when the subscriptions are chosen, and so do all below 1,000.
 */
async function busiestSubscriptions(db: Queries, month: Month, limit: number): Promise<readonly Subscription[]> {
  const rows = await db
    .with("busiest", (all) =>
      all
        .selectFrom("month_leases")
        .select(["account_id", "service", "leased"])
        .where("month", "=", month)
        .where(isOfSubscription)
        .orderBy("magnitude", "desc")
        .limit(limit),
    )
    .selectFrom("busiest")
    .innerJoin("subscriptions", (join) =>
      join
        .onRef("subscriptions.account_id", "=", "busiest.account_id")
        .onRef("subscriptions.service", "=", "busiest.service")
        .on("subscriptions.state", "=", "active"),
    )
    .selectAll("subscriptions")
    .where("busiest.leased", ">", 0)
    .orderBy("busiest.leased", "desc")
    .execute();
  return rows.map(toSubscription);
}

/** The plans that have active subscriptions, by service and name. Finds each plan with one lookup, however many subscriptions it has. */
async function plansInUse(db: Queries): Promise<readonly PlanName[]> {
  const { rows } = await sql<PlanName>`
    with recursive used (service, plan) as (
      select * from (select service, plan from subscriptions where state = 'active' order by service, plan limit 1) as first
      union all
      select next.service, next.plan from used
        join subscriptions as next on next.id = (
          select id from subscriptions
          where state = 'active' and (service, plan) > (used.service, used.plan) order by service, plan, id limit 1
        )
    )
    select service, plan from used order by service, plan
  `.execute(db);
  return rows;
}

/** How many active subscriptions a plan has. */
async function subscriberCount(db: Queries, { service, plan }: PlanName): Promise<number> {
  const { subscribers } = await db
    .selectFrom("subscriptions")
    .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("subscribers"))
    .where("state", "=", "active")
    .where("service", "=", service)
    .where("plan", "=", plan)
    .executeTakeFirstOrThrow();
  return subscribers;
}

// How many cancelled subscriptions of an account are kept.
const CANCELLED_MAX = 100;

/** If there are too many, deletes an account's oldest cancelled subscriptions. */
async function deleteOldestCancelled(db: Queries, accountId: string): Promise<void> {
  const kept = db
    .selectFrom("subscriptions")
    .select("id")
    .where("account_id", "=", accountId)
    .where("state", "=", "cancelled")
    .orderBy("created_at_ms", "desc")
    .orderBy("id")
    .limit(CANCELLED_MAX);
  await db
    .deleteFrom("subscriptions")
    .where("account_id", "=", accountId)
    .where("state", "=", "cancelled")
    .where("id", "not in", kept)
    .execute();
}

const cases = sql.join(
  SERVICE_NAMES.map((name, rank) => sql`when ${sql.lit(name)} then ${sql.lit(rank)}`),
  sql` `,
);

/** The position of the service in the column `subscriptions.service` in that order. */
const SUBSCRIPTION_ORDER: RawBuilder<number> = sql<number>`case ${sql.ref("subscriptions.service")} ${cases} end`;

/** The store's methods for subscriptions, and for calls that an operator credits for a month. */
export const subscriptionMethods = {
  createSubscription: changingAt(createSubscription, (created) => subscriptionNote("subscription.create", created)),
  listSubscriptions: read(listSubscriptions),
  listCurrentSubscriptions: read(listCurrentSubscriptions),
  subscriptionPage: read(subscriptionPage),
  plansInUse: read(plansInUse),
  subscriberCount: read(subscriberCount),
  subscribersAfter: read(subscribersAfter),
  busiestSubscriptions: read(busiestSubscriptions),
  findSubscriptionById: read(findSubscriptionById),
  findSubscription: read(findSubscription),
  requestPlan: changing(requestPlan, (changed) => subscriptionNote("subscription.request", changed)),
  activate: (transactions: Transactions) => (id: string, plan: string, terms?: PlanTerms) =>
    transactions.change(
      (db) => activate(db, id, plan, terms, transactions.nowMs),
      (changed) => subscriptionNote("subscription.activate", changed),
    ),
  cancel: changing(cancel, (changed) => subscriptionNote("subscription.cancel", changed)),
  declinePlan: changing(declinePlan, (changed) => subscriptionNote("subscription.decline", changed)),
  // Announced as a change to the account, so that servers that consider the monthly quota used up try to lease again. `reason` is for the
  // audit trail.
  credit: (transactions: Transactions) => (subscriptionId: string, month: Month, calls: number, reason?: string) =>
    transactions.change(
      (db) => creditCalls(db, subscriptionId, month, calls),
      ({ accountId, service, credited }) => ({
        action: "quota.credit",
        accountId,
        subject: subscriptionId,
        details: { service, month, calls, credited, ...(reason !== undefined && { reason }) },
      }),
    ),
  leasedCalls: read(leasedCalls),
  leasedCapCalls: read(leasedCapCalls),
  raiseCaps: write(raiseCaps),
  addQuotaRaise: writeAt(addQuotaRaise),
  chargeRaise: write(chargeRaise),
};
