// How an operator lets the owner of an account sign in: with a random password that is shown once and that the owner can change.

import { randomBase62 } from "@quintet/guard";
import type { Randomness } from "../runtime/randomness.ts";

import type { Account } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import { requireEmail } from "./accounts.ts";
import { createPasswords } from "./passwords.ts";

// 119 random bits.
const PASSWORD_LENGTH = 20;

/**
 * Generates a random password for the owner of an account, stores its hash and ends all sessions. Rejects with a Failure if the account's
 * e-mail address cannot be used to sign in, and with a StoreConflict if the account has no address, or another account's owner has the same
 * one.
 */
export async function generateOwnerPassword(
  { store, randomness }: { readonly store: AdminStore; readonly randomness: Randomness },
  account: Account,
): Promise<{ readonly email: string; readonly password: string }> {
  if (account.email !== null) {
    requireEmail(account.email);
  }
  const password = randomBase62(randomness, PASSWORD_LENGTH);
  const { email } = await store.setOwnerPassword(account.id, await createPasswords(randomness).hash(password));
  return { email, password };
}
