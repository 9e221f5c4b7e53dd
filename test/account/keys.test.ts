import { hashSecret } from "@quintet/guard";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CreateKeyInput, createKey, GRACE_MS_MAX, keyState, rotateKey, updateKey } from "../../src/account/keys.ts";
import { Failure } from "../../src/problem/failure.ts";
import { invalidArgument, type Violation } from "../../src/problem/problem.ts";
import { openStore } from "../../src/store/open.ts";
import type { Key, KeyChanges } from "../../src/store/records.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 21, 12);

const keyInput: CreateKeyInput = { accountId: "a-1", name: "first", services: null, expiresAtMs: null };

async function open() {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createAccount({ id: "a-1", name: "acme", email: null });
  return { store, clock, randomness: createCountingRandomness() };
}

describe("a key's state", () => {
  const key: Key = {
    id: "k-1",
    accountId: "a-1",
    name: "first",
    prefix: "qk_live_",
    lastFour: "wxyz",
    services: null,
    createdAtMs: 0,
    expiresAtMs: null,
    lifetimeMs: null,
    disabled: false,
    revokedAtMs: null,
    notes: "",
    replacedBy: null,
    allowedAddresses: [],
    allowedOrigins: [],
    callsPerMonth: null,
    requestsPerSecond: null,
    capId: "k-1",
  };
  test.for([
    { change: {}, state: "active" },
    { change: { expiresAtMs: 101 }, state: "active" },
    { change: { expiresAtMs: 100 }, state: "expired" },
    { change: { disabled: true }, state: "disabled" },
    { change: { disabled: true, expiresAtMs: 100 }, state: "expired" },
    { change: { disabled: true, expiresAtMs: 100, revokedAtMs: 1 }, state: "revoked" },
  ])("$change is $state", ({ change, state }) => {
    expect(keyState({ ...key, ...change }, 100)).toBe(state);
  });
});

test("a key is found by its hash, and its secret is not stored", async () => {
  const deps = await open();
  const { key, secret } = await createKey(deps, keyInput);
  expect((await deps.store.findCredential(hashSecret(secret)))?.key).toEqual(key);
  expect(key.lastFour).toBe(secret.slice(-4));
});

const bad = {
  calls: (given: number) => ({
    field: "calls_per_month",
    description: `must be a whole number from 1 to 1000000000, not ${given}`,
  }),
  rate: (given: number) => ({
    field: "requests_per_second",
    description: `must be a whole number from 1 to 100000, not ${given}`,
  }),
  name: { field: "name", description: "must be 1 to 64 characters without control characters" },
  blank: { field: "name", description: "must not be blank" },
  services: { field: "services", description: "must name at least one service, and none of them twice" },
  notes: { field: "notes", description: "must be at most 500 characters, without control characters except line breaks" },
  expiry: { field: "expires_at", description: "must be in the future, at most ten years away" },
};

describe("a key with a wrong name, wrong services or wrong notes is refused, when it is created and when it is changed", () => {
  test.for<{ changes: KeyChanges; violations: readonly Violation[] }>([
    { changes: { name: "" }, violations: [bad.name] },
    { changes: { name: "x".repeat(65) }, violations: [bad.name] },
    { changes: { name: "two\nlines" }, violations: [bad.name] },
    { changes: { name: "two\u2028lines" }, violations: [bad.name] },
    { changes: { name: "two\u2029lines" }, violations: [bad.name] },
    ...["\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"].map((turn) => ({
      changes: { name: `${turn}evitca` },
      violations: [bad.name],
    })),
    ...[" ", "\u00a0\u3000", "\u200b", "\ufeff \u2060"].map((name) => ({ changes: { name }, violations: [bad.blank] })),
    { changes: { services: [] }, violations: [bad.services] },
    { changes: { services: ["radio", "radio"] }, violations: [bad.services] },
    { changes: { callsPerMonth: 0 }, violations: [bad.calls(0)] },
    { changes: { callsPerMonth: 1.5 }, violations: [bad.calls(1.5)] },
    { changes: { callsPerMonth: 1_000_000_001 }, violations: [bad.calls(1_000_000_001)] },
    { changes: { requestsPerSecond: 100_001 }, violations: [bad.rate(100_001)] },
    { changes: { notes: "x".repeat(501) }, violations: [bad.notes] },
    { changes: { notes: "a tab\t" }, violations: [bad.notes] },
    { changes: { notes: "two\r\nlines" }, violations: [bad.notes] },
    { changes: { notes: "\u202eevitca" }, violations: [bad.notes] },
    { changes: { name: "", services: [], notes: "\0" }, violations: [bad.name, bad.services, bad.notes] },
  ])("$changes", async ({ changes, violations }) => {
    const deps = await open();
    const { key } = await createKey(deps, keyInput);
    await expect(updateKey(deps, key.id, changes)).rejects.toThrow(new Failure(invalidArgument(violations)));
    await expect(createKey(deps, { ...keyInput, ...changes } as CreateKeyInput)).rejects.toThrow(
      new Failure(invalidArgument(violations)),
    );
    expect(await deps.store.listKeys("a-1")).toEqual([key]);
  });
});

