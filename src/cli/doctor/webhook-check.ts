// Checks where customers' webhooks may go.
import type { WebhookConfig } from "../../config/webhooks.ts";
import { type Finding, warn } from "./finding.ts";

/** Nothing, unless the operator lets them reach private addresses. */
export const checkWebhooks = ({ allowsPrivate }: WebhookConfig): readonly Finding[] =>
  allowsPrivate
    ? [
        warn(
          "webhooks",
          "customers can have requests sent to private addresses, and without TLS",
          "Set QUINTET_WEBHOOK_ADDRESSES=public, unless you trust every customer with what only this machine can reach.",
        ),
      ]
    : [];
