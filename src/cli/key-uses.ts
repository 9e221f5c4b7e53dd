// When keys were last used, and how many of this month's calls count against their caps.
import { dayAt } from "../runtime/calendar.ts";
import type { Key } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import type { KeyUse } from "./tables.ts";

/**
 * Reads the uses of these keys, which may belong to different accounts. Calls that servers have leased for a cap and not spent yet count as
 * used, as in `usage`.
 */
export async function readKeyUses(
  store: Pick<AdminStore, "keyUses" | "leasedCapCalls">,
  keys: readonly Key[],
  nowMs: number,
): Promise<(key: Key) => KeyUse> {
  const lastUses = new Map<string, number>();
  for (const accountId of new Set(keys.map((key) => key.accountId))) {
    for (const [keyId, atMs] of await store.keyUses(accountId)) {
      lastUses.set(keyId, atMs);
    }
  }
  const capped = keys.filter(({ callsPerMonth }) => callsPerMonth !== null);
  const leased = capped.length === 0 ? [] : await store.leasedCapCalls(capped, dayAt(nowMs).month);
  const ofCaps = new Map(leased.map((each) => [each.capId, each.leased]));
  return ({ id, capId, callsPerMonth }) => ({
    lastUsedAtMs: lastUses.get(id),
    callsThisMonth: callsPerMonth === null ? undefined : (ofCaps.get(capId) ?? 0),
  });
}
