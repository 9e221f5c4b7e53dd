// Reads where webhooks may go.
import type { Environment } from "./environment.ts";

export interface WebhookConfig {
  /** Whether requests may go to private addresses, and without TLS. */
  readonly allowsPrivate: boolean;
}

/** Reads QUINTET_WEBHOOK_ADDRESSES. */
export const readWebhookConfig = (environment: Environment, { isSandbox }: { readonly isSandbox: boolean }): WebhookConfig => ({
  allowsPrivate:
    environment.choice(
      "QUINTET_WEBHOOK_ADDRESSES",
      isSandbox ? "private" : "public",
      ["public", "private"],
      "Where customers' webhooks may go: `public` for https URLs on public addresses, which are checked as each connection is opened; `private` also " +
        "for http, and for addresses of this machine and its networks. `private` by default for `sandbox`; do not use it with customers whom you do not trust, because it lets them reach hosts that only you can reach.",
    ) === "private",
});
