// The sandbox's accounts: a customer with all services on their largest plans, the demo key and an invented history, an operator, and the
// account of Explore's key. Everybody knows their password, which is printed: they are only for invented data.

import { hashSecret } from "@quintet/guard";
import { createAccount } from "../account/accounts.ts";
import { createKey, keyState } from "../account/keys.ts";
import { openPlans } from "../account/offered-plans.ts";
import { SANDBOX_PASSWORD } from "../account/password-rules.ts";
import { createPasswords } from "../account/passwords.ts";
import { KEY_PREFIXES } from "../guard/keys/key.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Config } from "../server-config.ts";
import { openStore } from "../store/open.ts";
import type { Account, Key } from "../store/records.ts";
import type { AdminStore, Store } from "../store/store.ts";
import { fillDemoHistory } from "./demo-history.ts";
import { readDemoKey, storeDemoKey } from "./demo-key.ts";
import { makeExploreKey } from "./sandbox-explore-key.ts";
import { subscribeToAll } from "./subscribe-to-all.ts";

/** The addresses for signing in to the sandbox. */
export const DEMO_SIGN_IN = {
  customer: "demo@example.com",
  operator: "operator@example.com",
  password: SANDBOX_PASSWORD,
} as const;

/**
 * Creates missing accounts, and returns the demo key: the key of the last start if it is still valid, so that scripts keep working;
 * otherwise a new one.
 */
export async function makeDemoAccounts(
  { dataDir, plansPath }: Config,
  { clock, randomness }: { readonly clock: Clock; readonly randomness: Randomness },
): Promise<string> {
  const store = await openStore({ dataDir, clock, role: "command" });
  try {
    const plans = await openPlans(store, plansPath);
    const customer = await requireDemoAccount(store, randomness, "demo", DEMO_SIGN_IN.customer);
    const operator = await requireDemoAccount(store, randomness, "operator", DEMO_SIGN_IN.operator);
    await enableSignIn(store, randomness, [customer, operator]);
    if (!operator.isOperator) {
      await store.setOperator(operator.id, true);
    }
    await subscribeToAll(store, plans, customer.id, randomness.uuid);
    await makeExploreKey(store, plans, randomness);
    const stored = readDemoKey(dataDir);
    const owner = stored === undefined ? undefined : await store.findCredential(hashSecret(stored));
    const fill = ({ id, lastFour }: Pick<Key, "id" | "lastFour">): Promise<void> =>
      fillDemoHistory({ store, clock, randomness }, { accountId: customer.id, keyId: id, keyLastFour: lastFour });
    if (stored !== undefined && owner?.key.accountId === customer.id && keyState(owner.key, clock.nowMs()) === "active") {
      await fill(owner.key);
      return stored;
    }
    const { key, secret } = await createKey(
      { store, clock, randomness, keyPrefix: KEY_PREFIXES.sandbox },
      { accountId: customer.id, name: "sandbox", services: null, expiresAtMs: null },
    );
    storeDemoKey(dataDir, secret);
    await fill(key);
    return secret;
  } finally {
    await store.close();
  }
}

const requireDemoAccount = async (store: AdminStore, randomness: Randomness, name: string, email: string): Promise<Account> =>
  (await store.findAccount(name)) ?? (await createAccount({ store, randomness }, { name, email }));

// A hash takes about 100 ms, so both get the same one, and only at the first start. An account without an address cannot sign in.
async function enableSignIn(store: Store, randomness: Randomness, accounts: readonly Account[]): Promise<void> {
  let hash: string | undefined;
  for (const { id, email } of accounts) {
    if (email !== null && (await store.findOwnerOf(id)) === undefined) {
      hash ??= await createPasswords(randomness).hash(DEMO_SIGN_IN.password);
      await store.setOwnerPassword(id, hash);
    }
  }
}
