// The headers that a problem brings along.
import type { Problem } from "./problem.ts";
import { REASONS, type Reason } from "./reason.ts";

/** `retry-after` in whole seconds, at least one, and `allow`, where the problem has them: in every protocol. */
export function problemHeaders({ retryAfterMs, allow }: Problem): Record<string, string> {
  const headers: Record<string, string> = {};
  if (retryAfterMs !== undefined) {
    headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
  }
  if (allow !== undefined) {
    headers.allow = allow;
  }
  return headers;
}

// No scheme is registered for a key in a header of its own; `ApiKey` is the usual name.
const API_KEY = 'ApiKey realm="quintet", header="x-gateway-key"';
const BEARER = 'Bearer realm="quintet"';
const CHALLENGES: Partial<Record<Reason, string>> = {
  SESSION_INVALID: `${BEARER}, error="invalid_token"`,
  SESSION_MISSING: BEARER,
  SIGN_IN_FAILED: BEARER,
};

/** What an answer of status 401 says of how to authenticate, in HTTP's own words: https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate */
export function challengeHeaders({ reason }: Problem): Record<string, string> {
  return REASONS[reason].httpStatus === 401 ? { "www-authenticate": CHALLENGES[reason] ?? API_KEY } : {};
}
