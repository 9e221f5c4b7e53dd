// Converts stored records of an account into response messages.

import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type AccountSchema,
  type SubscriptionSchema,
  SubscriptionState,
  type UnconfirmedSchema,
} from "../../../gen/quintet/account/v1/account_pb.js";
import { type KeySchema, KeyState as State } from "../../../gen/quintet/account/v1/key_pb.js";
import { type MemberSchema, type MembershipSchema, MemberRole as Role } from "../../../gen/quintet/account/v1/member_pb.js";
import type { SessionSchema } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import type { PlanSchema } from "../../../gen/quintet/account/v1/status_pb.js";
import { ownEntitlements } from "../../catalogue/entitlements.ts";
import type { Plan } from "../../catalogue/plan.ts";
import type { AuditDetails } from "../../store/audit-records.ts";
import type { Member, MemberRole, Membership } from "../../store/owner-records.ts";
import type { Account, Key, Subscription } from "../../store/records.ts";
import { ACKNOWLEDGED, type Acknowledgement } from "../../store/repositories/acknowledgements.ts";
import type { Payment } from "../../store/repositories/payments.ts";
import { type KeyState, keyState } from "../keys.ts";
import type { StartedSession } from "../sessions.ts";

const KEY_STATES: Readonly<Record<KeyState, State>> = {
  active: State.ACTIVE,
  disabled: State.DISABLED,
  expired: State.EXPIRED,
  revoked: State.REVOKED,
};

/** Role → its enum value in messages. */
export const MEMBER_ROLE_MESSAGES: Readonly<Record<MemberRole, Role>> = {
  reader: Role.READER,
  developer: Role.DEVELOPER,
  owner: Role.OWNER,
};

const SUBSCRIPTION_STATES: Readonly<Record<Subscription["state"], SubscriptionState>> = {
  requested: SubscriptionState.REQUESTED,
  active: SubscriptionState.ACTIVE,
  cancelled: SubscriptionState.CANCELLED,
};

export function accountMessage(account: Account): MessageInitShape<typeof AccountSchema> {
  const { id, name, email, suspended, emailVerifiedAtMs, isOperator, createdAtMs } = account;
  return {
    id,
    name,
    suspended,
    createdAt: timestampFromMs(createdAtMs),
    ...(email !== null && { email }),
    ...(isOperator && { operator: true }),
    ...(emailVerifiedAtMs !== undefined && { emailVerifiedAt: timestampFromMs(emailVerifiedAtMs) }),
  };
}

/** Another person's account as a member sees it. */
export function sharedAccountMessage(account: Account, role: MemberRole): MessageInitShape<typeof AccountSchema> {
  const { operator: _, emailVerifiedAt: __, ...shown } = accountMessage(account);
  return { ...shown, role: MEMBER_ROLE_MESSAGES[role] };
}

export const memberMessage = ({ id, email, role, isPrimaryOwner, joinedAtMs }: Member): MessageInitShape<typeof MemberSchema> => ({
  ...{ id, role: MEMBER_ROLE_MESSAGES[role], joinedAt: timestampFromMs(joinedAtMs) },
  ...(email !== null && { email }),
  ...(isPrimaryOwner && { primaryOwner: true }),
});

export const membershipMessage = (membership: Membership): MessageInitShape<typeof MembershipSchema> => {
  const { accountId, name, email, role, joinedAtMs } = membership;
  return {
    ...{ accountId, name, role: MEMBER_ROLE_MESSAGES[role], joinedAt: timestampFromMs(joinedAtMs) },
    ...(email !== null && { email }),
  };
};

export function sessionMessage({ token, expiresAtMs }: StartedSession, account: Account): MessageInitShape<typeof SessionSchema> {
  return { token, expiresAt: timestampFromMs(expiresAtMs), account: accountMessage(account) };
}

/** What else is known about a key. */
export interface KeyFacts {
  /** After a change: which servers have not confirmed it. */
  readonly change?: Acknowledgement;
  /** When a call with the key was last admitted; undefined if none was. */
  readonly lastUsedAtMs?: number | undefined;
  /** How many of this month's calls count against the key's cap; undefined if it has no cap, or if the number was not read. */
  readonly callsThisMonth?: number | undefined;
  /** After a change that refuses calls: how long it took, in milliseconds, until all servers that have confirmed it refused them. */
  readonly refusedAfterMs?: number | undefined;
}

