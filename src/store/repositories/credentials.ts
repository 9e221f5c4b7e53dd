// What the guard reads for a key: the key, its account and the account's subscriptions. One statement, so that all of it is from the same
// point in time.
import { type Selectable, sql } from "kysely";
import type { Credential, SubscriptionState } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { ACCOUNT_COLUMNS, accountOf, type JoinedAccount } from "./account-rows.ts";
import { toKey } from "./keys.ts";
import { planColumn, planOf } from "./subscriptions.ts";

/** The credentials with these SHA-256 hashes (lower-case hex), in their order; undefined for a hash that no key has. */
export async function findCredentials(db: Queries, keyHashes: readonly string[]): Promise<readonly (Credential | undefined)[]> {
  const rows = await db
    .selectFrom("api_keys")
    .innerJoin("accounts", "accounts.id", "api_keys.account_id")
    .leftJoin("subscriptions", (join) =>
      join
        .onRef("subscriptions.account_id", "=", "api_keys.account_id")
        .on(({ or, eb }) => or([eb("subscriptions.state", "<>", "cancelled"), eb.exists(lastUnpaid(db))])),
    )
    .leftJoin("plans as plan", "plan.id", "subscriptions.plan_id")
    .selectAll("api_keys")
    .select([
      ...ACCOUNT_COLUMNS,
      "subscriptions.id as subscription_id",
      "subscriptions.state as subscription_state",
      planColumn(db, "plan").as("plan"),
    ])
    .where("api_keys.hash", "in", keyHashes)
    .orderBy("subscriptions.service")
    .execute();
  const byHash = Map.groupBy(rows, ({ hash }) => hash);
  return keyHashes.map((keyHash) => credentialOf(byHash.get(keyHash) ?? []));
}

// The payment whose failure ended a subscription; none if another subscription to the service followed.
const lastUnpaid = (db: Queries) =>
  db
    .selectFrom("payment_subscriptions as payment")
    .select("payment.id")
    .where(sql<boolean>`payment.account_id = subscriptions.account_id and payment.subscription_id = subscriptions.id`)
    .where(sql<boolean>`payment.plan_id = subscriptions.plan_id`)
    .where("payment.is_granted", "=", 0)
    .where("payment.unpaid_since_ms", "is not", null)
    .where("payment.ended_because", "is", null)
    .where(({ not, exists }) =>
      not(
        exists(
          db
            .selectFrom("subscriptions as later")
            .select("later.id")
            .where(sql<boolean>`later.account_id = subscriptions.account_id and later.service = subscriptions.service`)
            .where(sql<boolean>`later.created_at_ms > subscriptions.created_at_ms`),
        ),
      ),
    );

type JoinedRow = Selectable<Tables["api_keys"]> & JoinedAccount & JoinedSubscription;

// The rows of one key, one for each of its account's subscriptions.
function credentialOf(rows: readonly JoinedRow[]): Credential | undefined {
  const [first] = rows;
  if (first === undefined) {
    return undefined;
  }
  return { key: toKey(first), account: accountOf(first), subscriptions: rows.flatMap(subscriptionOf) };
}

interface JoinedSubscription {
  readonly subscription_id: string | null;
  readonly subscription_state: SubscriptionState | null;
  readonly plan: Parameters<typeof planOf>[0] | null;
}

// An account without subscriptions has one row, with null in all columns of the subscription.
function subscriptionOf({ subscription_id: id, subscription_state: state, plan }: JoinedSubscription): Credential["subscriptions"] {
  if (id === null || state === null || plan === null) {
    return [];
  }
  const terms = planOf(plan);
  return [{ id, service: terms.service, terms, state: state === "cancelled" ? "unpaid" : state }];
}
