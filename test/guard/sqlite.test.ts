// The guard with the real store: their combined guarantees.
import { expect, onTestFinished, test } from "vitest";
import type { Admitted, Refused } from "../../src/guard/guard.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import { leaseMax } from "../../src/guard/quota/lease-size.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import type { NewKey } from "../../src/store/records.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { putMigratedDatabase } from "../fixtures/migrated-data.ts";
import { type ClosableGuard, createGuard } from "../fixtures/one-thread-guard.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { ADDRESS, createMemoryLog, METHOD, NOON_MS, plansOf, problemOf, radioPlan } from "./scene.ts";

const quota = 3000;
const free = radioPlan("free", quota, 100_000);
const plans = plansOf([free, radioPlan("pro", 2 * quota, 100_000)]);
const clock = createManualClock({ nowMs: NOON_MS });
const key = generateKey(systemRandomness);

const newKey = (id: string, { hash, prefix, lastFour } = key): NewKey => ({
  id,
  accountId: "acme",
  name: id,
  hash,
  prefix,
  lastFour,
  services: null,
  expiresAtMs: null,
  lifetimeMs: null,
});

async function openStoreOf(dataDir: string): Promise<Store> {
  const store = await openStore({ dataDir, clock, role: "server" });
  onTestFinished(() => store.close());
  return store;
}

async function openWithAccount(dataDir = temporaryDirectory()): Promise<Store> {
  await putMigratedDatabase(dataDir, { hasPlans: true });
  const store = await openStoreOf(dataDir);
  await store.createAccount({ id: "acme", name: "Acme", email: null });
  await store.createKey(newKey("key-1"));
  await store.createSubscription({ id: "sub-1", accountId: "acme", service: "radio", plan: "free", state: "active" });
  return store;
}

const guardOn = (store: Store): ClosableGuard =>
  createGuard({ store, plans, clock, log: createMemoryLog(), limits: { waitersMax: 10_000 } });

const admit = async (guard: ClosableGuard, secret = key.secret): Promise<Admitted | Refused> =>
  guard.admit({ key: secret, address: ADDRESS, service: "radio", method: METHOD });

/** Runs parallel callers with this many calls each, some of which fail. Returns how many calls were charged. */
async function crowd(guard: ClosableGuard, callers: number, calls: number): Promise<number> {
  let charged = 0;
  const caller = async (number: number): Promise<void> => {
    for (let index = 0; index < calls; index++) {
      const decision = await admit(guard);
      const failed = (number + index) % 10 === 0;
      if (decision.admitted) {
        decision.settle(failed ? "UPSTREAM_FAILED" : "OK");
        charged += failed ? 0 : 1;
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, number) => caller(number)));
  return charged;
}

const leased = async (store: Store): Promise<number | undefined> => (await store.leasedCalls(["sub-1"], "2026-11"))[0]?.leased;

test("thousands of parallel calls are charged exactly the quota, and the history has every one", async () => {
  const store = await openWithAccount();
  const guard = guardOn(store);
  expect(await crowd(guard, 40, 100)).toBe(quota);
  expect(problemOf(await admit(guard)).reason).toBe("QUOTA_EXCEEDED");
  await guard.close();
  expect(await leased(store)).toBe(quota);
  const days = { fromDay: "2026-11-01", toDay: "2026-11-30" };
  const page = { groupBy: [], refunded: ["UPSTREAM_FAILED"], limit: 1, offset: 0, countsMax: 10_000 };
  expect((await store.usageRows({ accountId: "acme", ...days, ...page })).rows).toMatchObject([{ counted: quota }]);
});

test("a clean restart loses no calls", async () => {
  const dataDir = temporaryDirectory();
  const before = await openWithAccount(dataDir);
  const first = guardOn(before);
  const charged = await crowd(first, 10, 100);
  await first.close();
  expect(await leased(before)).toBe(charged);
  await before.close();
  const after = await openStoreOf(dataDir);
  expect(charged + (await crowd(guardOn(after), 10, 400))).toBe(quota);
});

test("a crash loses at most a lease, and admits no excess calls", async () => {
  const store = await openWithAccount();
  const charged = await crowd(guardOn(store), 10, 100);
  const rest = await crowd(guardOn(store), 10, 400);
  expect(charged + rest).toBeLessThanOrEqual(quota);
  expect(charged + rest).toBeGreaterThanOrEqual(quota - leaseMax(free));
});

test("an operator's changes apply from the next call", async () => {
  const store = await openWithAccount();
  const guard = guardOn(store);
  const next = generateKey(systemRandomness);
  const reasons: string[] = [];
  const tell = async (secret = key.secret): Promise<void> => {
    const decision = await admit(guard, secret);
    reasons.push(decision.admitted ? (decision.limits?.plan.name ?? "") : decision.problem.reason);
  };
  await tell();
  await store.activate("sub-1", "pro");
  await tell();
  await store.updateKey("key-1", { disabled: true });
  await tell();
  await store.updateKey("key-1", { disabled: false, services: ["farkle"] });
  await tell();
  await store.updateKey("key-1", { services: null });
  await tell();
  await store.rotateKey("key-1", newKey("key-2", next), NOON_MS + 1000);
  await tell();
  await tell(next.secret);
  await store.setSuspended("acme", true);
  await tell();
  await store.setSuspended("acme", false);
  await store.revokeKey("key-1");
  await tell();
  await store.cancel("sub-1");
  await tell(next.secret);
  await store.createSubscription({ id: "sub-2", accountId: "acme", service: "radio", plan: "free", state: "active" });
  await tell(next.secret);
  await guard.close();
  expect(reasons).toEqual([
    "free",
    "pro",
    "KEY_REVOKED",
    "KEY_SERVICE_REFUSED",
    "pro",
    "pro",
    "pro",
    "SUBSCRIPTION_REQUIRED",
    "KEY_REVOKED",
    "SUBSCRIPTION_REQUIRED",
    "free",
  ]);
  // The six admitted calls, and no unspent leases.
  expect(await leased(store)).toBe(6);
});
