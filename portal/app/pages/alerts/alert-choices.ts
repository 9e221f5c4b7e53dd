// The types of alerts in words, as choices of what is sent by e-mail and to webhooks.
import { AlertType } from "../../../../gen/quintet/account/v1/alert_pb.js";

// The compiler finds a type that is left out: its box would be missing, so that saving the form would switch off its e-mails.
const LABELS: Readonly<Record<Exclude<AlertType, AlertType.UNSPECIFIED>, string>> = {
  [AlertType.QUOTA_THRESHOLD]: "A monthly quota reaches 50, 80, 95 or 100%",
  [AlertType.QUOTA_FORECAST]: "A monthly quota will probably run out early",
  [AlertType.KEY_EXPIRING]: "A key is about to expire",
  [AlertType.CALLS_FAILING]: "Calls suddenly fail",
  [AlertType.WEBHOOK_FAILING]: "A webhook endpoint fails for a day, or is disabled",
};

/** What may be sent by e-mail: value → label. */
export const MAILED_CHOICES: readonly (readonly [string, string])[] = Object.entries(LABELS);

/** What may be sent to webhooks: value → label. That webhooks fail is only mailed. */
export const WEBHOOK_CHOICES = MAILED_CHOICES.filter(([type]) => type !== String(AlertType.WEBHOOK_FAILING));
