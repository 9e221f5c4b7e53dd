import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  CreateKeyRequestSchema,
  type KeySchema,
  KeyState,
  ListKeysRequestSchema,
  RevokeKeyRequestSchema,
  RotateKeyRequestSchema,
  UpdateKeyRequestSchema,
} from "../../../gen/quintet/account/v1/key_pb.js";
import { createKey } from "../../../src/account/keys.ts";
import { createKeyHandlers } from "../../../src/account/rpc/key-handlers.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { invalidArgument } from "../../../src/problem/problem.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { createCountingRandomness } from "../../fixtures/counting-randomness.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { forbidden, me, missing, nowMs, nthId, openTwoAccounts, other, type TwoAccounts } from "./two-accounts.ts";

type KeyMessage = MessageInitShape<typeof KeySchema>;
type Handlers = ReturnType<typeof createKeyHandlers>;

const dayMs = 86_400_000;
const secretShape = /^qk_live_[0-9A-Za-z]{38}$/;

// The first key, as it is created without any input, with this change.
const keyOf = (change: KeyMessage = {}): KeyMessage => ({
  id: nthId(1),
  name: "default",
  prefix: "qk_live_",
  lastFour: expect.stringMatching(/^[0-9A-Za-z]{4}$/) as string,
  services: [],
  state: KeyState.ACTIVE,
  createdAt: timestampFromMs(nowMs),
  notes: "",
  allowedAddresses: [],
  allowedOrigins: [],
  ...change,
});

const created = ({ handlers }: TwoAccounts, input: MessageInitShape<typeof CreateKeyRequestSchema> = {}) =>
  handlers.createKey(create(CreateKeyRequestSchema, input), me);
const listed = ({ handlers }: TwoAccounts, who = me) => handlers.listKeys(create(ListKeysRequestSchema), who);
const updated = ({ handlers }: TwoAccounts, change: MessageInitShape<typeof UpdateKeyRequestSchema>, who = me) =>
  handlers.updateKey(create(UpdateKeyRequestSchema, { keyId: nthId(1), ...change }), who);
const rotated = ({ handlers }: TwoAccounts, change: MessageInitShape<typeof RotateKeyRequestSchema> = {}, who = me) =>
  handlers.rotateKey(create(RotateKeyRequestSchema, { keyId: nthId(1), ...change }), who);
const revoked = ({ handlers }: TwoAccounts, keyId = nthId(1), who = me) =>
  handlers.revokeKey(create(RevokeKeyRequestSchema, { keyId }), who);

test("a key says when it was last used, in lists and after changes", async () => {
  const scene = await openTwoAccounts();
  await created(scene);
  const method = "quintet.radio.v1.RadioService/SearchStations";
  const count = {
    accountId: "a-1",
    keyId: nthId(1),
    service: "radio",
    method,
    day: "2026-11-21",
    hour: 9,
    outcome: "OK",
    calls: 1,
  } as const;
  await scene.store.addUsage([count], newBatch());
  const lastUsedAt = timestampFromMs(nowMs);
  expect((await listed(scene)).results?.map((key) => key.lastUsedAt)).toEqual([lastUsedAt]);
  expect((await updated(scene, {})).key?.lastUsedAt).toEqual(lastUsedAt);
  expect((await updated(scene, { name: "used" })).key?.lastUsedAt).toEqual(lastUsedAt);
  const { old, next } = await rotated(scene);
  expect([old?.lastUsedAt, next?.lastUsedAt]).toEqual([lastUsedAt, undefined]);
  expect((await revoked(scene)).key?.lastUsedAt).toEqual(lastUsedAt);
});

describe("the time until every server refused a key", () => {
  // How long confirming takes, and which servers have not confirmed.
  const timed = async (missing: readonly string[], change: (handlers: Handlers) => Promise<{ key?: KeyMessage | undefined }>) => {
    const { store, clock } = await openTwoAccounts();
    const acknowledged = async () => {
      clock.advance(36.5);
      return { isComplete: missing.length === 0, missing };
    };
    const deps = { store: { ...store, acknowledged }, clock, randomness: createCountingRandomness(), unspent: () => 0 };
    const handlers = createKeyHandlers(deps);
    await handlers.createKey(create(CreateKeyRequestSchema), me);
    const { refusedEverywhereAfterMs, unconfirmed } = (await change(handlers)).key ?? {};
    return [refusedEverywhereAfterMs, unconfirmed?.nodes];
  };
  const keyId = nthId(1);
  const revoke = (handlers: Handlers) => handlers.revokeKey(create(RevokeKeyRequestSchema, { keyId }), me);
  const update = (change: MessageInitShape<typeof UpdateKeyRequestSchema>) => (handlers: Handlers) =>
    handlers.updateKey(create(UpdateKeyRequestSchema, { keyId, ...change }), me);

  test("is reported, rounded up, if all servers have confirmed it", async () => {
    expect(await timed([], revoke)).toEqual([37, undefined]);
    expect(await timed([], update({ disabled: true }))).toEqual([37, undefined]);
  });

  test("is unknown if one has not", async () => {
    expect(await timed(["lost"], revoke)).toEqual([undefined, ["lost"]]);
  });

  test("is left out for a change that refuses nothing", async () => {
    expect(await timed([], update({ disabled: false }))).toEqual([undefined, undefined]);
    expect(await timed([], update({ name: "other" }))).toEqual([undefined, undefined]);
  });
});

