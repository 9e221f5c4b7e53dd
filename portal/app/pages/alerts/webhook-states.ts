// Webhook endpoints and deliveries in words.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type WebhookDelivery,
  WebhookDeliveryState,
  WebhookDisabledReason,
  type WebhookEndpoint,
} from "../../../../gen/quintet/account/v1/webhook_pb.js";
import { WEBHOOK_CHOICES } from "./alert-choices.ts";

interface State {
  readonly tone: "good" | "waits" | "off";
  readonly label: string;
}

/** Whether an endpoint works. */
export function endpointState({ disabled, disabledReason, failingSince }: WebhookEndpoint): State {
  if (disabled) {
    const labels = {
      [WebhookDisabledReason.FAILURES]: "Disabled after 5 days of failures",
      [WebhookDisabledReason.GONE]: "Disabled: it responded with HTTP 410",
      [WebhookDisabledReason.OWNER]: "Disabled",
      [WebhookDisabledReason.UNSPECIFIED]: "Disabled",
    };
    return { tone: "off", label: labels[disabledReason ?? WebhookDisabledReason.UNSPECIFIED] };
  }
  return failingSince === undefined ? { tone: "good", label: "Enabled" } : { tone: "waits", label: "Failing" };
}

export const alertTypesText = ({ alertTypes }: WebhookEndpoint): string =>
  alertTypes.length === 0
    ? "All alerts"
    : WEBHOOK_CHOICES.filter(([type]) => alertTypes.includes(Number(type)))
        .map(([, label]) => label)
        .join("; ");

/** The state of a delivery, and how its last attempt ended. */
export function deliveryState({ state, attempts, error }: WebhookDelivery): State & { readonly detail: string } {
  const last = attempts.at(-1);
  const status = last?.httpStatus === undefined ? "" : `HTTP ${last.httpStatus} in ${last.durationMs} ms`;
  switch (state) {
    case WebhookDeliveryState.DELIVERED:
      return { tone: "good", label: "Delivered", detail: status };
    case WebhookDeliveryState.FAILED:
      return { tone: "off", label: "Failed", detail: error || (last?.error ?? "") };
    default:
      return { tone: "waits", label: attempts.length === 0 ? "Sending" : "Will be retried", detail: last?.error ?? "" };
  }
}

/** Whether the next attempt is due within two and a half minutes, so that the page should keep polling. */
export const isSoon = ({ state, nextAttemptAt }: WebhookDelivery, nowMs: number): boolean =>
  state === WebhookDeliveryState.WAITING && secondsOf(nextAttemptAt) * 1000 - nowMs < 150_000;

const secondsOf = (at: Timestamp | undefined): number => Number(at?.seconds ?? 0n);
