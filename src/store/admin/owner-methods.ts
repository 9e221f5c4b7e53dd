// The store's methods for owners, their passwords, and the links that are mailed to them. A new password or
// address ends sessions, which is announced to their open streams.
import type { AuditNote } from "../audit-records.ts";
import type { OwnerStore } from "../owner-store.ts";
import * as mailTokens from "../repositories/mail-tokens.ts";
import * as owners from "../repositories/owners.ts";
import type { AuditedChanges } from "./audited-changes.ts";

const changeNote = ({ accountId, from, to }: owners.ChangedEmail): AuditNote & { accountId: string } => ({
  action: "account.change_email",
  accountId,
  details: { from, to },
});

export function ownerMethods({ nowMs, read, write, writeAudited, change }: AuditedChanges) {
  return {
    createOwnedAccount: (account, hash) =>
      writeAudited(
        (db) => owners.createOwnedAccount(db, account, hash, nowMs()),
        ({ id, name }) => ({ action: "account.sign_up", accountId: id, details: { name } }),
      ),
    findOwner: (email) => read((db) => owners.findOwner(db, email)),
    findOwnerOf: (accountId) => read((db) => owners.findOwnerOf(db, accountId)),
    setOwnerPassword: (accountId, hash) =>
      change(
        (db) => owners.setOwnerPassword(db, accountId, hash, nowMs()),
        () => ({ action: "account.draw_password", accountId }),
      ),
    changeOwnerPassword: (accountId, hashes) =>
      change(
        (db) => owners.changeOwnerPassword(db, accountId, hashes, nowMs()),
        (isChanged) => (isChanged ? { action: "account.change_password", accountId } : undefined),
      ),
    addMailToken: (token) => write((db) => mailTokens.addMailToken(db, token, nowMs())),
    findMailToken: (tokenHash) => read((db) => mailTokens.findMailToken(db, tokenHash, nowMs())),
    async resetPassword(tokenHash, passwordHash) {
      const reset = await change(
        (db) => mailTokens.resetPassword(db, tokenHash, passwordHash, nowMs()),
        (done) => done && { action: "account.reset_password", accountId: done.accountId },
      );
      return reset !== undefined;
    },
    async verifyEmail(tokenHash, created) {
      const verified = await writeAudited(
        (db) => mailTokens.verifyEmail(db, tokenHash, created, nowMs()),
        (done) => {
          if (done === undefined) {
            return undefined;
          }
          const { accountId, account } = done;
          return account === undefined
            ? { action: "account.verify_email", accountId }
            : { action: "account.sign_up", accountId, details: { name: account.name } };
        },
      );
      return verified !== undefined;
    },
    async changeOwnerEmail(accountId, emailChange) {
      await change((db) => owners.changeOwnerEmail(db, accountId, emailChange, nowMs()), changeNote);
    },
    async changeEmailByLink(tokenHash) {
      const changed = await change(
        (db) => mailTokens.changeEmailByLink(db, tokenHash, nowMs()),
        (done) => done && changeNote(done),
      );
      return changed?.from;
    },
  } satisfies Partial<OwnerStore>;
}
