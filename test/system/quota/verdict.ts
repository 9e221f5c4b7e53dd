// The effect of a call on the quota, in any protocol.
import type { Client } from "../matrix/client.ts";
import type { Seen } from "../matrix/seen.ts";

/** `admitted`, or the reason of the refusal. */
export function verdictOf({ protocol }: Client, seen: Seen): string {
  if (seen.code === "ok") {
    return "admitted";
  }
  const details =
    protocol === "rest" ? (seen.body as { error: { details: readonly unknown[] } }).error.details : (seen.details ?? []);
  const [info] = details as readonly { readonly reason?: string }[];
  return info?.reason ?? `${seen.code} without a reason`;
}

/** How many of each. */
export function tally(verdicts: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Array.from(
      Map.groupBy(verdicts, (verdict) => verdict),
      ([verdict, all]) => [verdict, all.length],
    ),
  );
}
