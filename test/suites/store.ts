// How every store behaves, whatever database is behind it. A database's own test file calls this with what opens a new, empty store.
import { describe, expect, test } from "vitest";
import { type Key, type NewKey, type Store, StoreConflict, StoreUnavailable, type Subscription } from "../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../manual-clock.ts";

/** Opens connections to one new, empty database. Whatever it opened is closed and removed when the test is over. */
export interface StoreFixture {
  /** The first one creates the database; more of them are further connections to it. */
  open(clock: ManualClock): Promise<Store>;
}

const nowMs = Date.UTC(2026, 10, 21, 12);

const account = { id: "a-1", name: "acme", email: "ops@acme.example" };

const newKey = (change: Partial<NewKey> = {}): NewKey => ({
  id: "k-1",
  accountId: "a-1",
  name: "first",
  hash: "11".repeat(32),
  prefix: "qk_live_",
  lastFour: "wxyz",
  services: null,
  expiresAtMs: null,
  ...change,
});

const keyOf = (change: Partial<Key> = {}): Key => ({
  id: "k-1",
  accountId: "a-1",
  name: "first",
  prefix: "qk_live_",
  lastFour: "wxyz",
  services: null,
  createdAtMs: nowMs,
  expiresAtMs: null,
  disabled: false,
  revokedAtMs: null,
  ...change,
});

