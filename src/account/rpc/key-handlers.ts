// The methods for keys.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { capNameOf } from "../../guard/keys/key-limits.ts";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { dayAt } from "../../runtime/calendar.ts";
import type { Key } from "../../store/records.ts";
import { ACCOUNT_KEYS_MAX } from "../../store/repositories/key-caps.ts";
import { createKey, createKeyOnce, type KeyOptions, rotateKey, rotateKeyOnce, updateKey } from "../keys.ts";
import type { UnspentCalls } from "../usage-history.ts";
import { type AccountHandlers, asOwner, failOnConflict, notFound, type SignedIn } from "./handlers.ts";
import { keyMessage } from "./messages.ts";
import { pageEndOf, pageTokenAfter } from "./page-token.ts";

// The draft requires quotation marks around the key, but many clients send none:
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
const IDEMPOTENCY_KEY = /^("?)([!#-~]{1,64})\1$/;
const DEFAULT_NAME = "default";
const DEFAULT_GRACE_S = 86_400;

export function createKeyHandlers(
  options: KeyOptions & { readonly unspent: UnspentCalls },
): Pick<AccountHandlers, "listKeys" | "createKey" | "updateKey" | "rotateKey" | "revokeKey"> {
  const { store, clock, unspent } = options;
  const optionsFor = (who: SignedIn): KeyOptions => ({ ...options, store: asOwner(store, who) });
  const newKeyMessage = (key: Key) => keyMessage(key, clock.nowMs());
  // How many of this month's calls count against each cap. Other servers may have leased some of them.
  const callsOfCaps = async (keys: readonly Key[]): Promise<ReadonlyMap<string, number>> => {
    const today = dayAt(clock.nowMs());
    const caps = keys.filter(({ callsPerMonth }) => callsPerMonth !== null);
    const leased = caps.length === 0 ? [] : await store.leasedCapCalls(caps, today.month);
    const used = new Map(leased.map((each) => [each.capId, each.leased]));
    return new Map(caps.map((cap) => [cap.capId, Math.max(0, (used.get(cap.capId) ?? 0) - unspent(capNameOf(cap), today))]));
  };
  const lastUseOf = async ({ id, accountId }: Key) => (await store.keyUses(accountId)).get(id);
  // Waits until all servers have applied the change, but no longer than a caller should wait. `refusedSinceMs`: if servers must refuse the
  // key, when that change began.
  const confirmed = async (key: Key, refusedSinceMs?: number) => {
    const change = await store.acknowledged();
    const refusedAfterMs = refusedSinceMs === undefined ? undefined : clock.monotonicMs() - refusedSinceMs;
    const callsThisMonth = (await callsOfCaps([key])).get(key.capId);
    return keyMessage(key, clock.nowMs(), { change, lastUsedAtMs: await lastUseOf(key), callsThisMonth, refusedAfterMs });
  };
  const requireKey = async (id: string, accountId: string): Promise<Key> => {
    const key = await store.findKey(id);
    if (key?.accountId !== accountId) {
      throw notFound("key", id);
    }
    return key;
  };
  return {
    async listKeys({ pageSize, pageToken }, { accountId }) {
      const end = pageToken === "" ? undefined : pageEndOf(pageToken);
      const after = end && { createdAtMs: end.atMs, id: end.id };
      const limit = pageSize === 0 ? ACCOUNT_KEYS_MAX : pageSize;
      const found = await store.keysAfter(accountId, after, limit + 1);
      const uses = await store.keyUses(accountId);
      const nowMs = clock.nowMs();
      const keys = found.slice(0, limit);
      const calls = await callsOfCaps(keys);
      const last = found.length > limit ? keys.at(-1) : undefined;
      return {
        results: keys.map((key) =>
          keyMessage(key, nowMs, { lastUsedAtMs: uses.get(key.id), callsThisMonth: calls.get(key.capId) }),
        ),
        ...(last !== undefined && { nextPageToken: pageTokenAfter({ atMs: last.createdAtMs, id: last.id }) }),
      };
    },
    async createKey({ name = DEFAULT_NAME, services, expiresAt, notes, idempotencyKey: given, ...limits }, who) {
      const idempotencyKey = idempotencyKeyOf(given, who);
      const expiresAtMs = expiresAt === undefined ? null : timestampMs(expiresAt);
      const { allowedAddresses, allowedOrigins, callsPerMonth, requestsPerSecond } = limits;
      const input = {
        accountId: who.accountId,
        name,
        services: selection(services),
        expiresAtMs,
        notes,
        allowedAddresses,
        allowedOrigins,
        callsPerMonth: limitOf(callsPerMonth),
        requestsPerSecond: limitOf(requestsPerSecond),
      };
      const { key, secret = "" } = await failOnConflict("account", () =>
        idempotencyKey === undefined ? createKey(optionsFor(who), input) : createKeyOnce(optionsFor(who), input, idempotencyKey),
      );
      return { key: newKeyMessage(key), secret };
    },
    async updateKey({ keyId, name, disabled, services, notes, ...limits }, who) {
      const beginMs = clock.monotonicMs();
      const key = await requireKey(keyId, who.accountId);
      const { allowedAddresses, allowedOrigins, callsPerMonth, requestsPerSecond } = limits;
      const changes = {
        ...(name !== undefined && { name }),
        ...(disabled !== undefined && { disabled }),
        ...(services !== undefined && { services: selection(services.names) }),
        ...(notes !== undefined && { notes }),
        ...(allowedAddresses !== undefined && { allowedAddresses: allowedAddresses.networks }),
        ...(allowedOrigins !== undefined && { allowedOrigins: allowedOrigins.origins }),
        ...(callsPerMonth !== undefined && { callsPerMonth: limitOf(callsPerMonth) }),
        ...(requestsPerSecond !== undefined && { requestsPerSecond: limitOf(requestsPerSecond) }),
      };
      // Without this, an update without changes would be announced to every server.
      if (Object.keys(changes).length === 0) {
        const callsThisMonth = (await callsOfCaps([key])).get(key.capId);
        return { key: keyMessage(key, clock.nowMs(), { lastUsedAtMs: await lastUseOf(key), callsThisMonth }) };
      }
      const changed = await failOnConflict("key_id", () => updateKey(optionsFor(who), keyId, changes));
      return { key: await confirmed(changed, disabled === true ? beginMs : undefined) };
    },
    async rotateKey({ keyId, graceSeconds = DEFAULT_GRACE_S, idempotencyKey: given }, who) {
      const idempotencyKey = idempotencyKeyOf(given, who);
      const key = await requireKey(keyId, who.accountId);
      const graceMs = graceSeconds * 1000;
      const {
        old,
        next,
        secret = "",
      } = await failOnConflict("key_id", () =>
        idempotencyKey === undefined
          ? rotateKey(optionsFor(who), key, graceMs)
          : rotateKeyOnce(optionsFor(who), key, graceMs, idempotencyKey),
      );
      return { old: await confirmed(old), next: newKeyMessage(next), secret };
    },
    async revokeKey({ keyId }, who) {
      const beginMs = clock.monotonicMs();
      await requireKey(keyId, who.accountId);
      const revoked = await failOnConflict("key_id", () => asOwner(store, who).revokeKey(keyId));
      return { key: await confirmed(revoked, beginMs) };
    },
  };
}

// A client's library may set the header where its user cannot. If both are given, they must be the same.
function idempotencyKeyOf(given: string, { idempotencyKey: header }: SignedIn): string | undefined {
  if (header === undefined) {
    return given === "" ? undefined : given;
  }
  const key = IDEMPOTENCY_KEY.exec(header)?.[2];
  const fault =
    key === undefined
      ? "must be 1 to 64 visible ASCII characters without quotation marks, and the Idempotency-Key header is not"
      : given !== "" && given !== key
        ? "must be the same as the Idempotency-Key header"
        : undefined;
  if (fault !== undefined) {
    throw new Failure(invalidArgument([{ field: "idempotency_key", description: fault }]));
  }
  return key;
}

// In the proto, 0 means none.
const limitOf = (limit: number): number | null => (limit === 0 ? null : limit);

// The proto's rules allow only the services' names.
const selection = (names: readonly string[]): readonly ServiceName[] | null =>
  names.length === 0 ? null : (names as readonly ServiceName[]);
