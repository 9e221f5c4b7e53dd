// The store's methods for subscriptions, and for calls that an operator credits for a month.
import { subscriptionNote } from "../audit-notes.ts";
import { creditCalls } from "../repositories/leases.ts";
import * as lists from "../repositories/subscription-lists.ts";
import * as subscriptions from "../repositories/subscriptions.ts";
import type { AdminStore } from "../store.ts";
import type { AuditedChanges } from "./audited-changes.ts";

export function subscriptionMethods({ nowMs, read, change }: AuditedChanges) {
  return {
    createSubscription: (subscription) =>
      change(
        (db) => subscriptions.createSubscription(db, subscription, nowMs()),
        (created) => subscriptionNote("subscription.create", created),
      ),
    listSubscriptions: (accountId) => read((db) => subscriptions.listSubscriptions(db, accountId)),
    listCurrentSubscriptions: (accountId) => read((db) => subscriptions.listCurrentSubscriptions(db, accountId)),
    subscriptionPage: (query) => read((db) => lists.subscriptionPage(db, query)),
    plansInUse: () => read(lists.plansInUse),
    subscriberCount: (plan) => read((db) => lists.subscriberCount(db, plan)),
    subscribersAfter: (plan, id, limit) => read((db) => lists.subscribersAfter(db, plan, id, limit)),
    findSubscriptionById: (id) => read((db) => subscriptions.findSubscriptionById(db, id)),
    findSubscription: (accountId, service) => read((db) => subscriptions.findSubscription(db, accountId, service)),
    requestPlan: (id, plan) =>
      change(
        (db) => subscriptions.requestPlan(db, id, plan),
        (changed) => subscriptionNote("subscription.request", changed),
      ),
    activate: (id, plan, terms) =>
      change(
        (db) => subscriptions.activate(db, id, plan, terms, nowMs()),
        (changed) => subscriptionNote("subscription.activate", changed),
      ),
    cancel: (id) =>
      change(
        (db) => subscriptions.cancel(db, id),
        (changed) => subscriptionNote("subscription.cancel", changed),
      ),
    declinePlan: (id) =>
      change(
        (db) => subscriptions.declinePlan(db, id),
        (changed) => subscriptionNote("subscription.decline", changed),
      ),
    // Announced as a change to the account, so that servers that consider the monthly quota used up try to lease again.
    credit: (subscriptionId, month, calls, reason) =>
      change(
        (db) => creditCalls(db, subscriptionId, month, calls),
        ({ accountId, service, credited }) => ({
          action: "quota.credit",
          accountId,
          subject: subscriptionId,
          details: { service, month, calls, credited, ...(reason !== undefined && { reason }) },
        }),
      ),
  } satisfies Partial<AdminStore>;
}
