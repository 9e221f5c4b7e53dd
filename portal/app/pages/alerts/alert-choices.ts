// The types of alerts that go by e-mail and to webhooks, in words.
import { AlertType } from "../../../../gen/quintet/account/v1/alert_pb.js";

/** Value → label. */
export const ALERT_CHOICES = [
  [String(AlertType.QUOTA_THRESHOLD), "50, 80, 95 and 100% of a month's calls are used"],
  [String(AlertType.QUOTA_FORECAST), "A month's calls will probably not last"],
  [String(AlertType.KEY_EXPIRING), "A key is about to expire"],
  [String(AlertType.CALLS_FAILING), "Calls suddenly fail"],
] as const;
