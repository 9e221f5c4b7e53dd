// The JSON that `--json` prints: snake_case names, ISO 8601 times, null for what is not set. Everything printed for programs is here,
// because programs depend on it.
import { type KeyState, keyState } from "../account/keys.ts";
import type { QuotaStatus } from "../account/usage-history.ts";
import type { UsageReport } from "../account/usage-report.ts";
import { ownEntitlements } from "../catalogue/entitlements.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { AuditEntry } from "../store/audit-records.ts";
import type { Member } from "../store/owner-records.ts";
import type { Account, Key, Subscription } from "../store/records.ts";
import type { KeyUse } from "./tables.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

export function accountDocument(account: Account): object {
  const { id, name, email, suspended, isOperator, createdAtMs } = account;
  return { id, name, email, suspended, operator: isOperator, created_at: iso(createdAtMs) };
}

export function memberDocument({ id, email, role, isPrimaryOwner, joinedAtMs }: Member): object {
  return { id, email, role, primary_owner: isPrimaryOwner, joined_at: iso(joinedAtMs) };
}

/** A key, without its secret. `state` says whether it works. `use` is left out if it was not requested. */
export function keyDocument(key: Key, nowMs: number, use?: KeyUse): object {
  const state: KeyState = keyState(key, nowMs);
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    services: key.services,
    state,
    created_at: iso(key.createdAtMs),
    expires_at: key.expiresAtMs === null ? null : iso(key.expiresAtMs),
    revoked_at: key.revokedAtMs === null ? null : iso(key.revokedAtMs),
    notes: key.notes,
    replaced_by: key.replacedBy,
    allowed_addresses: key.allowedAddresses,
    allowed_origins: key.allowedOrigins,
    calls_per_month: key.callsPerMonth,
    requests_per_second: key.requestsPerSecond,
    ...(use !== undefined && {
      last_used_at: use.lastUsedAtMs === undefined ? null : iso(use.lastUsedAtMs),
      calls_this_month: key.callsPerMonth === null ? null : (use.callsThisMonth ?? 0),
    }),
  };
}

export function subscriptionDocument(subscription: Subscription): object {
  return {
    id: subscription.id,
    account_id: subscription.accountId,
    service: subscription.service,
    plan: subscription.plan,
    version: subscription.terms.id,
    price_minor: subscription.terms.priceMinor,
    currency: subscription.terms.currency,
    agreed_at: iso(subscription.agreedAtMs),
    requested_plan: subscription.requestedPlan,
    requested_price_minor: subscription.request?.terms.priceMinor ?? null,
    requested_at: subscription.request === null ? null : iso(subscription.request.atMs),
    moves_to: subscription.move?.terms.id ?? null,
    moves_at: subscription.move === null ? null : iso(subscription.move.atMs),
    state: subscription.state,
    created_at: iso(subscription.createdAtMs),
  };
}

export function planDocument({ service, entitlements, ...plan }: Plan): object {
  const included = Object.entries(ownEntitlements(service, entitlements)).map(([name, value]) => [snakeCase(name), value]);
  return {
    service,
    name: plan.name,
    price_minor: plan.priceMinor,
    currency: plan.currency,
    calls_per_month: plan.callsPerMonth,
    requests_per_second: plan.requestsPerSecond,
    ...Object.fromEntries(included),
  };
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function auditDocument(entry: AuditEntry): object {
  const { number, atMs, actor, actorAccountName, action, accountId, accountName, subject, details } = entry;
  return {
    number,
    at: iso(atMs),
    actor: { ...actor, ...(actorAccountName !== null && { account: actorAccountName }) },
    action,
    account_id: accountId,
    account: accountName,
    subject,
    details,
  };
}

/** This month's quota. `remaining` is what is not used, `held` the part of it that servers have leased and not yet counted as used. */
export function monthDocument({ plan, callsPerMonth, counted, leased, credited }: QuotaStatus) {
  const remaining = Math.max(0, callsPerMonth + credited - counted);
  const held = Math.min(remaining, Math.max(0, leased - counted));
  return { plan, calls_per_month: callsPerMonth, counted, leased, credited, remaining, held };
}

export function usageDocument(account: Account, report: UsageReport): object {
  return {
    account_id: account.id,
    account: account.name,
    month: report.month,
    from: report.fromDay,
    to: report.toDay,
    services: report.services.map(({ service, standing, calls, counted, byMethod, refused, latency }) => ({
      service,
      standing: standing && monthDocument(standing),
      calls,
      counted,
      by_method: byMethod,
      refused,
      latency: latency ? { calls: latency.calls, median_ms: latency.medianMs, p95_ms: latency.p95Ms, p99_ms: latency.p99Ms } : null,
    })),
  };
}
