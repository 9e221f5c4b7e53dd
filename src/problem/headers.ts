// The response headers that a problem determines.
import type { Problem } from "./problem.ts";
import { REASONS } from "./reason.ts";

/**
 * The headers that every protocol sends: a link to the page of the reason (https://www.rfc-editor.org/rfc/rfc8288), `retry-after` in whole
 * seconds (at least 1) if the problem says when to retry, and `allow` if it lists methods.
 */
export function problemHeaders({ reason, retryAfterMs, allow }: Problem): Record<string, string> {
  const headers: Record<string, string> = { link: `</errors/${reason}>; rel="help"` };
  if (retryAfterMs !== undefined) {
    headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
  }
  if (allow !== undefined) {
    headers.allow = allow;
  }
  return headers;
}

// No authentication scheme is registered for a key in a header of its own; `ApiKey` is the usual name.
const CHALLENGES = {
  key: 'ApiKey realm="quintet", header="x-gateway-key"',
  session: 'Bearer realm="quintet"',
};

/**
 * How to authenticate, which every 401 response must say: https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate. An invalid
 * token is distinguished from a missing one: https://www.rfc-editor.org/rfc/rfc6750#section-3.1
 */
export function challengeHeaders({ reason }: Problem): Record<string, string> {
  const { authenticate } = REASONS[reason];
  if (authenticate === undefined) {
    return {};
  }
  const challenge = CHALLENGES[authenticate];
  return { "www-authenticate": reason === "SESSION_INVALID" ? `${challenge}, error="invalid_token"` : challenge };
}
