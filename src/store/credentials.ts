// What the guard reads of a key: the key, its account and the account's subscriptions, at one moment.
import { toAccount } from "./accounts.ts";
import { toKey } from "./keys.ts";
import type { Queries } from "./schema.ts";
import type { Credential } from "./store.ts";
import { toSubscription } from "./subscriptions.ts";

/** By the key's SHA-256, lower-case hex. Runs in the transaction that it is handed, so that the three belong together. */
export async function findCredential(db: Queries, keyHash: string): Promise<Credential | undefined> {
  const key = await db.selectFrom("api_keys").selectAll().where("hash", "=", keyHash).executeTakeFirst();
  if (key === undefined) {
    return undefined;
  }
  const account = await db.selectFrom("accounts").selectAll().where("id", "=", key.account_id).executeTakeFirstOrThrow();
  const subscriptions = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("account_id", "=", key.account_id)
    .where("state", "<>", "cancelled")
    .orderBy("service")
    .execute();
  return { key: toKey(key), account: toAccount(account), subscriptions: subscriptions.map(toSubscription) };
}
