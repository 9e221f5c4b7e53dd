// Keys, and the credential that the guard reads.

import { describe, expect, test } from "vitest";
import type { Key, KeyChanges, NewKey } from "../../../src/store/records.ts";
import type { PaymentFacts } from "../../../src/store/repositories/payments.ts";
import type { Store } from "../../../src/store/store.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { account, builtInPlan, fails, keyOf, newKey, nowMs, type Openers, radio } from "./samples.ts";

const fullMessage =
  "The account has 100 keys that are neither revoked nor expired; the maximum is 100. Revoke one that you no longer need.";

const nth = (number: number, change: Partial<NewKey> = {}): NewKey =>
  newKey({ id: `n-${number}`, hash: `hash ${number}`, ...change });

async function create(store: Store, first: number, last: number): Promise<void> {
  for (let number = first; number <= last; number++) {
    await store.createKey(nth(number));
  }
}

// What Stripe says of a plan that is paid.
const paid: PaymentFacts = {
  ...{ id: "sub_1", accountId: "a-1", service: "radio", status: "active", isPaused: false, invoiceUrl: null, paidMinor: 0 },
  item: { planId: "radio/pro/1", priceMinor: 2400, currency: "EUR", isOneMonth: true },
  ...{ entitledUntilMs: nowMs + 1, unpaidSinceMs: null, cancelsAtMs: null, endedBecause: null, createdAtMs: nowMs },
};
const input = { fallsToFree: false, newId: "s-1" };

