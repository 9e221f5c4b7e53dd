// The store's methods for accounts.
import { subscriptionNote } from "../audit-notes.ts";
import type { Actor } from "../audit-records.ts";
import { deleteAccount, deleteUsage } from "../repositories/account-deletion.ts";
import { accountPage } from "../repositories/account-pages.ts";
import * as accounts from "../repositories/accounts.ts";
import { deletePersonalData } from "../repositories/audit.ts";
import type { AdminStore } from "../store.ts";
import type { AuditedChanges } from "./audited-changes.ts";

// How long the deletion of an account also deletes its counts and records of calls. Servers delete the rest in the background.
const USAGE_DELETED_MS = 10_000;

export function accountMethods({ backend, nowMs, monotonicMs, actor, run, read, addUpThen, change, record }: AuditedChanges) {
  return {
    createAccount: (account) =>
      change(
        (db) => accounts.createAccount(db, account, nowMs()),
        ({ id, name }) => ({ action: "account.create", accountId: id, details: { name } }),
      ),
    accountsAfter: (name, limit) => read((db) => accounts.accountsAfter(db, name, limit)),
    accountPage: (query) => run(() => accountPage(backend, query)),
    findAccount: (idOrName) => read((db) => accounts.findAccount(db, idOrName)),
    setSuspended: (accountId, suspended) =>
      change(
        (db) => accounts.setSuspended(db, accountId, suspended),
        () => ({ action: suspended ? "account.suspend" : "account.resume", accountId }),
      ),
    setOperator: (accountId, isOperator) =>
      change(
        (db) => accounts.setOperator(db, accountId, isOperator),
        () => ({ action: isOperator ? "account.appoint_operator" : "account.dismiss_operator", accountId }),
      ),
    // Counts that servers have written are added up first, so that they are deleted too.
    deleteAccount: (accountId) =>
      addUpThen(accountId, async () => {
        const untilMs = monotonicMs() + USAGE_DELETED_MS;
        let { hasMoreUsage } = await backend.change(
          async (db) => {
            const { cancelled, hasMoreUsage } = await deleteAccount(db, accountId, nowMs());
            await deletePersonalData(db, accountId);
            // The entry must not name the owner, who is deleted with the account.
            const by: Actor = actor.kind === "owner" ? { kind: "owner", name: "", origin: "" } : actor;
            const notes = [
              ...cancelled.map((subscription) => subscriptionNote("subscription.cancel", subscription)),
              { action: "account.delete", accountId } as const,
            ];
            for (const note of notes) {
              await record(db, note, by);
            }
            return { hasMoreUsage };
          },
          () => accountId,
        );
        while (hasMoreUsage && monotonicMs() < untilMs) {
          // The account is deleted by now. If the database fails, the rest is deleted in the background, too.
          hasMoreUsage = await backend.writeSyncedLater((db) => deleteUsage(db, [accountId])).catch(() => false);
        }
      }),
  } satisfies Partial<AdminStore>;
}
