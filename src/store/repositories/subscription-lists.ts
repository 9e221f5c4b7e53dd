// Lists of subscriptions across accounts: pages for people, all of a plan's subscriptions for commands, and the busiest. Each function is
// one statement.
import { sql } from "kysely";
import type { Month } from "../../runtime/calendar.ts";
import type { PlanName, Subscription, SubscriptionPage, SubscriptionQuery } from "../records.ts";
import type { Queries } from "../schema.ts";
import { ACCOUNT_COLUMNS, accountOf } from "./accounts.ts";
import { isOfSubscription } from "./key-caps.ts";
import { SUBSCRIPTION_ORDER } from "./service-order.ts";
import { toSubscription } from "./subscriptions.ts";

/** A page of subscriptions by account, service and age. */
export async function subscriptionPage(db: Queries, query: SubscriptionQuery): Promise<SubscriptionPage> {
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
export async function subscribersAfter(
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
export async function busiestSubscriptions(db: Queries, month: Month, limit: number): Promise<Subscription[]> {
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
export async function plansInUse(db: Queries): Promise<readonly PlanName[]> {
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
export async function subscriberCount(db: Queries, { service, plan }: PlanName): Promise<number> {
  const { subscribers } = await db
    .selectFrom("subscriptions")
    .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("subscribers"))
    .where("state", "=", "active")
    .where("service", "=", service)
    .where("plan", "=", plan)
    .executeTakeFirstOrThrow();
  return subscribers;
}