describe("a new key", () => {
  test("is called default, works for all services and does not expire by default", async () => {
    const scene = await openTwoAccounts();
    const response = await created(scene);
    expect(response).toEqual({ key: keyOf(), secret: expect.stringMatching(secretShape) });
    expect(response.key?.lastFour).toBe(response.secret?.slice(-4));
    expect(await listed(scene)).toEqual({ results: [response.key] });
    expect(await listed(scene, other)).toEqual({ results: [] });
  });

  test("has the requested name, services, expiry and notes", async () => {
    const scene = await openTwoAccounts();
    const input = { name: "🗝 ci", services: ["farkle", "radio"], expiresAt: timestampFromMs(nowMs + 1), notes: "of the build" };
    expect((await created(scene, input)).key).toEqual(keyOf(input));
    scene.clock.advance(1);
    expect(await listed(scene)).toEqual({ results: [keyOf({ ...input, state: KeyState.EXPIRED })] });
  });

  test.for([{ expiresAtMs: nowMs }, { expiresAtMs: 0 }, { expiresAtMs: -1 }, { expiresAtMs: nowMs + 3650 * dayMs + 1 }])(
    "does not expire at $expiresAtMs",
    async ({ expiresAtMs }) => {
      const scene = await openTwoAccounts();
      const fault = { field: "expires_at", description: "must be in the future, at most ten years away" };
      const input = { expiresAt: timestampFromMs(expiresAtMs) };
      await expect(created(scene, input)).rejects.toThrow(new Failure(invalidArgument([fault])));
      expect(await listed(scene)).toEqual({ results: [] });
    },
  );

  test("is refused if the account has as many keys as it may have", async () => {
    const scene = await openTwoAccounts();
    const deps = { store: scene.store, clock: scene.clock, randomness: systemRandomness };
    for (let count = 0; count < 100; count++) {
      await createKey(deps, { accountId: "a-1", name: "many", services: null, expiresAtMs: null });
    }
    const message =
      "The account has 100 keys that are neither revoked nor expired; the maximum is 100. Revoke one that you no longer need.";
    await expect(created(scene)).rejects.toThrow(forbidden("account", message));
    const [first] = await scene.store.listKeys("a-1");
    await expect(rotated(scene, { keyId: first?.id as string })).rejects.toThrow(forbidden("key_id", message));
  });
});

// A cap of which nothing is used yet.
const capped = { callsPerMonth: 500, callsThisMonth: 0 };

test("a key and those that replaced it share their limits, and say how many calls of the month count", async () => {
  const scene = await openTwoAccounts();
  const { key } = await created(scene, { callsPerMonth: 100, requestsPerSecond: 3 });
  expect(key).toEqual(keyOf({ callsPerMonth: 100, requestsPerSecond: 3 }));
  const cap = { accountId: "a-1", capId: nthId(1) };
  await scene.store.lease(cap, "2026-11", 100, 40);
  const { old, next } = await rotated(scene);
  expect([old?.callsThisMonth, next?.callsPerMonth, next?.requestsPerSecond]).toEqual([40, 100, 3]);
  const limitsOf = async () =>
    (await listed(scene)).results?.map((each) => [each.callsPerMonth, each.requestsPerSecond, each.callsThisMonth]);
  expect(await limitsOf()).toEqual([
    [100, 3, 40],
    [100, 3, 40],
  ]);
  await updated(scene, { keyId: nthId(2), callsPerMonth: 200, requestsPerSecond: 0 });
  expect(await limitsOf()).toEqual([
    [200, undefined, 40],
    [200, undefined, 40],
  ]);
});

