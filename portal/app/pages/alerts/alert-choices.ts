// The types of alerts that go by e-mail and to webhooks, in words.
import { AlertType } from "../../../../gen/quintet/account/v1/alert_pb.js";

/** Value → label. */
export const ALERT_CHOICES = [
  [String(AlertType.QUOTA_THRESHOLD), "A monthly quota reaches 50, 80, 95 or 100%"],
  [String(AlertType.QUOTA_FORECAST), "A monthly quota will probably run out early"],
  [String(AlertType.KEY_EXPIRING), "A key is about to expire"],
  [String(AlertType.CALLS_FAILING), "Calls suddenly fail"],
] as const;
