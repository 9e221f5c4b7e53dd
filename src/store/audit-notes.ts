// What the audit trail records about a change: the account, the key or subscription, and its state after the change. Never a secret or a
// hash.
import type { AuditAction, AuditDetails, AuditNote } from "./audit-records.ts";
import type { Key, KeyChanges, Subscription } from "./records.ts";

type AccountNote = AuditNote & { readonly accountId: string };

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

// A key that lives no longer than this is short-lived. Portal pages create such keys for themselves, many each day.
const SHORT_LIFE_MS = 3_600_000;

// Included in the details only if it is true.
const isShortLived = ({ lifetimeMs }: Key): boolean => lifetimeMs !== null && lifetimeMs <= SHORT_LIFE_MS;

export const keyNote = (action: AuditAction, key: Key, more: AuditDetails = {}): AccountNote => ({
  action,
  accountId: key.accountId,
  subject: key.id,
  details: {
    name: key.name,
    last_four: key.lastFour,
    services: key.services,
    expires_at: iso(key.expiresAtMs),
    ...(key.allowedAddresses.length > 0 && { allowed_addresses: key.allowedAddresses }),
    ...(key.allowedOrigins.length > 0 && { allowed_origins: key.allowedOrigins }),
    ...(key.callsPerMonth !== null && { calls_per_month: key.callsPerMonth }),
    ...(key.requestsPerSecond !== null && { requests_per_second: key.requestsPerSecond }),
    ...(isShortLived(key) && { short_lived: true }),
    ...more,
  },
  isRoutine: isShortLived(key),
});

/** The name of the action that changes a key's properties. */
export function updateAction({ disabled, ...others }: KeyChanges): AuditAction {
  if (disabled === undefined || Object.values(others).some((change) => change !== undefined)) {
    return "key.update";
  }
  return disabled ? "key.disable" : "key.enable";
}

/** The beginning of a session of an account's owner, who is the actor. `userAgent`: the program's own description of itself. */
export const signInNote = (
  accountId: string,
  userAgent: string | undefined,
  action: "account.sign_in" | "account.use_recovery_code" = "account.sign_in",
): AccountNote => ({
  ...{ action, accountId, isRoutine: true },
  details: userAgent === undefined ? {} : { user_agent: userAgent },
});

export const subscriptionNote = (action: AuditAction, subscription: Subscription): AccountNote => ({
  action,
  accountId: subscription.accountId,
  subject: subscription.id,
  details: {
    service: subscription.service,
    plan: subscription.plan,
    requested_plan: subscription.requestedPlan,
    state: subscription.state,
  },
});