const radio = { id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" } as const;

const subscriptionOf = (change: Partial<Subscription> = {}): Subscription => ({
  id: "s-1",
  accountId: "a-1",
  service: "radio",
  plan: "free",
  requestedPlan: null,
  state: "active",
  createdAtMs: nowMs,
  ...change,
});

const fails = (promise: Promise<unknown>, message: string): Promise<void> =>
  expect(promise).rejects.toThrow(new StoreConflict(message));

/** The suite. `prepare` is called once in each test. */
export function storeSuite(prepare: () => StoreFixture): void {
  const openEmpty = async (): Promise<{ store: Store; clock: ManualClock; fixture: StoreFixture }> => {
    const clock = createManualClock({ nowMs });
    const fixture = prepare();
    return { store: await fixture.open(clock), clock, fixture };
  };
  const open = async () => {
    const opened = await openEmpty();
    await opened.store.createAccount(account);
    return opened;
  };

  describe("accounts", () => {
    test("an account is found by its id and by its name", async () => {
      const { store } = await openEmpty();
      const expected = { ...account, suspended: false, createdAtMs: nowMs };
      expect(await store.createAccount(account)).toEqual(expected);
      expect(await store.findAccount("a-1")).toEqual(expected);
      expect(await store.findAccount("acme")).toEqual(expected);
      expect(await store.findAccount("nobody")).toBeUndefined();
    });

    test("an id goes before another account's name", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "a-1", email: null });
      expect((await store.findAccount("a-1"))?.name).toBe("acme");
    });

    test("accounts are listed by name", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "aardvark", email: null });
      expect((await store.listAccounts()).map(({ name }) => name)).toEqual(["aardvark", "acme"]);
    });

    test("a name is taken once", async () => {
      const { store } = await open();
      await fails(store.createAccount({ ...account, id: "a-2" }), "There is an account called acme already.");
    });

    test("an id is taken once", async () => {
      const { store } = await open();
      await fails(
        store.createAccount({ ...account, name: "other" }),
        "The change breaks a rule of the database, and nothing was changed.",
      );
    });

    test("an account is suspended and resumed, more than once without harm", async () => {
      const { store } = await open();
      expect((await store.setSuspended("a-1", true)).suspended).toBe(true);
      expect((await store.setSuspended("a-1", true)).suspended).toBe(true);
      expect((await store.setSuspended("a-1", false)).suspended).toBe(false);
      await fails(store.setSuspended("a-9", true), "There is no account with the id a-9.");
    });
  });

  describe("keys", () => {
    test("a key comes back as it was made, without its hash", async () => {
      const { store } = await open();
      const limited = newKey({ services: ["radio", "farkle"], expiresAtMs: nowMs + 5 });
      const expected = keyOf({ services: ["radio", "farkle"], expiresAtMs: nowMs + 5 });
      expect(await store.createKey(limited)).toEqual(expected);
      expect(await store.findKey("k-1")).toEqual(expected);
      expect(await store.findKey("k-9")).toBeUndefined();
    });

    test("keys are listed oldest first, revoked ones too", async () => {
      const { store, clock } = await open();
      await store.createKey(newKey({ id: "k-z", hash: "22" }));
      clock.advance(1);
      await store.createKey(newKey({ id: "k-a", hash: "33" }));
      await store.revokeKey("k-z");
      expect((await store.listKeys("a-1")).map(({ id }) => id)).toEqual(["k-z", "k-a"]);
      expect(await store.listKeys("a-9")).toEqual([]);
    });

    test("a key needs an account, and an id and a hash of its own", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      await fails(store.createKey(newKey({ accountId: "a-9" })), "There is no account with the id a-9.");
      await fails(store.createKey(newKey({ id: "k-2" })), "There is a key with this id or this hash already.");
      await fails(store.createKey(newKey({ hash: "44" })), "There is a key with this id or this hash already.");
    });

    test("revoking is final", async () => {
      const { store, clock } = await open();
      await store.createKey(newKey());
      clock.advance(1000);
      expect(await store.revokeKey("k-1")).toEqual(keyOf({ revokedAtMs: nowMs + 1000 }));
      const message = "The key k-1 is revoked, which is final; make a new one.";
      await fails(store.revokeKey("k-1"), message);
      await fails(store.setKeyDisabled("k-1", false), message);
      await fails(store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), nowMs), message);
      await fails(store.revokeKey("k-9"), "There is no key with the id k-9.");
    });

    test("a key is disabled and enabled", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      expect(await store.setKeyDisabled("k-1", true)).toEqual(keyOf({ disabled: true }));
      expect(await store.setKeyDisabled("k-1", false)).toEqual(keyOf());
    });

    test.for([
      { case: "that never expired expires then", before: null, after: 100 },
      { case: "that would have expired later expires then", before: 101, after: 100 },
      { case: "that would have expired sooner still does", before: 99, after: 99 },
    ])("a rotated key $case", async ({ before, after }) => {
      const { store } = await open();
      await store.createKey(newKey({ expiresAtMs: before }));
      expect(await store.rotateKey("k-1", newKey({ id: "k-2", hash: "22", name: "next" }), 100)).toEqual({
        old: keyOf({ expiresAtMs: after }),
        next: keyOf({ id: "k-2", name: "next" }),
      });
    });

    test("a rotation that fails leaves the old key as it was", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.createAccount({ id: "a-2", name: "other", email: null });
      await fails(store.rotateKey("k-1", newKey({ id: "k-2" }), 100), "There is a key with this id or this hash already.");
      await fails(
        store.rotateKey("k-1", newKey({ id: "k-2", hash: "22", accountId: "a-2" }), 100),
        "The key k-1 belongs to another account than the one that should follow it.",
      );
      expect(await store.findKey("k-1")).toEqual(keyOf());
    });
  });

  describe("subscriptions", () => {
    test("an account has one to a service that is not cancelled", async () => {
      const { store } = await open();
      expect(await store.createSubscription(radio)).toEqual(subscriptionOf());
      await fails(store.createSubscription({ ...radio, id: "s-2" }), "The account has a subscription to radio already.");
      expect(await store.cancel("s-1")).toEqual(subscriptionOf({ state: "cancelled" }));
      expect(await store.findSubscription("a-1", "radio")).toBeUndefined();
      const second = { ...radio, id: "s-2", plan: "pro", state: "requested" } as const;
      expect(await store.createSubscription(second)).toEqual(subscriptionOf({ id: "s-2", plan: "pro", state: "requested" }));
      expect((await store.findSubscription("a-1", "radio"))?.id).toBe("s-2");
      expect((await store.listSubscriptions("a-1")).map(({ id }) => id)).toEqual(["s-1", "s-2"]);
      await fails(store.createSubscription({ ...radio, accountId: "a-9" }), "There is no account with the id a-9.");
    });

    test("a plan that is asked for waits beside the one in force until it is activated", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.requestPlan("s-1", "pro")).toEqual(subscriptionOf({ requestedPlan: "pro" }));
      expect(await store.activate("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro" }));
    });

    test("asking for the plan in force takes the wish back", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.requestPlan("s-1", "pro");
      expect(await store.requestPlan("s-1", "free")).toEqual(subscriptionOf());
    });

    test("a subscription that waits can be asked for with another plan, and is activated", async () => {
      const { store } = await open();
      await store.createSubscription({ ...radio, plan: "basic", state: "requested" });
      expect(await store.requestPlan("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro", state: "requested" }));
      expect(await store.activate("s-1", "pro")).toEqual(subscriptionOf({ plan: "pro" }));
    });

    test("cancelling is final", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.cancel("s-1");
      const message = "The subscription s-1 is cancelled, which is final; make a new one.";
      await fails(store.cancel("s-1"), message);
      await fails(store.activate("s-1", "pro"), message);
      await fails(store.requestPlan("s-1", "pro"), message);
      await fails(store.activate("s-9", "pro"), "There is no subscription with the id s-9.");
    });
  });

  describe("credentials", () => {
    test("a key's hash finds the key, its account and the subscriptions that are not cancelled", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.createSubscription(radio);
      await store.createSubscription({ ...radio, id: "s-2", service: "farkle", plan: "pro", state: "requested" });
      await store.createSubscription({ ...radio, id: "s-3", service: "bitcoin" });
      await store.cancel("s-3");
      expect(await store.findCredential("11".repeat(32))).toEqual({
        key: keyOf(),
        account: { ...account, suspended: false, createdAtMs: nowMs },
        subscriptions: [subscriptionOf({ id: "s-2", service: "farkle", plan: "pro", state: "requested" }), subscriptionOf()],
      });
      expect(await store.findCredential("22".repeat(32))).toBeUndefined();
    });
  });

  describe("leases", () => {
    const month = "2026-11";

    test("leases take what is left and no more", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.lease("s-1", month, 100, 60)).toEqual({ granted: 60, unleased: 40 });
      expect(await store.lease("s-1", month, 100, 60)).toEqual({ granted: 40, unleased: 0 });
      expect(await store.lease("s-1", month, 100, 60)).toEqual({ granted: 0, unleased: 0 });
      expect(await store.lease("s-1", "2026-12", 100, 60)).toEqual({ granted: 60, unleased: 40 });
      expect(await store.monthStanding(["s-9", "s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 100 }]);
    });

    test("a plan that was made smaller than what is taken gives nothing", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 60);
      expect(await store.lease("s-1", month, 50, 10)).toEqual({ granted: 0, unleased: 0 });
      expect(await store.lease("s-1", month, 200, 10)).toEqual({ granted: 10, unleased: 130 });
    });

    test("what is given back can be taken again, and never more than was taken", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.giveBack("s-1", month, 5);
      await store.lease("s-1", month, 100, 60);
      await store.giveBack("s-1", month, 20);
      expect(await store.monthStanding(["s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 40 }]);
      await store.giveBack("s-1", month, 1000);
      expect(await store.monthStanding(["s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 0 }]);
    });

    test("a subscription that follows a cancelled one starts where that one stood", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 90);
      await store.cancel("s-1");
      await store.createSubscription({ ...radio, id: "s-2" });
      expect(await store.lease("s-2", month, 100, 60)).toEqual({ granted: 10, unleased: 0 });
    });

    test("a lease needs a subscription", async () => {
      const { store } = await open();
      await fails(store.lease("s-9", month, 100, 1), "There is no subscription with the id s-9.");
      await fails(store.giveBack("s-9", month, 1), "There is no subscription with the id s-9.");
    });

    test("a month without leases stands at zero", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      expect(await store.monthStanding(["s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 0 }]);
      expect(await store.monthStanding([], month)).toEqual([]);
    });

    test("two connections that lease at once never get more than the plan", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await store.createSubscription(radio);
      const grants = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? store : other).lease("s-1", month, 100, 7)),
      );
      expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
      expect(await other.monthStanding(["s-1"], month)).toEqual([{ subscriptionId: "s-1", month, leased: 100 }]);
    });
  });

  describe("usage", () => {
    const count = {
      accountId: "a-1",
      keyId: "k-1",
      service: "radio",
      method: "m/Search",
      day: "2026-11-20",
      outcome: "OK",
      calls: 2,
    } as const;

    test("counts add up, also within one batch", async () => {
      const { store } = await openEmpty();
      await store.addUsage([]);
      await store.addUsage([count, count]);
      await store.addUsage([count, { ...count, outcome: "NOT_FOUND", calls: 1 }]);
      expect(await store.usage({ accountId: "a-1", fromDay: "2026-11-20", toDay: "2026-11-20" })).toEqual([
        { ...count, outcome: "NOT_FOUND", calls: 1 },
        { ...count, calls: 6 },
      ]);
    });

    test("the history is one account's, of the days asked for, of one service if asked for", async () => {
      const { store } = await openEmpty();
      const days = ["2026-11-22", "2026-11-21", "2026-11-20", "2026-11-19"];
      await store.addUsage(days.map((day) => ({ ...count, day })));
      await store.addUsage([{ ...count, accountId: "a-2" }]);
      await store.addUsage([{ ...count, service: "farkle" }]);
      expect(await store.usage({ accountId: "a-1", service: "radio", fromDay: "2026-11-20", toDay: "2026-11-21" })).toEqual([
        count,
        { ...count, day: "2026-11-21" },
      ]);
      expect(await store.usage({ accountId: "a-1", fromDay: "2026-11-20", toDay: "2026-11-20" })).toEqual([
        { ...count, service: "farkle" },
        count,
      ]);
    });

    test("a batch larger than one statement is added whole", async () => {
      const { store } = await openEmpty();
      await store.addUsage(Array.from({ length: 450 }, (_, index) => ({ ...count, keyId: `k-${index}`, calls: 1 })));
      const rows = await store.usage({ accountId: "a-1", fromDay: "2026-11-20", toDay: "2026-11-20" });
      expect(rows.length).toBe(450);
    });
  });

  describe("changes", () => {
    const changes: Record<string, (store: Store) => Promise<unknown>> = {
      createAccount: (store) => store.createAccount({ id: "a-2", name: "other", email: null }),
      setSuspended: (store) => store.setSuspended("a-1", true),
      createKey: (store) => store.createKey(newKey({ id: "k-2", hash: "22" })),
      setKeyDisabled: (store) => store.setKeyDisabled("k-1", true),
      rotateKey: (store) => store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), nowMs),
      revokeKey: (store) => store.revokeKey("k-1"),
      createSubscription: (store) => store.createSubscription({ ...radio, id: "s-2", service: "farkle" }),
      requestPlan: (store) => store.requestPlan("s-1", "pro"),
      activate: (store) => store.activate("s-1", "pro"),
      cancel: (store) => store.cancel("s-1"),
    };

    test.for(Object.keys(changes))("%s has called back when it is done", async (name) => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.createSubscription(radio);
      let calls = 0;
      const unsubscribe = store.onChange(() => calls++);
      await changes[name]?.(store);
      unsubscribe();
      await store.setSuspended("a-1", false);
      expect(calls).toBe(1);
    });

    test("reading, leasing, giving back and counting usage are no changes, and neither is a refused one", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      let calls = 0;
      store.onChange(() => calls++);
      await store.lease("s-1", "2026-11", 100, 10);
      await store.giveBack("s-1", "2026-11", 10);
      await store.addUsage([]);
      await store.listAccounts();
      await expect(store.revokeKey("k-9")).rejects.toThrow(StoreConflict);
      expect(calls).toBe(0);
    });
  });

  describe("closing", () => {
    test("what was asked before is done, what is asked after is refused", async () => {
      const { store } = await openEmpty();
      const asked = store.createAccount(account);
      await store.close();
      expect((await asked).name).toBe("acme");
      await expect(store.listAccounts()).rejects.toThrow(new StoreUnavailable("The store is closed."));
      await store.close();
    });

    test("what was written is there when the database is opened again", async () => {
      const { store, clock, fixture } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", "2026-11", 100, 10);
      await store.close();
      const again = await fixture.open(clock);
      expect((await again.listAccounts()).map(({ name }) => name)).toEqual(["acme"]);
      expect(await again.lease("s-1", "2026-11", 100, 10)).toEqual({ granted: 10, unleased: 80 });
    });
  });
}
