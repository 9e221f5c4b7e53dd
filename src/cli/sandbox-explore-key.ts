// The key that the sandbox's Explore pages use to call for visitors. It is the same in every sandbox and need not be secret: everybody can
// read it in the pages, and it gives access to invented data only.
import { createAccount } from "../account/accounts.ts";
import type { Plans } from "../catalogue/plans.ts";
import { generateKey, KEY_PREFIXES } from "../guard/keys/key.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Store } from "../store/store.ts";
import { subscribeToAll } from "./subscribe-to-all.ts";

const ACCOUNT = "explore";
const KEY = generateKey({ bytes: (count) => new Uint8Array(count) }, KEY_PREFIXES.sandbox);

export const SANDBOX_EXPLORE_KEY: string = KEY.secret;

/** Creates the key and its account, to which nobody can sign in, unless they already exist. */
export async function makeExploreKey(store: Store, plans: Plans, randomness: Randomness): Promise<void> {
  if ((await store.findCredential(KEY.hash)) !== undefined) {
    return;
  }
  const account =
    (await store.findAccount(ACCOUNT)) ?? (await createAccount({ store, randomness }, { name: ACCOUNT, email: null }));
  await subscribeToAll(store, plans, account.id, randomness.uuid);
  await store.createKey({
    id: randomness.uuid(),
    accountId: account.id,
    name: ACCOUNT,
    services: null,
    expiresAtMs: null,
    lifetimeMs: null,
    hash: KEY.hash,
    prefix: KEY.prefix,
    lastFour: KEY.lastFour,
  });
}
