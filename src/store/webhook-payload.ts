// The body of the request that delivers an event: the same for each attempt and each endpoint.
import { isoTime } from "../runtime/iso-time.ts";
import type { WebhookDelivery } from "./webhook-records.ts";

/** The body, in JSON, with the fields that the Standard Webhooks convention recommends. */
export const webhookPayload = ({ type, createdAtMs, details }: WebhookDelivery["event"]): string =>
  JSON.stringify({ type, timestamp: isoTime(createdAtMs), data: details });
