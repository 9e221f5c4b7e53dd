// The methods of AccountService for keys.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Key } from "../../store/records.ts";
import { createKey, type KeyDependencies, rotateKey, updateKey } from "../keys.ts";
import { asOwner, type Handlers, notFound, type SignedIn, unlessForbidden } from "./handlers.ts";
import { keyMessage } from "./messages.ts";

const DEFAULT_NAME = "default";
const DEFAULT_GRACE_S = 86_400;

/** The handlers. */
export function createKeyHandlers(
  deps: KeyDependencies,
): Pick<Handlers<typeof AccountService, SignedIn>, "listKeys" | "createKey" | "updateKey" | "rotateKey" | "revokeKey"> {
  const { store, clock } = deps;
  const by = (who: SignedIn): KeyDependencies => ({ ...deps, store: asOwner(store, who) });
  const made = (key: Key) => keyMessage(key, clock.nowMs());
  const lastUseOf = async ({ id, accountId }: Key) => (await store.keyUses(accountId)).get(id);
  // Waits until all servers apply the change, or for as long as a caller should wait. `refusedSinceMs`: when a change began that refuses calls.
  const confirmed = async (key: Key, refusedSinceMs?: number) => {
    const change = await store.acknowledged();
    const refusedAfterMs = refusedSinceMs === undefined ? undefined : clock.monotonicMs() - refusedSinceMs;
    return keyMessage(key, clock.nowMs(), { change, lastUsedAtMs: await lastUseOf(key), refusedAfterMs });
  };
  const require = async (id: string, accountId: string): Promise<Key> => {
    const key = await store.findKey(id);
    if (key?.accountId !== accountId) {
      throw notFound("key", id);
    }
    return key;
  };
  return {
    async listKeys(_, { accountId }) {
      const keys = await store.listKeys(accountId);
      const uses = await store.keyUses(accountId);
      const nowMs = clock.nowMs();
      return { count: keys.length, results: keys.map((key) => keyMessage(key, nowMs, { lastUsedAtMs: uses.get(key.id) })) };
    },
    async createKey({ name = DEFAULT_NAME, services, expiresAt }, who) {
      const expiresAtMs = expiresAt === undefined ? null : timestampMs(expiresAt);
      const input = { accountId: who.accountId, name, services: selection(services), expiresAtMs };
      const { key, secret } = await unlessForbidden("account", () => createKey(by(who), input));
      return { key: made(key), secret };
    },
    async updateKey({ keyId, name, disabled, services }, who) {
      const beginMs = clock.monotonicMs();
      const key = await require(keyId, who.accountId);
      const changes = {
        ...(name !== undefined && { name }),
        ...(disabled !== undefined && { disabled }),
        ...(services !== undefined && { services: selection(services.names) }),
      };
      // Without this, a change that changes nothing would be announced to every server.
      if (Object.keys(changes).length === 0) {
        return { key: keyMessage(key, clock.nowMs(), { lastUsedAtMs: await lastUseOf(key) }) };
      }
      const changed = await unlessForbidden("key_id", () => updateKey(by(who), keyId, changes));
      return { key: await confirmed(changed, disabled === true ? beginMs : undefined) };
    },
    async rotateKey({ keyId, graceSeconds = DEFAULT_GRACE_S }, who) {
      const key = await require(keyId, who.accountId);
      const { old, next, secret } = await unlessForbidden("key_id", () => rotateKey(by(who), key, graceSeconds * 1000));
      return { old: await confirmed(old), next: made(next), secret };
    },
    async revokeKey({ keyId }, who) {
      const beginMs = clock.monotonicMs();
      await require(keyId, who.accountId);
      const revoked = await unlessForbidden("key_id", () => asOwner(store, who).revokeKey(keyId));
      return { key: await confirmed(revoked, beginMs) };
    },
  };
}

// The contract lets nothing else through than the services' names.
const selection = (names: readonly string[]): readonly ServiceName[] | null =>
  names.length === 0 ? null : (names as readonly ServiceName[]);
