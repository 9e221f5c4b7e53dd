// The store's methods for passkeys.
import { signInNote } from "../audit-notes.ts";
import type { PasskeyStore } from "../passkey-store.ts";
import * as passkeys from "../repositories/passkeys.ts";
import type { AuditedChanges } from "./audited-changes.ts";

export const passkeyMethods = ({ nowMs, read, write, writeAudited, record }: AuditedChanges) =>
  ({
    passkeysOf: (accountId) => read((db) => passkeys.passkeysOf(db, accountId)),
    findPasskey: (credentialId) => read((db) => passkeys.findPasskey(db, credentialId)),
    addPasskey: (passkey) =>
      writeAudited(
        (db) => passkeys.addPasskey(db, passkey, nowMs()),
        ({ id, accountId, name }) => ({ action: "account.add_passkey", accountId, subject: id, details: { name } }),
      ),
    async renamePasskey(accountId, id, name) {
      const { passkey } = await writeAudited(
        (db) => passkeys.renamePasskey(db, accountId, id, name),
        ({ formerName }) => ({
          action: "account.rename_passkey",
          accountId,
          subject: id,
          details: { name, former_name: formerName },
        }),
      );
      return passkey;
    },
    removePasskey: (accountId, id) =>
      writeAudited(
        (db) => passkeys.removePasskey(db, accountId, id),
        (name) => ({ action: "account.remove_passkey", accountId, subject: id, details: { name } }),
      ),
    addPasskeyChallenge: (challenge) => write((db) => passkeys.addPasskeyChallenge(db, challenge, nowMs())),
    takePasskeyChallenge: (challengeHash) => write((db) => passkeys.takePasskeyChallenge(db, challengeHash, nowMs())),
    beginPasskeySession: (passkey, counter, session) =>
      write(async (db) => {
        const isStarted = await passkeys.beginPasskeySession(db, passkey, counter, session, nowMs());
        if (isStarted) {
          const { accountId, name } = passkey;
          const note = signInNote(accountId, session.userAgent);
          const by = { kind: "owner", name: accountId, origin: session.address ?? "" } as const;
          await record(db, { ...note, details: { ...note.details, passkey: name } }, by);
        }
        return isStarted;
      }),
  }) satisfies PasskeyStore;