/** The tests that every store passes. */
export function keysSuite({ open }: Openers): void {
  describe("keys", () => {
    test("a key is returned as it was created, without its hash", async () => {
      const { store } = await open();
      const limited = newKey({ services: ["radio", "farkle"], expiresAtMs: nowMs + 5, lifetimeMs: 5 });
      const expected = keyOf({ services: ["radio", "farkle"], expiresAtMs: nowMs + 5, lifetimeMs: 5 });
      expect(await store.createKey(limited)).toEqual(expected);
      expect(await store.findKey("k-1")).toEqual(expected);
      expect(await store.findKey("k-9")).toBeUndefined();
    });

    test("keys are listed oldest first, including revoked ones", async () => {
      const { store, clock } = await open();
      await store.createKey(newKey({ id: "k-z", hash: "22" }));
      clock.advance(1);
      await store.createKey(newKey({ id: "k-a", hash: "33" }));
      await store.revokeKey("k-z");
      expect((await store.listKeys("a-1")).map(({ id }) => id)).toEqual(["k-z", "k-a"]);
      expect(await store.listKeys("a-9")).toEqual([]);
    });

    test("keys are also listed in pages, each once, even those of one millisecond, and after a deleted key", async () => {
      const { store, clock } = await open();
      await store.createAccount({ ...account, id: "a-2", name: "other", email: null });
      for (const [number, laterMs] of [
        [3, 0],
        [1, 0],
        [2, 5],
        [4, 0],
      ] as const) {
        clock.advance(laterMs);
        await store.createKey(nth(number));
        await store.createKey(nth(100 + number, { accountId: "a-2" }));
      }
      const pages: string[][] = [];
      let after: Key | undefined;
      do {
        const page = await store.keysAfter("a-1", after, 3);
        pages.push(page.map(({ id }) => id));
        after = page.at(-1);
      } while (after !== undefined);
      expect(pages).toEqual([["n-1", "n-3", "n-2"], ["n-4"], []]);
      const idsAfter = async (id: string) => (await store.keysAfter("a-1", { createdAtMs: nowMs, id }, 10)).map((key) => key.id);
      expect(await idsAfter("n-2")).toEqual(["n-3", "n-2", "n-4"]);
      expect(await idsAfter("n-9")).toEqual(["n-2", "n-4"]);
    });

    test("a key needs an account, and a unique id and hash", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      await fails(store.createKey(newKey({ accountId: "a-9" })), "There is no account with the ID a-9.");
      await fails(store.createKey(newKey({ id: "k-2" })), "There is already a key with this id or this hash.");
      await fails(store.createKey(newKey({ hash: "44" })), "There is already a key with this id or this hash.");
    });

    test("a request repeated within a day makes one key, and another for another account", async () => {
      const { store, clock, fixture } = await open();
      await store.createAccount({ ...account, id: "a-2", name: "other", email: null });
      const other = await fixture.open(clock);
      const request = { id: "r-1", inputHash: "this" };
      const requesters = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? store : other));
      const made = await Promise.all(requesters.map((requester, index) => requester.createKey(nth(index, { request }))));
      const first = made[0] as (typeof made)[number];
      expect(made).toEqual(requesters.map(() => first));
      await store.revokeKey(first.id);
      expect(await store.createKey(nth(10, { request }))).toEqual({ ...first, revokedAtMs: nowMs });
      await fails(
        store.createKey(nth(11, { request: { id: "r-1", inputHash: "that" } })),
        "was sent with another request; generate a new one for each key that you create",
      );
      expect(await store.createKey(nth(12, { request, accountId: "a-2" }))).toEqual(keyOf({ id: "n-12", accountId: "a-2" }));
      expect((await store.auditPage({ accountId: "a-1", limit: 100 })).entries.map(({ action }) => action)).toEqual([
        "key.revoke",
        "key.create",
        "account.create",
      ]);
    });

    test("a rotation repeated within a day makes one key, and returns both keys as they are now", async () => {
      const { store, clock, fixture } = await open();
      await store.createKey(newKey());
      const other = await fixture.open(clock);
      const request = { id: "r-1", inputHash: "this" };
      const requesters = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? store : other));
      const rotated = await Promise.all(
        requesters.map((requester, index) => requester.rotateKey("k-1", { ...nth(index), request }, nowMs + 100)),
      );
      const first = rotated[0] as (typeof rotated)[number];
      expect(first.old).toEqual(keyOf({ expiresAtMs: nowMs + 100, replacedBy: first.next.id }));
      expect(rotated).toEqual(requesters.map(() => first));
      await store.updateKey("k-1", { name: "old" });
      await store.revokeKey("k-1");
      expect(await store.rotateKey("k-1", { ...nth(10), request }, nowMs)).toEqual({
        old: keyOf({ name: "old", expiresAtMs: nowMs + 100, revokedAtMs: nowMs, replacedBy: first.next.id }),
        next: first.next,
      });
      const reused = "was sent with another request; generate a new one for each key that you create";
      await fails(store.rotateKey("k-1", { ...nth(11), request: { id: "r-1", inputHash: "that" } }, nowMs), reused);
      await fails(store.createKey(nth(12, { request: { id: "r-1", inputHash: "that" } })), reused);
      expect((await store.listKeys("a-1")).map(({ id }) => id)).toEqual(["k-1", first.next.id]);
      expect((await store.auditPage({ accountId: "a-1", limit: 100 })).entries.map(({ action }) => action)).toEqual([
        "key.revoke",
        "key.update",
        "key.rotate",
        "key.create",
        "account.create",
      ]);
    });

    test("a request is forgotten after a day, and with its key", async () => {
      const { store, clock, fixture } = await open();
      const request = { id: "r-1", inputHash: "this" };
      await store.createKey(nth(1, { request }));
      clock.advance(86_400_000);
      expect((await store.createKey(nth(2, { request }))).id).toBe("n-1");
      clock.advance(1);
      expect((await store.createKey(nth(3, { request: { id: "r-1", inputHash: "that" } }))).id).toBe("n-3");
      await store.createKey(nth(4, { request: { id: "r-2", inputHash: "this" } }));
      expect((await fixture.dump()).key_requests?.map(({ key_id }) => key_id)).toEqual(["n-3", "n-4"]);
      clock.advance(86_400_001);
      expect(await store.deleteExpired()).toBe(false);
      expect((await fixture.dump()).key_requests).toEqual([]);
      await store.createKey(nth(5, { request }));
      await store.deleteAccount("a-1");
      expect((await fixture.dump()).key_requests).toEqual([]);
    });

    test("revoking is final", async () => {
      const { store, clock } = await open();
      await store.createKey(newKey());
      clock.advance(1000);
      expect(await store.revokeKey("k-1")).toEqual(keyOf({ revokedAtMs: nowMs + 1000 }));
      const message = "The key k-1 is revoked, which is final; create a new one.";
      await fails(store.revokeKey("k-1"), message);
      await fails(store.updateKey("k-1", { disabled: false }), message);
      await fails(store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), nowMs), message);
      await fails(store.revokeKey("k-9"), "There is no key with the ID k-9.");
      await fails(store.updateKey("k-9", {}), "There is no key with the ID k-9.");
    });

    test.for<{ changes: KeyChanges }>([
      { changes: {} },
      { changes: { name: "second" } },
      { changes: { disabled: true } },
      { changes: { services: ["bitcoin"] } },
      { changes: { services: null } },
      { changes: { notes: "Runs on the cellar's server.\nAsk Ada." } },
      { changes: { allowedAddresses: ["203.0.113.7", "2001:db8::/32"] } },
      { changes: { allowedOrigins: ["https://app.example.com"] } },
      { changes: { callsPerMonth: 1_000_000_000 } },
      { changes: { requestsPerSecond: 5, callsPerMonth: null } },
      { changes: { name: "second", disabled: true, services: ["bitcoin", "radio"] } },
    ])("a change to $changes leaves the rest of a key unchanged", async ({ changes }) => {
      const { store } = await open();
      const services = ["radio", "farkle"] as const;
      await store.createKey(newKey({ services }));
      const expected = { ...keyOf({ services }), ...changes };
      expect(await store.updateKey("k-1", changes)).toEqual(expected);
      expect(await store.findKey("k-1")).toEqual(expected);
    });

    test("a key has the allowed callers that it was created with, until they are removed", async () => {
      const { store } = await open();
      const allowed = { allowedAddresses: ["10.0.0.0/8"], allowedOrigins: ["https://a.example", "https://b.example"] };
      const { hash, ...created } = newKey(allowed);
      expect(await store.createKey({ hash, ...created })).toEqual(keyOf(allowed));
      expect((await store.findCredential(hash))?.key).toEqual(keyOf(allowed));
      const anywhere = { allowedAddresses: [], allowedOrigins: [] };
      expect(await store.updateKey("k-1", anywhere)).toEqual(keyOf());
      expect((await store.findCredential(hash))?.key).toEqual(keyOf());
    });

    test("disabling or enabling a key twice is harmless", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      for (const disabled of [true, true, false, false]) {
        expect(await store.updateKey("k-1", { disabled })).toEqual(keyOf({ disabled }));
      }
    });

    test.for([
      { case: "that never expired expires then", before: null, after: 100 },
      { case: "that would have expired later expires then", before: 101, after: 100 },
      { case: "that would have expired sooner still does", before: 99, after: 99 },
    ])("a rotated key $case", async ({ before, after }) => {
      const { store } = await open();
      await store.createKey(newKey({ expiresAtMs: before, lifetimeMs: 500 }));
      expect(await store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), 100)).toEqual({
        old: keyOf({ expiresAtMs: after, lifetimeMs: 500, replacedBy: "k-2" }),
        next: keyOf({ id: "k-2", capId: "k-1" }),
      });
    });

    test("a key that replaces another has its current name, services, notes, allowed callers and limits", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      const allowed = { allowedAddresses: ["10.0.0.0/8"], allowedOrigins: ["https://a.example"] };
      const limits = { callsPerMonth: 100, requestsPerSecond: 5 };
      const changes = { name: "radio alone", services: ["radio"], notes: "in the cellar", ...allowed, ...limits } as const;
      await store.updateKey("k-1", changes);
      expect(await store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), 100)).toEqual({
        old: keyOf({ ...changes, expiresAtMs: 100, replacedBy: "k-2" }),
        next: keyOf({ ...changes, id: "k-2", capId: "k-1" }),
      });
    });

    test("keys that replaced each other have the same limits, whichever of them is changed", async () => {
      const { store } = await open();
      await store.createKey(newKey({ callsPerMonth: 100 }));
      await store.createKey(newKey({ id: "k-9", hash: "99", callsPerMonth: 7 }));
      await store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), nowMs + 1000);
      await store.rotateKey("k-2", newKey({ id: "k-3", hash: "33" }), nowMs + 1000);
      const limitsOf = async () =>
        (await store.listKeys("a-1")).map((key) => [key.id, key.capId, key.callsPerMonth, key.requestsPerSecond]);
      await store.updateKey("k-2", { callsPerMonth: 50, requestsPerSecond: 5 });
      const expected = ["k-1", "k-2", "k-3"].map((id) => [id, "k-1", 50, 5]);
      expect(await limitsOf()).toEqual([...expected, ["k-9", "k-9", 7, null]]);
      await store.updateKey("k-3", { name: "renamed" });
      await store.updateKey("k-1", { callsPerMonth: null });
      expect((await limitsOf()).map(([, , calls, rate]) => [calls, rate])).toEqual([
        [null, 5],
        [null, 5],
        [null, 5],
        [7, null],
      ]);
    });

    test("a key that is rotated again says which key replaced it last", async () => {
      const { store } = await open();
      await store.createKey(newKey({ notes: "first" }));
      await store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), 100);
      await store.rotateKey("k-1", newKey({ id: "k-3", hash: "33" }), 100);
      expect((await store.listKeys("a-1")).map(({ id, notes, replacedBy }) => [id, notes, replacedBy])).toEqual([
        ["k-1", "first", "k-3"],
        ["k-2", "first", null],
        ["k-3", "first", null],
      ]);
    });

    test("a rotation that fails leaves the old key unchanged", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await fails(store.rotateKey("k-1", newKey({ id: "k-2" }), 100), "There is already a key with this id or this hash.");
      await fails(
        store.rotateKey("k-1", newKey({ id: "k-2", hash: "22", accountId: "a-2" }), 100),
        "The key k-1 and the key that replaces it must belong to the same account.",
      );
      expect(await store.findKey("k-1")).toEqual(keyOf());
    });
  });

  test("keys are found by their last four characters across all accounts, latest first", async () => {
    const { store, clock } = await open();
    await store.createAccount({ id: "a-2", name: "other", email: null });
    await store.createKey(newKey());
    await store.createKey(newKey({ id: "k-2", hash: "22", lastFour: "WXYZ" }));
    clock.advance(1);
    await store.createKey(newKey({ id: "k-3", hash: "33", accountId: "a-2" }));
    expect((await store.keysEndingIn("wxyz", 10)).map(({ id }) => id)).toEqual(["k-3", "k-1"]);
    expect((await store.keysEndingIn("wxyz", 1)).map(({ id }) => id)).toEqual(["k-3"]);
    expect(await store.keysEndingIn("none", 10)).toEqual([]);
  });

  describe("an account's keys are limited", () => {
    test("to 100 that are neither revoked nor expired, including disabled ones", async () => {
      const { store, clock } = await open();
      await create(store, 100, 197);
      await store.createKey(newKey({ expiresAtMs: nowMs + 10 }));
      await store.createKey(nth(198));
      await store.updateKey("n-198", { disabled: true });
      await fails(store.createKey(nth(199)), fullMessage);
      expect(await store.findKey("n-199")).toBeUndefined();
      clock.advance(9);
      await fails(store.createKey(nth(199)), fullMessage);
      clock.advance(1);
      await store.createKey(nth(199));
      await fails(store.createKey(nth(200)), fullMessage);
      await store.revokeKey("n-100");
      await store.createKey(nth(200));
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await store.createKey(nth(201, { accountId: "a-2" }));
    });

    test("an account with all its keys can rotate one only if the old key ends at once", async () => {
      const { store } = await open();
      await create(store, 100, 199);
      await fails(store.rotateKey("n-100", nth(200), nowMs + 1), fullMessage);
      expect(await store.findKey("n-100")).toEqual(keyOf({ id: "n-100" }));
      expect(await store.rotateKey("n-100", nth(200), nowMs)).toEqual({
        old: keyOf({ id: "n-100", expiresAtMs: nowMs, replacedBy: "n-200" }),
        next: keyOf({ id: "n-200", capId: "n-100" }),
      });
    });

    test("a process whose clock is slow does not set back the time when a key was last used", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(createManualClock({ nowMs: clock.nowMs() - 5000 }));
      const count = {
        accountId: "a-1",
        keyId: "k-1",
        service: "radio",
        method: "m",
        day: "2026-11-21",
        hour: 9,
        outcome: "OK",
        calls: 1,
      } as const;
      await store.addUsage([count], newBatch());
      await other.addUsage([count], newBatch());
      expect(await store.keyUses("a-1")).toEqual(new Map([["k-1", clock.nowMs()]]));
    });

    test("even if two connections make and rotate keys at once", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await create(store, 100, 194);
      const requested = Array.from({ length: 16 }, (_, index) => {
        const requester = index % 2 === 0 ? store : other;
        return index < 8
          ? requester.createKey(nth(200 + index))
          : requester.rotateKey(`n-${100 + index}`, nth(200 + index), nowMs + 1);
      });
      const made = (await Promise.allSettled(requested)).filter(({ status }) => status === "fulfilled");
      expect([made.length, (await store.listKeys("a-1")).length]).toEqual([5, 100]);
    });

    test("to the 900 that were last revoked or expired", async () => {
      const { store, clock } = await open();
      await create(store, 100, 101);
      await store.revokeKey("n-101");
      for (let number = 102; number < 1001; number++) {
        await store.createKey(nth(number, { expiresAtMs: nowMs - number }));
      }
      clock.advance(1);
      await create(store, 1001, 1001);
      const ids = async (): Promise<string[]> => (await store.listKeys("a-1")).map(({ id }) => id);
      expect((await ids()).length).toBe(902);
      // The two that ended first are now deleted for these two.
      await store.rotateKey("n-1001", nth(1002), nowMs);
      await store.revokeKey("n-1002");
      await create(store, 1003, 1003);
      const kept = [100, ...Array.from({ length: 898 }, (_, index) => 101 + index), 1001, 1002, 1003];
      expect((await ids()).toSorted()).toEqual(kept.map((number) => `n-${number}`).toSorted());
      expect((await ids()).at(-1)).toBe("n-1003");
      expect(await store.findKey("n-999")).toBeUndefined();
    });
  });

  describe("an account's keys with a lifetime of at most an hour are limited separately", () => {
    const HOUR_MS = 3_600_000;
    const shortLived = (number: number, lifetimeMs = HOUR_MS) => nth(number, { expiresAtMs: nowMs + lifetimeMs, lifetimeMs });

    test("to 100 that are neither revoked nor expired", async () => {
      const { store, clock } = await open();
      for (let number = 300; number < 400; number++) {
        await store.createKey(shortLived(number));
      }
      const message =
        "The account has 100 keys with a lifetime of at most an hour that are neither revoked nor expired; the maximum is 100. Wait until one has expired, or revoke one.";
      await fails(store.createKey(shortLived(400, 1)), message);
      await fails(store.rotateKey("n-300", { ...shortLived(421) }, nowMs + 1), message);
      await store.createKey(shortLived(422, HOUR_MS + 1));
      await create(store, 100, 198);
      await fails(store.createKey(nth(199)), fullMessage);
      await store.revokeKey("n-300");
      await store.createKey(shortLived(420));
      clock.advance(HOUR_MS);
      await store.createKey(shortLived(423));
    });

    test("to the 20 that ended last, and do not displace the others", async () => {
      const { store } = await open();
      await create(store, 100, 100);
      await store.revokeKey("n-100");
      for (let number = 300; number < 330; number++) {
        await store.createKey(shortLived(number));
        await store.revokeKey(`n-${number}`);
      }
      await store.createKey(shortLived(330));
      const ids = (await store.listKeys("a-1")).map(({ id }) => id);
      // All ended in the same millisecond, so those with the last ids are deleted.
      expect([ids.length, ids.includes("n-100"), ids.includes("n-330")]).toEqual([22, true, true]);
    });
  });

  describe("credentials", () => {
    test("a key's hash finds the key, its account and its uncancelled subscriptions", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.createSubscription(radio);
      await store.createSubscription({ ...radio, id: "s-2", service: "farkle", plan: "pro", state: "requested" });
      await store.createSubscription({ ...radio, id: "s-3", service: "bitcoin" });
      await store.cancel("s-3");
      expect(await store.findCredential("11".repeat(32))).toEqual({
        key: keyOf(),
        account: { ...account, suspended: false, isOperator: false, createdAtMs: nowMs },
        subscriptions: [
          { id: "s-2", service: "farkle", terms: builtInPlan("farkle", "pro"), state: "requested" },
          { id: "s-1", service: "radio", terms: builtInPlan("radio", "free"), state: "active" },
        ],
      });
      expect(await store.findCredential("22".repeat(32))).toBeUndefined();
    });

    test("a subscription that ended unpaid is unpaid until another one follows", async () => {
      const { store, clock } = await open();
      await store.createKey(newKey());
      const states = async () => (await store.findCredential(newKey().hash))?.subscriptions.map(({ id, state }) => [id, state]);
      await store.applyPayment(paid, { ...input, version: 0 });
      expect(await states()).toEqual([["s-1", "active"]]);
      await store.applyPayment({ ...paid, unpaidSinceMs: nowMs, entitledUntilMs: nowMs }, { ...input, version: 1 });
      expect(await states()).toEqual([["s-1", "unpaid"]]);
      clock.advance(1);
      await store.createSubscription({ ...radio, id: "s-2" });
      expect(await states()).toEqual([["s-2", "active"]]);
      await store.cancel("s-2");
      expect(await states()).toEqual([]);
    });

    test.each(["dispute", "refund"] as const)("a subscription that ended because of a %s is not unpaid", async (endedBecause) => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.applyPayment(paid, { ...input, version: 0 });
      await store.applyPayment({ ...paid, unpaidSinceMs: nowMs, endedBecause }, { ...input, version: 1 });
      expect((await store.findCredential(newKey().hash))?.subscriptions).toEqual([]);
    });
  });
}
