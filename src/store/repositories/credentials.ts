// What the guard reads for a key: the key, its account and the account's subscriptions. One statement, so that all of it is from the same
// point in time.
import type { Selectable } from "kysely";
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
      join.onRef("subscriptions.account_id", "=", "api_keys.account_id").on("subscriptions.state", "<>", "cancelled"),
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
  return [{ id, service: terms.service, terms, state }];
}
