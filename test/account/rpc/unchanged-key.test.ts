// A change to a key that changes nothing.
import { create } from "@bufbuild/protobuf";
import { expect, onTestFinished, test } from "vitest";
import { UpdateKeyRequestSchema } from "../../../gen/quintet/account/v1/key_pb.js";
import { createKey } from "../../../src/account/keys.ts";
import { createKeyHandlers } from "../../../src/account/rpc/key-handlers.ts";
import { keyMessage } from "../../../src/account/rpc/messages.ts";
import { openStore } from "../../../src/store/open.ts";
import { createCountingRandomness } from "../../fixtures/counting-randomness.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../../fixtures/migrated-data.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);

test("a change without fields returns the key as it is, also when it is revoked, and writes nothing", async () => {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createAccount({ id: "a-1", name: "acme", email: null });
  const deps = { store, clock, randomness: createCountingRandomness() };
  const { key } = await createKey(deps, { accountId: "a-1", name: "first", services: ["radio"], expiresAtMs: null });
  let changes = 0;
  store.onChange(() => changes++);
  const change = (what: { name?: string }) =>
    createKeyHandlers({ ...deps, unspent: () => 0 }).updateKey(create(UpdateKeyRequestSchema, { keyId: key.id, ...what }), {
      ...({ accountId: "a-1", personId: "a-1", role: "owner" } as const),
      token: "x".repeat(32),
      peer: "127.0.0.1",
    });
  expect(await change({})).toEqual({ key: keyMessage(key, nowMs) });
  expect(changes).toBe(0);
  expect(await change({ name: "second" })).toEqual({ key: keyMessage({ ...key, name: "second" }, nowMs) });
  expect(changes).toBe(1);
  const revoked = await store.revokeKey(key.id);
  expect(await change({})).toEqual({ key: keyMessage(revoked, nowMs) });
  expect(changes).toBe(2);
});
