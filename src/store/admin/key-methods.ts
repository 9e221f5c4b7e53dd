// The store's methods for keys.
import { keyNote, updateAction } from "../audit-notes.ts";
import { keyUses } from "../repositories/key-uses.ts";
import * as keys from "../repositories/keys.ts";
import type { AdminStore } from "../store.ts";
import type { NotedChanges } from "./noted-changes.ts";

type KeyMethods = Pick<
  AdminStore,
  "createKey" | "listKeys" | "keyUses" | "findKey" | "keysEndingIn" | "revokeKey" | "updateKey" | "rotateKey"
>;

/** The methods. */
export function keyMethods({ nowMs, read, change }: NotedChanges): KeyMethods {
  return {
    createKey: (key) =>
      change(
        (db) => keys.createKey(db, key, nowMs()),
        (made) => keyNote("key.create", made),
      ),
    listKeys: (accountId) => read((db) => keys.listKeys(db, accountId)),
    keyUses: (accountId) => read((db) => keyUses(db, accountId)),
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
        ({ old, next }) => keyNote("key.rotate", old, { next_id: next.id, next_last_four: next.lastFour }),
      ),
  };
}
