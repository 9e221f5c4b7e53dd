// What customers and operators can do with a key: create, change and rotate it, and see its state.
import { createHash } from "node:crypto";
import type { ServiceName } from "../catalogue/service-names.ts";
import { generateKey, type KeyPrefix } from "../guard/keys/key.ts";
import { Failure } from "../problem/failure.ts";
import { invalidArgument, type Violation } from "../problem/problem.ts";
import type { Clock } from "../runtime/clock.ts";
import { CONTROL_CHARACTERS, isBlank, NOT_BLANK } from "../runtime/control-characters.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { AllowedCallers, Key, KeyChanges, KeyLimits, KeyRequest } from "../store/records.ts";
import { RequestIdReused } from "../store/repositories/keys.ts";
import type { AdminStore } from "../store/store.ts";
import { callerFaults, canonicalCallers } from "./allowed-callers.ts";

/** The highest values that a key's own limits can have: calls per month, and requests per second. */
const CALLS_MAX = 1_000_000_000;
const REQUESTS_MAX = 100_000;

/** What is wrong with the given limits. */
function limitFaults({ callsPerMonth, requestsPerSecond }: Partial<KeyLimits>): Violation[] {
  return [
    ...faultOf("calls_per_month", callsPerMonth, CALLS_MAX),
    ...faultOf("requests_per_second", requestsPerSecond, REQUESTS_MAX),
  ];
}

const faultOf = (field: string, limit: number | null | undefined, max: number): Violation[] =>
  limit === undefined || limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= max)
    ? []
    : [{ field, description: `must be a whole number from 1 to ${max}, not ${limit}` }];

const DAY_MS = 86_400_000;
// The flag `u` counts characters, not UTF-16 code units.
const NAME_SHAPE = new RegExp(`^[^${CONTROL_CHARACTERS}]{1,64}$`, "u");
// Allows what a name allows, and line breaks.
const NOTES_SHAPE = new RegExp(`^(?:\\n|[^${CONTROL_CHARACTERS}]){0,500}$`, "u");

/** The longest that a rotated key may continue to work alongside its successor. */
export const GRACE_MS_MAX = 7 * DAY_MS;
// A date further away is a typo, or means never.
const LIFETIME_MS_MAX = 3650 * DAY_MS;

export interface KeyOptions {
  readonly store: AdminStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The prefix of keys that are created here; `qk_live_` by default. */
  readonly keyPrefix?: KeyPrefix;
}

/** What a customer chooses for a new key. A limit that is left out does not apply. */
export interface CreateKeyInput extends Partial<AllowedCallers>, Partial<KeyLimits> {
  readonly accountId: string;
  /** 1 to 64 characters, none of them a control character. */
  readonly name: string;
  /** At least one; null for all. */
  readonly services: readonly ServiceName[] | null;
  /** At most ten years away; null for never. */
  readonly expiresAtMs: number | null;
  /** At most 500 characters, without control characters except line breaks. Left out for none. */
  readonly notes?: string | undefined;
}

/** A key's state as people see it. If several states apply to a key, it has the one that `keyState` checks first. */
export type KeyState = "revoked" | "expired" | "disabled" | "active";

/** The state at a given time. */
export function keyState(key: Key, nowMs: number): KeyState {
  if (key.revokedAtMs !== null) {
    return "revoked";
  }
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) {
    return "expired";
  }
  return key.disabled ? "disabled" : "active";
}

/**
 * Creates a key. `secret` is the key itself, which is stored nowhere. Rejects with a Failure if the input is wrong, and with a
 * StoreConflict if the account has too many keys.
 */
export async function createKey(options: KeyOptions, input: CreateKeyInput): Promise<{ key: Key; secret: string }> {
  const { secret, next } = prepareKey(options, input);
  return { key: await options.store.createKey(next), secret };
}

/**
 * Creates a key, unless the same request has created one within the last day. Then the key itself is no longer known, and there is no
 * `secret`. Rejects as `createKey` does, and with a Failure if the account has sent a different request with this idempotency key.
 */
export async function createKeyOnce(
  options: KeyOptions,
  input: CreateKeyInput,
  idempotencyKey: string,
): Promise<{ key: Key; secret?: string }> {
  const { secret, next } = prepareKey(options, input);
  const { name, services, expiresAtMs, notes = "", allowedAddresses = [], allowedOrigins = [] } = next;
  const { callsPerMonth = null, requestsPerSecond = null } = next;
  const isLimited = allowedAddresses.length + allowedOrigins.length > 0 || callsPerMonth !== null || requestsPerSecond !== null;
  const limits = isLimited ? [{ allowedAddresses, allowedOrigins, callsPerMonth, requestsPerSecond }] : [];
  const request = keyRequest(idempotencyKey, [name, services, expiresAtMs, ...(notes === "" ? [] : [notes]), ...limits]);
  const key = await failOnReusedId(() => options.store.createKey({ ...next, request }));
  return key.id === next.id ? { key, secret } : { key };
}

