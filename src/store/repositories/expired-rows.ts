// What is deleted because of its age, and when: ended sessions and links, requests for keys, hashes of former addresses, old counts of
// calls and refusals, and months long past. Servers check once an hour.
import { firstWriterKept, WRITERS } from "./count-batches.ts";
import { type DatedTable, firstHourKept } from "./expired-counts.ts";
import { FORMER_ACCOUNTS, firstFormerMonthKept } from "./former-accounts.ts";
import { firstRequestKept, KEY_REQUESTS } from "./key-requests.ts";
import { firstRefusalDayKept, REFUSAL_COUNTS, REFUSAL_HOURS } from "./refusals.ts";
import { USAGE_DAYS, USAGE_HOURS } from "./usage.ts";

// The current month, and the two years before it.
const MONTHS_KEPT = 25;

const SESSIONS: DatedTable = { table: "owner_sessions", key: ["token_hash"], time: "expires_at_ms" };
const LINKS: DatedTable = { table: "mail_tokens", key: ["token_hash"], time: "expires_at_ms" };
const MONTHS: DatedTable = { table: "month_leases", key: ["account_id", "service", "month"], time: "month" };

// The first month whose usage is kept.
function firstMonthKept(nowMs: number): string {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (MONTHS_KEPT - 1))).toISOString().slice(0, 7);
}

/** The tables, each with the time before which its rows are deleted. */
export const expiries = (nowMs: number): readonly (readonly [DatedTable, string | number])[] => [
  [SESSIONS, nowMs],
  [LINKS, nowMs],
  [KEY_REQUESTS, firstRequestKept(nowMs)],
  [FORMER_ACCOUNTS, firstFormerMonthKept(nowMs)],
  [MONTHS, firstMonthKept(nowMs)],
  [USAGE_DAYS, `${firstMonthKept(nowMs)}-01`],
  [USAGE_HOURS, firstHourKept(nowMs)],
  [REFUSAL_COUNTS, firstRefusalDayKept(nowMs)],
  [REFUSAL_HOURS, firstHourKept(nowMs)],
  [WRITERS, firstWriterKept(nowMs)],
];
