// The store's methods for webhooks.
import * as claims from "../repositories/webhook-claims.ts";
import * as deliveries from "../repositories/webhook-deliveries.ts";
import * as endpoints from "../repositories/webhook-endpoints.ts";
import type { WebhookEndpoint } from "../webhook-records.ts";
import type { WebhookSettingsStore, WebhookStore } from "../webhook-store.ts";
import type { AuditedChanges } from "./audited-changes.ts";

/** The methods that an account's owner uses. */
export const webhookSettingsMethods = ({ nowMs, read, write, writeAudited }: AuditedChanges) =>
  ({
    webhookEndpoints: (accountId) => read((db) => endpoints.endpointsOf(db, accountId, nowMs())),
    findWebhookEndpoint: (accountId, id) => read((db) => endpoints.findEndpoint(db, accountId, id, nowMs())),
    createWebhookEndpoint: (endpoint) =>
      writeAudited((db) => endpoints.createEndpoint(db, endpoint, nowMs()), noteOf("webhook.create")),
    updateWebhookEndpoint: (accountId, id, changes) =>
      writeAudited((db) => endpoints.updateEndpoint(db, accountId, id, changes, nowMs()), noteOf("webhook.update")),
    rotateWebhookSecret: (accountId, id, secret, previousUntilMs) =>
      writeAudited(
        (db) => endpoints.rotateSecret(db, { accountId, id, secret, previousUntilMs }, nowMs()),
        noteOf("webhook.rotate_secret"),
      ),
    async deleteWebhookEndpoint(accountId, id) {
      await writeAudited(
        (db) => endpoints.deleteEndpoint(db, accountId, id),
        ({ url }) => ({ action: "webhook.delete", accountId, subject: id, details: { url } }),
      );
    },
    addWebhookTest: (accountId, endpointId, eventId) =>
      write((db) => deliveries.addTest(db, { accountId, endpointId, eventId }, nowMs())),
    webhookDeliveries: (accountId, endpointId, page) =>
      read((db) => deliveries.deliveryPage(db, { accountId, endpointId }, page, nowMs())),
    findWebhookDelivery: (accountId, id) => read((db) => deliveries.findDelivery(db, accountId, id, nowMs())),
    replayWebhookDelivery: (accountId, id) => write((db) => deliveries.replayDelivery(db, accountId, id, nowMs())),
  }) satisfies WebhookSettingsStore;

const noteOf =
  (action: "webhook.create" | "webhook.update" | "webhook.rotate_secret") =>
  ({ id, accountId, url, alertTypes, disabledBy }: WebhookEndpoint) => ({
    ...{ action, accountId, subject: id },
    details: { url, alert_types: alertTypes, disabled: disabledBy !== undefined },
  });

/** The methods that servers use for all accounts. */
export const webhookMethods = ({ nowMs, read, write }: Pick<AuditedChanges, "nowMs" | "read" | "write">) =>
  ({
    // Servers ask every few seconds, and nearly always nothing is due: a read costs much less than a transaction.
    claimWebhooks: async (options) =>
      (await read((db) => claims.isWebhookDue(db, nowMs()))) ? write((db) => claims.claimWebhooks(db, options, nowMs())) : [],
    endWebhookAttempt: (webhook, result, options) => write((db) => claims.endWebhookAttempt(db, webhook, result, options, nowMs())),
  }) satisfies WebhookStore;
