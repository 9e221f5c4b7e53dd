// The limits of a key itself. Nearly all keys have no limits, and need none of these objects.
import type { Key, KeyCap, PlanTerms } from "../../store/records.ts";

/** The limits of a key, which it shares with the keys that it replaced. */
export interface OwnLimits {
  /** Identifies the account and the cap; the same on every node. */
  readonly name: string;
  readonly cap: KeyCap;
  /** Determines the size of leases: from the cap and the rate, or only from the cap if there is no rate. */
  readonly terms: PlanTerms;
  /** Undefined for none. */
  readonly callsPerMonth: number | undefined;
  /** Undefined for none. */
  readonly requestsPerSecond: number | undefined;
}

/** The guard's name for a cap's monthly quota and bucket. */
export const capNameOf = ({ accountId, capId }: KeyCap): string => `${accountId}/key:${capId}`;

/** A key's limits; undefined if only its plans limit it. */
export function ownLimitsOf({ accountId, capId, callsPerMonth, requestsPerSecond }: Key): OwnLimits | undefined {
  if (callsPerMonth === null && requestsPerSecond === null) {
    return undefined;
  }
  const cap = { accountId, capId };
  return {
    name: capNameOf(cap),
    cap,
    terms: { callsPerMonth: callsPerMonth ?? 0, requestsPerSecond: requestsPerSecond ?? Number.POSITIVE_INFINITY },
    callsPerMonth: callsPerMonth ?? undefined,
    requestsPerSecond: requestsPerSecond ?? undefined,
  };
}
