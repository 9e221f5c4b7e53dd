// The store's methods for keys.
import { keyNote, updateAction } from "../audit-notes.ts";
import { keyUses } from "../repositories/key-uses.ts";
import * as keys from "../repositories/keys.ts";
import type { AdminStore } from "../store.ts";
import type { AuditedChanges } from "./audited-changes.ts";

export function keyMethods({ backend, nowMs, read, addUpThen, change, writeAudited }: AuditedChanges) {
  return {
    // Not announced, because no server can have looked up a key that did not exist yet.
    createKey: (key) =>
      writeAudited(
        (db) => keys.createKey(db, key, nowMs()),
        // If an earlier request created the key, nothing has changed.
        (created) => (created.id === key.id ? keyNote("key.create", created) : undefined),
      ),
    listKeys: (accountId) => read((db) => keys.listKeys(db, accountId)),
    keysAfter: (accountId, after, limit) => read((db) => keys.keysAfter(db, accountId, after, limit)),
    keyUses: (accountId) => addUpThen(accountId, () => backend.read((db) => keyUses(db, accountId))),
    findKey: (id) => read((db) => keys.findKey(db, id)),
    keysEndingIn: (lastFour, limit) => read((db) => keys.keysEndingIn(db, lastFour, limit)),
    revokeKey: (id) =>
      change(
        (db) => keys.revokeKey(db, id, nowMs()),
        (key) => keyNote("key.revoke", key),
      ),
    updateKey: (id, changes) =>
      change(
        (db) => keys.updateKey(db, id, changes),
        (key) => keyNote(updateAction(changes), key),
      ),
    rotateKey: (oldId, next, oldExpiresAtMs) =>
      change(
        (db) => keys.rotateKey(db, oldId, next, oldExpiresAtMs, nowMs()),
        // Not announced, for the same reason as a created key.
        (rotated) =>
          rotated.next.id === next.id
            ? keyNote("key.rotate", rotated.old, { next_id: next.id, next_last_four: next.lastFour })
            : undefined,
      ),
  } satisfies Partial<AdminStore>;
}
