// The operators' and customers' side of the SQL store. Who changes something is noted in the audit trail, in the transaction of the change.
import type { Clock } from "../runtime/clock.ts";
import { keyNote, subscriptionNote, updateAction } from "./audit-notes.ts";
import type { Actor, AuditNote } from "./audit-records.ts";
import type { Backend } from "./backend.ts";
import type { OwnerStore } from "./owner-store.ts";
import { deleteAccount } from "./repositories/account-deletion.ts";
import { accountPage } from "./repositories/account-pages.ts";
import * as accounts from "./repositories/accounts.ts";
import * as audit from "./repositories/audit.ts";
import * as keyUses from "./repositories/key-uses.ts";
import * as keys from "./repositories/keys.ts";
import { creditCalls, leasedCalls } from "./repositories/leases.ts";
import * as mailTokens from "./repositories/mail-tokens.ts";
import * as owners from "./repositories/owners.ts";
import * as refusals from "./repositories/refusals.ts";
import * as sessions from "./repositories/sessions.ts";
import * as lists from "./repositories/subscription-lists.ts";
import * as subscriptions from "./repositories/subscriptions.ts";
import { topAccounts } from "./repositories/top-accounts.ts";
import * as usage from "./repositories/usage.ts";
import type { Queries } from "./schema.ts";
import type { AdminStore } from "./store.ts";

/** What the store works with. */
export interface SqlAdminStoreOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** How long entries of the audit trail are kept, in days. */
  readonly auditDays: number;
  /** Runs work unless the store is closed, and translates a driver's error. */
  readonly run: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
}

