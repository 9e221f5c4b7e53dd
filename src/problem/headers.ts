// The headers that a problem brings along, whatever the protocol.
import type { Problem } from "./problem.ts";

/** `retry-after` in whole seconds, at least one, and `allow`, where the problem has them. */
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
