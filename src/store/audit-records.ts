// The records of the audit trail that the store keeps and returns: who changed what, when, and from where.
import type { Key, KeyChanges, Subscription } from "./records.ts";

/** Who makes a change, and from where. */
export interface Actor {
  /**
   * `operator`: an operator on the command line. `signed_in_operator`: an operator with a session. `owner`: the account's owner, with a
   * session. `member`: a member of the account, with a session of their own. `visitor`: a person without a session. `server`: the program
   * itself.
   */
  readonly kind: "operator" | "signed_in_operator" | "owner" | "member" | "visitor" | "server";
  /** The operating system's user; with a session, the id of its account; otherwise empty. */
  readonly name: string;
  /** The machine's name, or the address at the other end of the connection. */
  readonly origin: string;
}

/** The actor of the program's own changes, such as those at the start of the sandbox. */
export const SERVER_ACTOR: Actor = { kind: "server", name: "", origin: "" };

/** All actions that the audit trail records, by what they change. */
export const AUDIT_ACTIONS = [
  "account.create",
  "account.sign_up",
  "account.sign_in",
  "account.suspend",
  "account.resume",
  "account.appoint_operator",
  "account.dismiss_operator",
  "account.draw_password",
  "account.change_password",
  "account.reset_password",
  "account.verify_email",
  "account.change_email",
  "account.update_alerts",
  "account.turn_on_two_factor",
  "account.turn_off_two_factor",
  "account.replace_recovery_codes",
  "account.use_recovery_code",
  "account.add_passkey",
  "account.remove_passkey",
  "account.rename_passkey",
  "account.keep_parameters",
  "account.drop_parameters",
  "account.delete",
  "member.invite",
  "member.withdraw_invitation",
  "member.join",
  "member.change_role",
  "member.leave",
  "member.remove",
  "key.create",
  "key.update",
  "key.disable",
  "key.enable",
  "key.rotate",
  "key.revoke",
  "subscription.create",
  "subscription.request",
  "subscription.activate",
  "subscription.decline",
  "subscription.cancel",
  "subscription.move",
  "payment.update",
  "plans.apply",
  "plans.migrate_subscribers",
  "webhook.create",
  "webhook.update",
  "webhook.rotate_secret",
  "webhook.delete",
  "incident.create",
  "incident.add_update",
  "incident.edit_update",
  "incident.update",
  "incident.delete",
  "quota.raise",
  "quota.credit",
  "database.backup",
  "database.restore",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Details of a change, such as a key's name and last four characters. Never a secret. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

export interface AuditNote {
  readonly action: AuditAction;
  /** Null if it concerns all accounts. */
  readonly accountId: string | null;
  /** The id of a key, a subscription, a webhook endpoint, an incident or an invitation, or of a member's own account. None by default. */
  readonly subject?: string;
  readonly details?: AuditDetails;
  /** Whether notes of this kind are frequent, so that an account keeps fewer of them; false by default. */
  readonly isRoutine?: boolean;
}

export interface AuditEntry extends Pick<AuditNote, "accountId"> {
  /** Null if the entry is about the whole account. */
  readonly subject: string | null;
  readonly details: AuditDetails;
  /** Ascending in the order of the changes, possibly with gaps. */
  readonly number: number;
  readonly atMs: number;
  readonly actor: Actor;
  /** The name of the actor's account, as long as the account exists; null without a session. */
  readonly actorAccountName: string | null;
  readonly actorAccountEmail: string | null;
  /** One of `AUDIT_ACTIONS`, or an action that only another version knows. */
  readonly action: string;
  /** The account's name, as long as the account exists. */
  readonly accountName: string | null;
  readonly accountEmail: string | null;
}

/** A query for entries, newest first. A filter that is left out matches every entry. */
export interface AuditQuery {
  readonly accountId?: string | undefined;
  /** Only what the owner of this account has done, to any account. */
  readonly actorAccountId?: string | undefined;
  /** Only what actors of these kinds have done. */
  readonly actorKinds?: readonly Actor["kind"][] | undefined;
  /** Only what this operating system user has done on the command line. */
  readonly commandLineUser?: string | undefined;
  readonly actions?: readonly AuditAction[] | undefined;
  /** Leaves out changes to keys with a lifetime of at most an hour. */
  readonly withoutShortLivedKeys?: boolean | undefined;
  readonly sinceMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
  /** Only entries with a smaller number: the next page begins before the last number of this one. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A page of entries, and whether older ones follow. */
export interface AuditPage {
  /** How long an entry is kept, in days. */
  readonly keptDays: number;
  readonly entries: readonly AuditEntry[];
  readonly hasMore: boolean;
}

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
