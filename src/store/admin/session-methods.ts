// The store's methods for sessions. When a session ends, its open streams end too.
import { signInNote } from "../audit-notes.ts";
import type { OwnerStore } from "../owner-store.ts";
import * as sessions from "../repositories/sessions.ts";
import type { AuditedChanges } from "./audited-changes.ts";

export const sessionMethods = ({ nowMs, read, write, changeUnaudited, record }: AuditedChanges) =>
  ({
    beginSession: (session) =>
      write(async (db) => {
        const isStarted = await sessions.beginSession(db, session, nowMs());
        if (isStarted) {
          const { accountId, address = "", userAgent } = session;
          await record(db, signInNote(accountId, userAgent), { kind: "owner", name: accountId, origin: address });
        }
        return isStarted;
      }),
    findSession: (tokenHash) => read((db) => sessions.findSession(db, tokenHash, nowMs())),
    listSessions: (accountId) => read((db) => sessions.listSessions(db, accountId, nowMs())),
    recordSessionUses: (uses) => write((db) => sessions.recordSessionUses(db, uses)),
    prolongSession: (tokenHash, expiresAtMs) => write((db) => sessions.prolongSession(db, tokenHash, expiresAtMs)),
    async endSession(tokenHash) {
      await changeUnaudited(
        (db) => sessions.endSession(db, tokenHash),
        (accountId) => accountId,
      );
    },
    endOtherSessions: (accountId, currentTokenHash) =>
      changeUnaudited(
        (db) => sessions.endOtherSessions(db, accountId, currentTokenHash, nowMs()),
        (ended) => (ended > 0 ? accountId : undefined),
      ),
  }) satisfies Partial<OwnerStore>;