describe("a changed key", () => {
  test.for<{ what: string; change: MessageInitShape<typeof UpdateKeyRequestSchema>; key: KeyMessage }>([
    { what: "without a change stays as it was", change: {}, key: {} },
    { what: "has another name", change: { name: "next" }, key: { name: "next" } },
    { what: "has other services", change: { services: { names: ["bitcoin"] } }, key: { services: ["bitcoin"] } },
    { what: "has all services", change: { services: {} }, key: { services: [] } },
    { what: "has notes", change: { notes: "in the cellar" }, key: { notes: "in the cellar" } },
    {
      what: "has allowed addresses, in their canonical form",
      change: { allowedAddresses: { networks: ["203.0.113.7/32", "2001:DB8:0::/32"] } },
      key: { allowedAddresses: ["203.0.113.7", "2001:db8::/32"] },
    },
    {
      what: "has allowed origins",
      change: { allowedOrigins: { origins: ["https://a.example"] } },
      key: { allowedOrigins: ["https://a.example"] },
    },
    {
      what: "has limits of its own",
      change: { callsPerMonth: 500, requestsPerSecond: 5 },
      key: { requestsPerSecond: 5, ...capped },
    },
    { what: "has no limits of its own", change: { callsPerMonth: 0, requestsPerSecond: 0 }, key: {} },
    { what: "may be used from anywhere", change: { allowedAddresses: {}, allowedOrigins: {} }, key: {} },
    { what: "is disabled", change: { disabled: true }, key: { state: KeyState.DISABLED } },
    { what: "stays enabled", change: { disabled: false }, key: {} },
    {
      what: "has several changes at once",
      change: { name: "next", services: { names: ["radio", "farkle"] }, disabled: true },
      key: { name: "next", services: ["radio", "farkle"], state: KeyState.DISABLED },
    },
  ])("$what", async ({ change, key }) => {
    const scene = await openTwoAccounts();
    await created(scene, { name: "first", services: ["radio"] });
    const expected = keyOf({ name: "first", services: ["radio"], ...key });
    const refused = change.disabled === true ? { refusedEverywhereAfterMs: 0 } : {};
    expect(await updated(scene, change)).toEqual({ key: { ...expected, ...refused } });
    expect(await listed(scene)).toEqual({ results: [expected] });
  });

  test("works again once it is enabled, unless it has expired in the meantime", async () => {
    const scene = await openTwoAccounts();
    await created(scene, { expiresAt: timestampFromMs(nowMs + dayMs) });
    await updated(scene, { disabled: true });
    expect((await updated(scene, { disabled: false })).key?.state).toBe(KeyState.ACTIVE);
    await updated(scene, { disabled: true });
    scene.clock.advance(dayMs);
    expect((await listed(scene)).results?.[0]?.state).toBe(KeyState.EXPIRED);
    expect((await updated(scene, { disabled: false })).key?.state).toBe(KeyState.EXPIRED);
  });
});

describe("a rotated key", () => {
  test("works for another day and names the next one, which has its name, services, notes and allowed callers", async () => {
    const scene = await openTwoAccounts();
    const allowed = { allowedAddresses: ["10.0.0.0/8"], allowedOrigins: ["https://a.example"] };
    const input = { name: "ci", services: ["radio"], notes: "n", ...allowed, expiresAt: timestampFromMs(nowMs + 30 * dayMs) };
    const first = await created(scene, input);
    scene.clock.advance(10 * dayMs);
    const at = nowMs + 10 * dayMs;
    const response = await rotated(scene);
    expect(response).toEqual({
      old: keyOf({ ...input, expiresAt: timestampFromMs(at + dayMs), replacedBy: nthId(2) }),
      next: keyOf({ ...input, id: nthId(2), createdAt: timestampFromMs(at), expiresAt: timestampFromMs(at + 30 * dayMs) }),
      secret: expect.stringMatching(secretShape),
    });
    expect(response.secret).not.toBe(first.secret);
    expect(await listed(scene)).toEqual({ results: [response.old, response.next] });
  });

  test.for([
    { graceSeconds: 0, state: KeyState.EXPIRED },
    { graceSeconds: 1, state: KeyState.ACTIVE },
    { graceSeconds: 604_800, state: KeyState.ACTIVE },
  ])("works for another $graceSeconds s if that is requested", async ({ graceSeconds, state }) => {
    const scene = await openTwoAccounts();
    await created(scene);
    const { old, next } = await rotated(scene, { graceSeconds });
    expect(old).toEqual(keyOf({ state, expiresAt: timestampFromMs(nowMs + graceSeconds * 1000), replacedBy: nthId(2) }));
    expect(next).toEqual(keyOf({ id: nthId(2) }));
  });
});

test("a revoked key stays in the list and cannot be changed", async () => {
  const scene = await openTwoAccounts();
  await created(scene);
  const expected = keyOf({ state: KeyState.REVOKED, revokedAt: timestampFromMs(nowMs) });
  expect(await revoked(scene)).toEqual({ key: { ...expected, refusedEverywhereAfterMs: 0 } });
  const refusal = forbidden("key_id", `The key ${nthId(1)} is revoked, which is final; create a new one.`);
  await expect(revoked(scene)).rejects.toThrow(refusal);
  await expect(updated(scene, { name: "next" })).rejects.toThrow(refusal);
  await expect(rotated(scene)).rejects.toThrow(refusal);
  expect(await listed(scene)).toEqual({ results: [expected] });
});

describe("a key is not found", () => {
  test("for another account", async () => {
    const scene = await openTwoAccounts();
    const { key } = await created(scene);
    const refusal = missing("key", nthId(1));
    await expect(updated(scene, { name: "stolen" }, other)).rejects.toThrow(refusal);
    await expect(rotated(scene, {}, other)).rejects.toThrow(refusal);
    await expect(revoked(scene, nthId(1), other)).rejects.toThrow(refusal);
    expect(await listed(scene)).toEqual({ results: [key] });
  });

  test("that does not exist", async () => {
    const scene = await openTwoAccounts();
    await expect(updated(scene, {})).rejects.toThrow(missing("key", nthId(1)));
    await expect(rotated(scene)).rejects.toThrow(missing("key", nthId(1)));
    await expect(revoked(scene, nthId(9))).rejects.toThrow(missing("key", nthId(9)));
  });
});
