// The types of alerts in words: users choose which are sent by e-mail and to webhooks.
import { AlertType } from "../../../../gen/quintet/account/v1/alert_pb.js";

// `Record` makes the compiler find a missing type. Without a checkbox for it, saving the form would switch off its e-mails.
const LABELS: Readonly<Record<Exclude<AlertType, AlertType.UNSPECIFIED>, string>> = {
  [AlertType.QUOTA_THRESHOLD]: "A monthly quota reaches 50, 80, 95 or 100%",
  [AlertType.QUOTA_FORECAST]: "A monthly quota will probably run out early",
  [AlertType.KEY_EXPIRING]: "A key is about to expire",
  [AlertType.CALLS_FAILING]: "Calls suddenly fail",
  [AlertType.WEBHOOK_FAILING]: "A webhook endpoint fails for a day, or is disabled",
  [AlertType.PLAN_CHANGED]: "A plan is requested, active, paid, not paid, or about to change (always mailed)",
  [AlertType.PLAN_REQUESTED]: "For operators: a customer requests a plan",
  [AlertType.PLAN_DISPUTED]: "For operators: a payment for a plan is disputed",
};

/** What may be sent by e-mail: value → label. */
export const MAILED_CHOICES: readonly (readonly [string, string])[] = Object.entries(LABELS);

/** What may be sent to webhooks: value → label. Alerts about failing webhooks are only sent by e-mail. */
export const WEBHOOK_CHOICES = MAILED_CHOICES.filter(([type]) => type !== String(AlertType.WEBHOOK_FAILING));
