// Finds the owner of a key that somebody sent, pasted or leaked: for operators, on the command line and in the portal.
import { hashSecret } from "@quintet/guard";
import type { Account, Key } from "../store/records.ts";
import type { Store } from "../store/store.ts";

/** A key and its account. */
export interface FoundKey {
  readonly key: Key;
  readonly account: Account;
  /** Milliseconds since the epoch; undefined if it was never used. */
  readonly lastUsedAtMs: number | undefined;
}

type KeySearchStore = Pick<Store, "findCredential" | "keyUses" | "keysEndingIn" | "findAccount">;

/** The key with this secret; empty if there is none. Only the secret's SHA-256 leaves this function. */
export async function keysWithSecret(store: KeySearchStore, secret: string): Promise<readonly FoundKey[]> {
  const found = await store.findCredential(hashSecret(secret));
  if (found === undefined) {
    return [];
  }
  const uses = await store.keyUses(found.account.id);
  return [{ key: found.key, account: found.account, lastUsedAtMs: uses.get(found.key.id) }];
}

/** The keys of all accounts with these last four characters, newest first, at most `limit`. */
export async function keysWithEnding(store: KeySearchStore, lastFour: string, limit: number): Promise<readonly FoundKey[]> {
  const keys = await store.keysEndingIn(lastFour, limit);
  const found = keys.map(async (key): Promise<FoundKey | undefined> => {
    const [account, uses] = await Promise.all([store.findAccount(key.accountId), store.keyUses(key.accountId)]);
    // The account may have been deleted in between.
    return account && { key, account, lastUsedAtMs: uses.get(key.id) };
  });
  return (await Promise.all(found)).filter((each) => each !== undefined);
}
