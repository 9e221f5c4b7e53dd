// Parses a Retry-After header: how long an upstream asks us to wait. Pure.

/** The longest wait accepted, in milliseconds: an upstream's mistake must not take a service down for a day. */
export const RETRY_AFTER_MAX_MS = 5 * 60_000;

/**
 * How many milliseconds a `Retry-After` header asks us to wait, from 0 to RETRY_AFTER_MAX_MS. The header is a number of seconds, or an HTTP
 * date, which is compared with `nowMs`. Undefined if there is no header, or it has neither form.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,15}$/.test(text)) {
    return Math.min(Number(text) * 1000, RETRY_AFTER_MAX_MS);
  }
  // The three forms of RFC 9110, section 5.6.7, all begin with the day's name; Date.parse alone would accept far more than dates.
  const atMs = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[A-Za-z0-9 ,:-]{16,40}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(atMs - nowMs, 0), RETRY_AFTER_MAX_MS);
}
