// What the audit trail notes of a change: whose key or subscription, and how it is after the change. Never a secret or a hash.
import type { AuditAction, AuditDetails, AuditNote } from "./audit-records.ts";
import type { Key, KeyChanges, Subscription } from "./records.ts";

type AccountNote = AuditNote & { readonly accountId: string };

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The note of a change of a key. */
export const keyNote = (action: AuditAction, key: Key, more: AuditDetails = {}): AccountNote => ({
  action,
  accountId: key.accountId,
  subject: key.id,
  details: { name: key.name, last_four: key.lastFour, services: key.services, expires_at: iso(key.expiresAtMs), ...more },
});

/** What a change of a key's properties is called. */
export function updateAction({ name, services, disabled }: KeyChanges): AuditAction {
  if (name !== undefined || services !== undefined || disabled === undefined) {
    return "key.update";
  }
  return disabled ? "key.disable" : "key.enable";
}

/** The note of a change of a subscription. */
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
