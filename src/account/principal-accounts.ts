// Gives each mesh principal an account, an internal credential and its subscriptions, so that its calls are limited and counted like a
// customer's. Every server that shares the database does so at every start. If everything is as the file says, nothing changes.

import { hashSecret } from "@quintet/guard";
import type { Plans } from "../catalogue/plans.ts";
import type { MeshPrincipal } from "../catalogue/principals.ts";
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import { ConfigError } from "../config/environment.ts";
import { principalAccountName } from "../guard/mesh/mesh-caller.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Account } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { StoreConflict } from "../store/store-errors.ts";

interface PrincipalAccountsOptions {
  readonly store: Store;
  readonly plans: Plans;
  readonly randomness: Pick<Randomness, "uuid">;
  readonly log: Log;
}

/** Makes the accounts match the principals. An account whose principal was removed stays unchanged, but no call can use it. */
export async function ensurePrincipalAccounts(
  options: PrincipalAccountsOptions,
  principals: readonly MeshPrincipal[],
): Promise<void> {
  for (const principal of principals) {
    const account = await ensureAccount(options, principal.name);
    await ensureCredential(options, account);
    await ensureSubscriptions(options, account, principal.plans);
  }
}

async function ensureAccount({ store, randomness }: PrincipalAccountsOptions, principal: string): Promise<Account> {
  const name = principalAccountName(principal);
  const found = await store.findAccount(name);
  if (found !== undefined) {
    return found;
  }
  await ignoreConflicts(() => store.createAccount({ id: randomness.uuid(), name, email: null }));
  const created = await store.findAccount(name);
  if (created === undefined) {
    throw new Error(`The account ${name} could not be created.`);
  }
  return created;
}

// A key that no caller can send, because the hashed text does not have the form of a key. Usage is counted under this key, and it can be
// disabled like any other.
async function ensureCredential({ store, randomness, log }: PrincipalAccountsOptions, account: Account): Promise<void> {
  const hash = hashSecret(account.name);
  const found = await store.findCredential(hash);
  if (found === undefined) {
    const id = randomness.uuid();
    const shown = { name: "client certificates", prefix: "mesh:", lastFour: "cert" };
    await ignoreConflicts(() =>
      store.createKey({ id, accountId: account.id, ...shown, hash, services: null, expiresAtMs: null, lifetimeMs: null }),
    );
  } else if (found.key.disabled || found.key.revokedAtMs !== null || found.account.suspended) {
    log.warn({ account: account.name }, "a mesh principal is disabled or suspended: its calls are refused");
  }
}

async function ensureSubscriptions(
  { store, plans: catalogue, randomness }: PrincipalAccountsOptions,
  { id: accountId }: Account,
  plans: MeshPrincipal["plans"],
): Promise<void> {
  const current = await store.listCurrentSubscriptions(accountId);
  for (const service of SERVICE_NAMES) {
    const present = current.find((subscription) => subscription.service === service);
    const plan = plans[service];
    if (plan === undefined) {
      if (present !== undefined) {
        await ignoreConflicts(() => store.cancel(present.id));
      }
    } else if (present === undefined) {
      requireOffered(catalogue, service, plan);
      await ignoreConflicts(() => store.createSubscription({ id: randomness.uuid(), accountId, service, plan, state: "active" }));
    } else if (present.plan !== plan || present.state !== "active") {
      requireOffered(catalogue, service, plan);
      await ignoreConflicts(() => store.activate(present.id, plan));
    }
  }
}

function requireOffered(plans: Plans, service: ServiceName, name: string): void {
  if (plans.find(service, name) === undefined) {
    const names = plans.of(service).map((plan) => plan.name);
    throw new ConfigError([`QUINTET_MESH_PRINCIPALS: ${service} has no plan "${name}"; its plans are ${names.join(", ")}`]);
  }
}

// Servers that start together do this at the same time. A conflict means that another server was first.
async function ignoreConflicts(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof StoreConflict)) {
      throw error;
    }
  }
}