/** The store in the name of an actor. */
export function createSqlAdminStore(options: SqlAdminStoreOptions, actor: Actor): AdminStore & OwnerStore {
  const { backend, clock, auditDays, run } = options;
  const read = <Answer>(work: (db: Queries) => Promise<Answer>) => run(() => backend.read(work));
  const write = <Answer>(work: (db: Queries) => Promise<Answer>) => run(() => backend.write(work));
  const record = (db: Queries, note: AuditNote, by = actor): Promise<void> =>
    audit.recordAudit(db, by, note, { nowMs: clock.nowMs(), keptDays: auditDays });
  // The work and its note, as one.
  const noted =
    <Answer>(work: (db: Queries) => Promise<Answer>, noteOf: (answer: Answer) => AuditNote) =>
    async (db: Queries): Promise<Answer> => {
      const answer = await work(db);
      await record(db, noteOf(answer));
      return answer;
    };
  // Every note of a change names the account that has changed.
  const change = <Answer>(work: (db: Queries) => Promise<Answer>, noteOf: (answer: Answer) => AuditNote & { accountId: string }) =>
    run(() => backend.change(noted(work, noteOf), (answer) => noteOf(answer).accountId));
  return {
    by: (other) => createSqlAdminStore(options, other),
    note: (note) =>
      write(
        noted(
          async () => {},
          () => note,
        ),
      ),
    auditPage: (query) => read((db) => audit.auditPage(db, query)),

    createAccount: (account) =>
      change(
        (db) => accounts.createAccount(db, account, clock.nowMs()),
        ({ id, name }) => ({ action: "account.create", accountId: id, subject: null, details: { name } }),
      ),
    listAccounts: () => read(accounts.listAccounts),
    accountPage: (query) => run(() => accountPage(backend, query)),
    findAccount: (idOrName) => read((db) => accounts.findAccount(db, idOrName)),
    setSuspended: (accountId, suspended) =>
      change(
        (db) => accounts.setSuspended(db, accountId, suspended),
        () => ({ action: suspended ? "account.suspend" : "account.resume", accountId, subject: null, details: {} }),
      ),
    setOperator: (accountId, isOperator) =>
      change(
        (db) => accounts.setOperator(db, accountId, isOperator),
        () => ({
          action: isOperator ? "account.appoint_operator" : "account.dismiss_operator",
          accountId,
          subject: null,
          details: {},
        }),
      ),
    deleteAccount: (accountId) =>
      run(async () => {
        await backend.change(
          async (db) => {
            const cancelled = await deleteAccount(db, accountId, clock.nowMs());
            await audit.forgetPeople(db, accountId);
            // The owner is forgotten with the account.
            const by: Actor = actor.kind === "owner" ? { kind: "owner", name: "", origin: "" } : actor;
            const notes = [
              ...cancelled.map((subscription) => subscriptionNote("subscription.cancel", subscription)),
              { action: "account.delete", accountId, subject: null, details: {} } as const,
            ];
            for (const note of notes) {
              await record(db, note, by);
            }
          },
          () => accountId,
        );
      }),

    createKey: (key) =>
      change(
        (db) => keys.createKey(db, key, clock.nowMs()),
        (made) => keyNote("key.create", made),
      ),
    listKeys: (accountId) => read((db) => keys.listKeys(db, accountId)),
    keyUses: (accountId) => read((db) => keyUses.keyUses(db, accountId)),
    findKey: (id) => read((db) => keys.findKey(db, id)),
    keysEndingIn: (lastFour, limit) => read((db) => keys.keysEndingIn(db, lastFour, limit)),
    revokeKey: (id) =>
      change(
        (db) => keys.revokeKey(db, id, clock.nowMs()),
        (key) => keyNote("key.revoke", key),
      ),
    updateKey: (id, changes) =>
      change(
        (db) => keys.updateKey(db, id, changes),
        (key) => keyNote(updateAction(changes), key),
      ),
    rotateKey: (oldId, next, oldExpiresAtMs) =>
      change(
        (db) => keys.rotateKey(db, oldId, next, oldExpiresAtMs, clock.nowMs()),
        ({ old, next }) => keyNote("key.rotate", old, { next_id: next.id, next_last_four: next.lastFour }),
      ),

    createSubscription: (subscription) =>
      change(
        (db) => subscriptions.createSubscription(db, subscription, clock.nowMs()),
        (made) => subscriptionNote("subscription.create", made),
      ),
    listSubscriptions: (accountId) => read((db) => subscriptions.listSubscriptions(db, accountId)),
    listSubscriptionsInForce: (accountId) => read((db) => subscriptions.listSubscriptionsInForce(db, accountId)),
    subscriptionPage: (query) => read((db) => lists.subscriptionPage(db, query)),
    activeSubscriptionsAfter: (id, limit) => read((db) => lists.activeSubscriptionsAfter(db, id, limit)),
    planSubscribers: () => read(lists.planSubscribers),
    findSubscriptionById: (id) => read((db) => subscriptions.findSubscriptionById(db, id)),
    findSubscription: (accountId, service) => read((db) => subscriptions.findSubscription(db, accountId, service)),
    requestPlan: (id, plan) =>
      change(
        (db) => subscriptions.requestPlan(db, id, plan),
        (changed) => subscriptionNote("subscription.request", changed),
      ),
    activate: (id, plan) =>
      change(
        (db) => subscriptions.activate(db, id, plan),
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

    acknowledged: () => backend.acknowledged(),
    nodes: () => run(() => backend.nodes()),

    // Servers that take the month for used up ask again, because the account has changed.
    credit: (subscriptionId, month, calls) =>
      change(
        (db) => creditCalls(db, subscriptionId, month, calls),
        ({ accountId, service, credited }) => ({
          action: "quota.credit",
          accountId,
          subject: subscriptionId,
          details: { service, month, calls, credited },
        }),
      ),
    leasedCalls: (ids, month) => read((db) => leasedCalls(db, ids, month)),
    usageRows: (query) => run(() => usage.usageRows(backend, query)),
    refusalRows: (query) => run(() => refusals.refusalRows(backend, query)),
    topAccounts: (query) => run(() => topAccounts(backend, query)),

    // Nobody knows of a new account yet, so nothing is announced.
    createOwnedAccount: (account, hash) =>
      write(
        noted(
          (db) => owners.createOwnedAccount(db, account, hash, clock.nowMs()),
          ({ id, name }) => ({ action: "account.sign_up", accountId: id, subject: null, details: { name } }),
        ),
      ),
    findOwner: (email) => read((db) => owners.findOwner(db, email)),
    findOwnerOf: (accountId) => read((db) => owners.findOwnerOf(db, accountId)),
    setOwnerPassword: (accountId, hash) =>
      write(
        noted(
          (db) => owners.setOwnerPassword(db, accountId, hash, clock.nowMs()),
          () => ({ action: "account.draw_password", accountId, subject: null, details: {} }),
        ),
      ),
    changeOwnerPassword: (accountId, hashes) =>
      write(async (db) => {
        const isChanged = await owners.changeOwnerPassword(db, accountId, hashes, clock.nowMs());
        if (isChanged) {
          await record(db, { action: "account.change_password", accountId, subject: null, details: {} });
        }
        return isChanged;
      }),
    addMailToken: (token) => write((db) => mailTokens.addMailToken(db, token, clock.nowMs())),
    findMailToken: (tokenHash) => read((db) => mailTokens.findMailToken(db, tokenHash, clock.nowMs())),
    resetPassword: (tokenHash, passwordHash) =>
      write(async (db) => {
        const reset = await mailTokens.resetPassword(db, tokenHash, passwordHash, clock.nowMs());
        if (reset !== undefined) {
          await record(db, { action: "account.reset_password", accountId: reset.accountId, subject: null, details: {} });
        }
        return reset !== undefined;
      }),
    verifyEmail: (tokenHash, made) =>
      write(async (db) => {
        const verified = await mailTokens.verifyEmail(db, tokenHash, made, clock.nowMs());
        if (verified !== undefined) {
          const { accountId, account } = verified;
          const note = { accountId, subject: null };
          await record(
            db,
            account === undefined
              ? { ...note, action: "account.verify_email", details: {} }
              : { ...note, action: "account.sign_up", details: { name: account.name } },
          );
        }
        return verified !== undefined;
      }),
    beginSession: (session) => write((db) => sessions.beginSession(db, session, clock.nowMs())),
    findSession: (tokenHash) => read((db) => sessions.findSession(db, tokenHash, clock.nowMs())),
    listSessions: (accountId) => read((db) => sessions.listSessions(db, accountId, clock.nowMs())),
    noteSessionUses: (uses) => write((db) => sessions.noteSessionUses(db, uses)),
    prolongSession: (tokenHash, expiresAtMs) => write((db) => sessions.prolongSession(db, tokenHash, expiresAtMs)),
    endSession: (tokenHash) => write((db) => sessions.endSession(db, tokenHash)),
    endOtherSessions: (accountId, keptTokenHash) =>
      write((db) => sessions.endOtherSessions(db, accountId, keptTokenHash, clock.nowMs())),
  };
}
