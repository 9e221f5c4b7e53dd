// The store's methods for alerts.
import type { AlertSettingsStore, AlertStore } from "../alert-store.ts";
import type { Backend } from "../backend.ts";
import { countedCalls, hasChecks, takeChecks } from "../repositories/alert-checks.ts";
import * as deliveries from "../repositories/alert-deliveries.ts";
import * as preferences from "../repositories/alert-preferences.ts";
import { alertPage, expiringKeys } from "../repositories/alerts.ts";
import { addAlerts } from "../repositories/new-alerts.ts";
import type { AuditedChanges } from "./audited-changes.ts";

/** The methods that an account's owner uses. */
export const alertSettingsMethods = ({ nowMs, read, writeAudited }: AuditedChanges) =>
  ({
    alertPreferences: (accountId) => read((db) => preferences.alertPreferences(db, accountId)),
    setAlertPreferences: (accountId, wanted) =>
      writeAudited(
        (db) => preferences.setAlertPreferences(db, accountId, wanted),
        ({ muted }) => ({ action: "account.update_alerts", accountId, details: { not_mailed: muted } }),
      ),
    alertPage: (accountId, page) => read((db) => alertPage(db, accountId, page, nowMs())),
  }) satisfies AlertSettingsStore;

/** The methods that servers use for all accounts. */
export const alertMethods = ({
  nowMs,
  read,
  write,
  writeSyncedLater,
}: Pick<AuditedChanges, "nowMs" | "read" | "write"> & Pick<Backend, "writeSyncedLater">) =>
  ({
    // Servers ask every few seconds, and often nothing is due: a read costs much less than a transaction. An alert is sent only after the
    // claim of its delivery has been written durably, along with everything before it.
    checkAlerts: async (rules, { refunded, mails, limit }) => {
      if (!(await read(hasChecks))) {
        return 0;
      }
      return writeSyncedLater(async (db) => {
        const now = nowMs();
        const { taken, standings } = await takeChecks(db, limit, now);
        const alerts = [];
        for (const standing of standings) {
          const counted = rules.needsCounts(standing, now) ? await countedCalls(db, standing, refunded, now) : undefined;
          alerts.push(...rules.alertsOf(standing, counted, now));
        }
        await addAlerts(db, alerts, { mails }, now);
        return taken;
      });
    },
    expiringKeys: (untilMs, after, limit) => read((db) => expiringKeys(db, untilMs, after, limit)),
    addAlerts: (alerts, options) => write((db) => addAlerts(db, alerts, options, nowMs())),
    claimDeliveries: async (limit, leaseMs) =>
      (await read((db) => deliveries.isDeliveryDue(db, nowMs())))
        ? write((db) => deliveries.claimDeliveries(db, limit, leaseMs, nowMs()))
        : [],
    endAttempt: (delivery, result) => write((db) => deliveries.endAttempt(db, delivery, result)),
    waitingDeliveries: (max) => read((db) => deliveries.waitingDeliveries(db, max)),
  }) satisfies AlertStore;