test.for([nowMs - 1, nowMs, nowMs + 3650 * dayMs + 1, Number.NaN])("a key that expires at %d is refused", async (expiresAtMs) => {
  const created = createKey(await open(), { ...keyInput, expiresAtMs });
  await expect(created).rejects.toThrow(new Failure(invalidArgument([bad.expiry])));
});

test("a name may have 64 characters, however many code units each one takes", async () => {
  const deps = await open();
  const { key } = await createKey(deps, { ...keyInput, name: "🗝".repeat(64) });
  // Joiners are part of some emoji, and non-joiners of some scripts.
  expect((await updateKey(deps, key.id, { name: "👩‍💻 می‌خواهم שלום" })).name).toBe("👩‍💻 می‌خواهم שלום");
  expect((await updateKey(deps, key.id, { name: "é".repeat(64) })).name).toBe("é".repeat(64));
});

test("notes may have 500 characters and several lines", async () => {
  const deps = await open();
  const notes = `${"🗝".repeat(498)}\né`;
  const { key } = await createKey(deps, { ...keyInput, notes });
  expect(key.notes).toBe(notes);
  expect((await updateKey(deps, key.id, { notes: "" })).notes).toBe("");
});

test("a change that is allowed is stored", async () => {
  const deps = await open();
  const { key } = await createKey(deps, keyInput);
  const expected = { ...key, disabled: true, services: ["farkle"] };
  expect(await updateKey(deps, key.id, { disabled: true, services: ["farkle"] })).toEqual(expected);
  expect(await deps.store.listKeys("a-1")).toEqual([expected]);
});

test("a successor gets the lifetime that the old key was given", async () => {
  const deps = await open();
  const { key } = await createKey(deps, { ...keyInput, services: ["radio"], expiresAtMs: nowMs + 30 * dayMs });
  deps.clock.advance(20 * dayMs);
  const { old, next } = await rotateKey(deps, key, GRACE_MS_MAX);
  expect(old.expiresAtMs).toBe(nowMs + 27 * dayMs);
  expect(next.expiresAtMs).toBe(nowMs + 50 * dayMs);
  expect([next.name, next.services]).toEqual(["first", ["radio"]]);
});

test.for([{ lifetimeMs: 90 * dayMs }, { lifetimeMs: null }])(
  "a key that is rotated twice still has its original lifetime of $lifetimeMs",
  async ({ lifetimeMs }) => {
    const deps = await open();
    const { key } = await createKey(deps, { ...keyInput, expiresAtMs: lifetimeMs === null ? null : nowMs + lifetimeMs });
    const { old } = await rotateKey(deps, key, dayMs);
    expect(old).toEqual({ ...key, expiresAtMs: nowMs + dayMs, replacedBy: expect.any(String) as string });
    deps.clock.advance(1000);
    const { next } = await rotateKey(deps, old, dayMs);
    expect([next.expiresAtMs, next.lifetimeMs]).toEqual([lifetimeMs === null ? null : nowMs + 1000 + lifetimeMs, lifetimeMs]);
  },
);