function prepareKey(options: KeyOptions, input: CreateKeyInput) {
  const nowMs = options.clock.nowMs();
  const violations = faultsOf(input);
  if (input.expiresAtMs !== null && !(input.expiresAtMs > nowMs && input.expiresAtMs <= nowMs + LIFETIME_MS_MAX)) {
    violations.push({ field: "expires_at", description: "must be in the future, at most ten years away" });
  }
  refuse(violations);
  const lifetimeMs = input.expiresAtMs === null ? null : input.expiresAtMs - nowMs;
  return withSecret(options, { ...canonicalCallers(input), lifetimeMs });
}

/**
 * Changes the given fields of a key. Rejects with a Failure if a change is invalid, and with a StoreConflict if there is no such key or it
 * is revoked.
 */
export async function updateKey({ store }: Pick<KeyOptions, "store">, id: string, changes: KeyChanges): Promise<Key> {
  refuse(faultsOf(changes));
  return store.updateKey(id, canonicalCallers(changes));
}

/**
 * Rotates a key: creates a new one with the same name, services, notes, limits and lifetime, which is counted from now. The old one
 * works for `graceMs` more, 0 to 7 days. Rejects with a Failure if `graceMs` is out of bounds, and with a StoreConflict if the old key
 * is revoked or the account has too many keys.
 */
export async function rotateKey(options: KeyOptions, old: Key, graceMs: number): Promise<{ old: Key; next: Key; secret: string }> {
  const { secret, next, oldExpiresAtMs } = generateNext(options, old, graceMs);
  return { ...(await options.store.rotateKey(old.id, next, oldExpiresAtMs)), secret };
}

/**
 * Rotates a key, unless the same request has rotated it within the last day. Then the new key itself is no longer known, and there is no
 * `secret`. Rejects as `rotateKey` does, and with a Failure if the account has sent a different request with this idempotency key.
 */
export async function rotateKeyOnce(
  options: KeyOptions,
  old: Key,
  graceMs: number,
  idempotencyKey: string,
): Promise<{ old: Key; next: Key; secret?: string }> {
  const { secret, next, oldExpiresAtMs } = generateNext(options, old, graceMs);
  const request = keyRequest(idempotencyKey, ["rotate", old.id, graceMs]);
  const rotated = await failOnReusedId(() => options.store.rotateKey(old.id, { ...next, request }, oldExpiresAtMs));
  return rotated.next.id === next.id ? { ...rotated, secret } : rotated;
}

function generateNext(options: KeyOptions, { accountId, lifetimeMs }: Key, graceMs: number) {
  if (!(graceMs >= 0 && graceMs <= GRACE_MS_MAX)) {
    refuse([{ field: "grace", description: "must be from 0 to 7 days" }]);
  }
  const nowMs = options.clock.nowMs();
  const expiresAtMs = lifetimeMs === null ? null : nowMs + lifetimeMs;
  return { ...withSecret(options, { accountId, lifetimeMs, expiresAtMs }), oldExpiresAtMs: nowMs + graceMs };
}

// `input`: everything that the caller has chosen.
function keyRequest(idempotencyKey: string, input: readonly unknown[]): KeyRequest {
  return { id: idempotencyKey, inputHash: createHash("sha256").update(JSON.stringify(input)).digest("hex") };
}

async function failOnReusedId<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RequestIdReused
      ? new Failure(invalidArgument([{ field: "idempotency_key", description: error.message }]))
      : error;
  }
}

// What is wrong with the given fields.
function faultsOf({ name, services, notes, ...limits }: KeyChanges): Violation[] {
  const violations = [...callerFaults(limits), ...limitFaults(limits)];
  if (name !== undefined && !NAME_SHAPE.test(name)) {
    violations.push({ field: "name", description: "must be 1 to 64 characters without control characters" });
  } else if (name !== undefined && isBlank(name)) {
    violations.push({ field: "name", description: NOT_BLANK });
  }
  if (services !== undefined && services !== null && (services.length === 0 || new Set(services).size !== services.length)) {
    violations.push({ field: "services", description: "must name at least one service, and none of them twice" });
  }
  if (notes !== undefined && !NOTES_SHAPE.test(notes)) {
    violations.push({
      field: "notes",
      description: "must be at most 500 characters, without control characters except line breaks",
    });
  }
  return violations;
}

function refuse(violations: readonly Violation[]): void {
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
}

function withSecret<Given>({ randomness, keyPrefix }: Pick<KeyOptions, "randomness" | "keyPrefix">, given: Given) {
  const { secret, hash, prefix, lastFour } = generateKey(randomness, keyPrefix);
  return { secret, next: { id: randomness.uuid(), ...given, hash, prefix, lastFour } };
}
