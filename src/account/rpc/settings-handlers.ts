// The settings of an account that its members change: which alerts are mailed, and whether calls are logged with their parameters.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AccountSettings, AccountSettingsSchema, UpdateAccountRequest } from "../../../gen/quintet/account/v1/account_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { ALERT_TYPES } from "../../store/alert-records.ts";
import type { AdminStore } from "../../store/store.ts";
import { ALERT_TYPE_MESSAGES } from "./alert-handlers.ts";
import { type AccountHandlers, asOwner, failOnConflict } from "./handlers.ts";

// Customers must learn of a change of their plan.
const MUTABLE_TYPES = ALERT_TYPES.filter((type) => type !== "plan.changed");

/** An account's settings, as they are now. */
export async function settingsOf(
  store: Pick<AdminStore, "alertPreferences" | "keepsParameters">,
  accountId: string,
): Promise<MessageInitShape<typeof AccountSettingsSchema>> {
  const [{ muted }, logsParameters] = [await store.alertPreferences(accountId), await store.keepsParameters(accountId)];
  const mailed = ALERT_TYPES.filter((type) => !muted.includes(type)).map((type) => ALERT_TYPE_MESSAGES[type]);
  return { alerts: { mailed }, logsParameters };
}

export const createSettingsHandlers = ({ store }: { readonly store: AdminStore }): Pick<AccountHandlers, "updateAccount"> => ({
  async updateAccount({ settings, updateMask }, who) {
    const changed = changedFields(settings, updateMask);
    const { alerts, logsParameters = false } = settings ?? {};
    if (changed.has("alerts")) {
      const muted = alerts === undefined ? [] : MUTABLE_TYPES.filter((type) => !alerts.mailed.includes(ALERT_TYPE_MESSAGES[type]));
      await failOnConflict("account", () => asOwner(store, who).setAlertPreferences(who.accountId, { muted }));
    }
    if (changed.has("logs_parameters")) {
      await asOwner(store, who).setKeepsParameters(who.accountId, logsParameters);
    }
    return { settings: await settingsOf(store, who.accountId) };
  },
});

// Without a mask, the fields that are given are changed. A field that only the mask names returns to its default.
function changedFields(settings: AccountSettings | undefined, mask: UpdateAccountRequest["updateMask"]): ReadonlySet<string> {
  const paths = mask?.paths ?? [];
  if (paths.length === 0) {
    return new Set([
      ...(settings?.alerts === undefined ? [] : ["alerts"]),
      ...(settings?.logsParameters === undefined ? [] : ["logs_parameters"]),
    ]);
  }
  if (!paths.every((path) => path === "alerts" || path === "logs_parameters")) {
    const description = "must name only fields of settings: alerts and logs_parameters";
    throw new Failure(invalidArgument([{ field: "update_mask", description }]));
  }
  return new Set(paths);
}
