// Lists of subscriptions across accounts: pages for a person, all of them for a command, and the busiest. Each function is one statement.
import type { Selectable } from "kysely";
import type { Month } from "../../runtime/calendar.ts";
import type { PlanSubscribers, Subscription, SubscriptionPage, SubscriptionQuery } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { ACCOUNT_COLUMNS, accountOf } from "./accounts.ts";
import { toSubscription } from "./subscriptions.ts";

/** A page of subscriptions by account, service and age. */
export async function subscriptionPage(db: Queries, query: SubscriptionQuery): Promise<SubscriptionPage> {
  const { total } = await wanted(db, query)
    .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("total"))
    .executeTakeFirstOrThrow();
  const rows = await wanted(db, query)
    .selectAll("subscriptions")
    .select(ACCOUNT_COLUMNS)
    .orderBy("accounts.name")
    .orderBy("subscriptions.service")
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

const wanted = (db: Queries, { accountId, includeCancelled, waitingOnly }: SubscriptionQuery) =>
  db
    .selectFrom("subscriptions")
    .innerJoin("accounts", "accounts.id", "subscriptions.account_id")
    .$if(accountId !== undefined, (select) => select.where("subscriptions.account_id", "=", accountId as string))
    .$if(!includeCancelled, (select) => select.where("subscriptions.state", "<>", "cancelled"))
    .$if(waitingOnly, (select) =>
      select.where((row) =>
        row.or([
          row("subscriptions.state", "=", "requested"),
          row.and([row("subscriptions.state", "=", "active"), row("subscriptions.requested_plan", "is not", null)]),
        ]),
      ),
    );

/** The active subscriptions after this id, in the order of their ids; "" for the first. */
export async function activeSubscriptionsAfter(db: Queries, id: string, limit: number): Promise<Subscription[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("id", ">", id)
    .where("state", "=", "active")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toSubscription);
}

/** The subscriptions with the most leased calls in the month, busiest first. */
export async function busiestSubscriptions(db: Queries, month: Month, limit: number): Promise<Subscription[]> {
  const rows: Selectable<Tables["subscriptions"]>[] = await db
    .selectFrom("month_leases")
    .innerJoin("subscriptions", (join) =>
      join
        .onRef("subscriptions.account_id", "=", "month_leases.account_id")
        .onRef("subscriptions.service", "=", "month_leases.service")
        .on("subscriptions.state", "=", "active"),
    )
    .selectAll("subscriptions")
    .where("month_leases.month", "=", month)
    .where("month_leases.leased", ">", 0)
    .orderBy("month_leases.leased", "desc")
    .limit(limit)
    .execute();
  return rows.map(toSubscription);
}

/** How many active subscriptions each plan has. */
export function planSubscribers(db: Queries): Promise<PlanSubscribers[]> {
  return db
    .selectFrom("subscriptions")
    .select(["service", "plan"])
    .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("subscribers"))
    .where("state", "=", "active")
    .groupBy(["service", "plan"])
    .orderBy("service")
    .orderBy("plan")
    .execute() as Promise<PlanSubscribers[]>;
}
