// Webhook endpoints and deliveries as messages.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { AlertType as Type } from "../../../gen/quintet/account/v1/alert_pb.js";
import {
  type WebhookDeliverySchema,
  WebhookDeliveryState,
  WebhookDisabledReason,
  type WebhookEndpointSchema,
} from "../../../gen/quintet/account/v1/webhook_pb.js";
import {
  ALERT_TYPES,
  type AlertType,
  type DeliveryState,
  type DisabledBy,
  type WebhookDelivery,
  type WebhookEndpoint,
  webhookPayload,
} from "../../store/alert-records.ts";
import { ALERT_TYPE_MESSAGES } from "./alert-handlers.ts";

const REASONS: Readonly<Record<DisabledBy, WebhookDisabledReason>> = {
  owner: WebhookDisabledReason.OWNER,
  failures: WebhookDisabledReason.FAILURES,
  gone: WebhookDisabledReason.GONE,
};

const STATES: Readonly<Record<DeliveryState, WebhookDeliveryState>> = {
  waiting: WebhookDeliveryState.WAITING,
  delivered: WebhookDeliveryState.DELIVERED,
  failed: WebhookDeliveryState.FAILED,
};

/** The alert types that a message names, in the usual order. */
export const alertTypesOf = (types: readonly Type[]): readonly AlertType[] =>
  ALERT_TYPES.filter((type) => types.includes(ALERT_TYPE_MESSAGES[type]));

const optionalTimestamp = (ms: number | undefined) => (ms === undefined ? undefined : timestampFromMs(ms));

export const endpointMessage = (endpoint: WebhookEndpoint): MessageInitShape<typeof WebhookEndpointSchema> => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  // A type that only another version knows is left out.
  alertTypes: endpoint.alertTypes.map((type) => ALERT_TYPE_MESSAGES[type]).filter((type) => type !== undefined),
  disabled: endpoint.disabledBy !== undefined,
  ...(endpoint.disabledBy !== undefined && { disabledReason: REASONS[endpoint.disabledBy] }),
  failingSince: optionalTimestamp(endpoint.failingSinceMs),
  previousSecretExpiresAt: optionalTimestamp(endpoint.previousSecretUntilMs),
  createdAt: timestampFromMs(endpoint.createdAtMs),
});

export const deliveryMessage = (delivery: WebhookDelivery): MessageInitShape<typeof WebhookDeliverySchema> => ({
  id: delivery.id,
  eventId: delivery.event.id,
  eventType: delivery.event.type,
  state: STATES[delivery.state],
  createdAt: timestampFromMs(delivery.createdAtMs),
  nextAttemptAt: optionalTimestamp(delivery.dueAtMs),
  payload: webhookPayload(delivery.event),
  error: delivery.error ?? "",
  attempts: delivery.attempts.map(({ attempt, atMs, durationMs, httpStatus, response, error = "" }) => ({
    ...{ attempt, sentAt: timestampFromMs(atMs), durationMs, response, error },
    ...(httpStatus !== undefined && { httpStatus }),
  })),
});
