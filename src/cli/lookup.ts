// Finds what a command's arguments name. If it does not exist, the error names a command that helps.

import { didYouMean } from "@quintet/transcoding";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Account, Key, Subscription } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import { CommandRefused } from "./command-refused.ts";

const SUGGESTED_FROM_MAX = 1000;

/** Finds an account by name, id or e-mail address. */
export async function requireAccount(store: AdminStore, idOrName: string): Promise<Account> {
  const account = await store.findAccount(idOrName);
  if (account === undefined) {
    // Suggests from the first accounts, and from those whose names begin in the same way: there may be too many to read them all.
    const accounts = [
      ...(await store.accountsAfter("", SUGGESTED_FROM_MAX)),
      ...(await store.accountsAfter(idOrName.slice(0, 2), SUGGESTED_FROM_MAX)),
    ];
    const hint = didYouMean(
      idOrName,
      accounts.map(({ name }) => name),
    );
    throw new CommandRefused("notFound", `There is no account called ${idOrName}${hint || "; `quintet account list` shows them."}`);
  }
  return account;
}

export async function requireKey(store: AdminStore, id: string): Promise<Key> {
  const key = await store.findKey(id);
  if (key === undefined) {
    throw new CommandRefused(
      "notFound",
      `There is no key with the ID ${id}; \`quintet key list ACCOUNT\` shows an account's keys.`,
    );
  }
  return key;
}

/** The account's current (not cancelled) subscription to a service. */
export async function requireSubscription(store: AdminStore, account: Account, service: ServiceName): Promise<Subscription> {
  const subscription = await store.findSubscription(account.id, service);
  if (subscription === undefined) {
    throw new CommandRefused(
      "notFound",
      `${account.name} has no subscription to ${service}; \`quintet subscription create ${account.name} ${service}\` creates one.`,
    );
  }
  return subscription;
}

/** Refuses if the account has a current (not cancelled) subscription to the service. */
export async function refuseSecondSubscription(store: AdminStore, account: Account, service: ServiceName): Promise<void> {
  if ((await store.findSubscription(account.id, service)) !== undefined) {
    throw new CommandRefused(
      "conflict",
      `${account.name} already has a subscription to ${service}; \`quintet subscription request ${account.name} ${service} --plan NAME\` requests another plan.`,
    );
  }
}