/** A key with its state at a given time. */
export function keyMessage(
  key: Key,
  nowMs: number,
  { change = ACKNOWLEDGED, lastUsedAtMs, callsThisMonth, refusedAfterMs }: KeyFacts = {},
): MessageInitShape<typeof KeySchema> {
  const { id, name, prefix, lastFour, services, createdAtMs, expiresAtMs, revokedAtMs, notes, replacedBy } = key;
  return {
    id,
    name,
    prefix,
    lastFour,
    services: [...(services ?? [])],
    state: KEY_STATES[keyState(key, nowMs)],
    createdAt: timestampFromMs(createdAtMs),
    ...(expiresAtMs !== null && { expiresAt: timestampFromMs(expiresAtMs) }),
    ...(revokedAtMs !== null && { revokedAt: timestampFromMs(revokedAtMs) }),
    ...(lastUsedAtMs !== undefined && { lastUsedAt: timestampFromMs(lastUsedAtMs) }),
    notes,
    ...(replacedBy !== null && { replacedBy }),
    allowedAddresses: [...key.allowedAddresses],
    allowedOrigins: [...key.allowedOrigins],
    ...(key.callsPerMonth !== null && { callsPerMonth: key.callsPerMonth }),
    ...(key.requestsPerSecond !== null && { requestsPerSecond: key.requestsPerSecond }),
    ...(callsThisMonth !== undefined && { callsThisMonth }),
    ...confirmation(change),
    ...(refusedAfterMs !== undefined && change.isComplete && { refusedEverywhereAfterMs: Math.ceil(refusedAfterMs) }),
  };
}

/** What the response to a change reports about the servers that have not confirmed it. */
export const confirmation = ({
  isComplete,
  missing,
}: Acknowledgement): { unconfirmed?: MessageInitShape<typeof UnconfirmedSchema> } =>
  isComplete ? {} : { unconfirmed: { nodes: [...missing] } };

/** A plan with its service's entitlements. */
export function planMessage(plan: Plan): MessageInitShape<typeof PlanSchema> {
  const { service, name, priceMinor, currency, callsPerMonth, requestsPerSecond, entitlements } = plan;
  return {
    service,
    name,
    priceMinor,
    currency,
    callsPerMonth,
    requestsPerSecond,
    ...ownEntitlements(service, entitlements),
  };
}

const subscriptionFields = ({ id, service, plan, requestedPlan, state, createdAtMs }: Subscription) => ({
  id,
  service,
  plan,
  state: SUBSCRIPTION_STATES[state],
  createdAt: timestampFromMs(createdAtMs),
  ...(requestedPlan !== null && { requestedPlan }),
});

/** A subscription after a change, and which servers have not confirmed it. */
export const subscriptionMessage = (
  subscription: Subscription,
  change: Acknowledgement,
): MessageInitShape<typeof SubscriptionSchema> => ({ ...subscriptionFields(subscription), ...confirmation(change) });

/** A subscription in a list: with what its plans cost and allow. */
export function listedSubscription(subscription: Subscription, payment?: Payment): MessageInitShape<typeof SubscriptionSchema> {
  const { terms, agreedAtMs, request, move } = subscription;
  return {
    ...subscriptionFields(subscription),
    terms: planMessage(terms),
    agreedAt: timestampFromMs(agreedAtMs),
    ...(request !== null && { requestedTerms: planMessage(request.terms), requestedAt: timestampFromMs(request.atMs) }),
    ...(move !== null && { nextTerms: planMessage(move.terms), movesAt: timestampFromMs(move.atMs) }),
    ...(payment !== undefined && {
      cardPayment: {
        ...(payment.unpaidSinceMs !== null && { graceEndsAt: timestampFromMs(payment.entitledUntilMs) }),
        ...(payment.cancelsAtMs !== null && { endsAt: timestampFromMs(payment.cancelsAtMs) }),
        invoiceUrl: payment.invoiceUrl ?? "",
      },
    }),
  };
}

/** The details of an entry of the audit trail. Empty ones are left out. */
export const detailMessages = (details: AuditDetails): { readonly name: string; readonly value: string }[] =>
  Object.entries(details).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value: Array.isArray(value) ? value.join(",") : String(value) }],
  );
