// Checks whether the key that the operator has made public can be used. Otherwise visitors would be the first to notice that it cannot.

import { hashSecret } from "@quintet/guard";
import type { Plans } from "../../catalogue/plans.ts";
import { SERVICE_NAMES } from "../../catalogue/service-names.ts";
import type { Log } from "../../runtime/log.ts";
import type { Credential } from "../../store/records.ts";
import type { GuardStore } from "../../store/store.ts";
import { KnownKey, unusableAt } from "./access.ts";
import { KEY_REFUSALS } from "./access-refusals.ts";

// The longest month.
const MONTH_DAYS = 31;

interface PublicKeyCheckOptions {
  readonly plans: Plans;
  readonly callsPerDay: number;
  readonly nowMs: number;
}

/** What is wrong with the public key, one sentence for each fault. `credential` is undefined if nobody has the key. */
export function publicKeyFaults(
  credential: Credential | undefined,
  { plans, callsPerDay, nowMs }: PublicKeyCheckOptions,
): readonly string[] {
  if (credential === undefined) {
    return ["Nobody has this key. Create it with `quintet key create`, in a separate account."];
  }
  const key = new KnownKey(credential, plans, KEY_REFUSALS, { cell: 0, epoch: 0 });
  const unusable = unusableAt(key, nowMs);
  if (unusable !== undefined) {
    return [unusable.message];
  }
  return SERVICE_NAMES.flatMap((service) => {
    const access = key.of(service);
    if ("reason" in access) {
      return [`${service}: ${access.message}`];
    }
    const { name, callsPerMonth } = access.principal.plan;
    return callsPerDay * MONTH_DAYS > callsPerMonth
      ? [`${service}: a single address could use up the ${name} plan's ${callsPerMonth} calls per month. Choose a larger plan.`]
      : [];
  });
}

interface WarningOptions extends PublicKeyCheckOptions {
  /** The whole key. */
  readonly key: string;
  readonly store: Pick<GuardStore, "findCredential">;
  readonly log: Log;
}

/** Writes a warning for each fault of the public key. Rejects as the store does. */
export async function warnAboutPublicKey({ key, store, log, ...options }: WarningOptions): Promise<void> {
  for (const fault of publicKeyFaults(await store.findCredential(hashSecret(key)), options)) {
    log.warn({ fault }, "QUINTET_EXPLORE_KEY: visitors cannot use all of Explore with this key");
  }
}
