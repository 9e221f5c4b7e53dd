// A mailbox has one month of free calls: neither whoever deletes an account, or changes its address, and signs up with one of its addresses
// again, nor whoever has several accounts with tags of one address gets another month's quota.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { StoreConflict } from "../../../src/store/store-errors.ts";
import { account, fails, nowMs, type Openers, radio } from "./samples.ts";

const month = "2026-11";
const next = { id: "a-2", name: "next", email: account.email };
const nextRadio = { ...radio, id: "s-2", accountId: "a-2" };

const FREE_PLAN_TAKEN =
  "Another account with your mailbox has the free plan of radio, and all addresses like name+tag@example.com of one mailbox share one free " +
  "plan. Use it there, cancel it there first, or choose a paid plan here.";

// An account whose owner has followed the link of a sign-up.
async function createVerified(store: Store, id: string, email: string): Promise<boolean> {
  const tokenHash = `t-${id}`;
  await store.addMailToken({ tokenHash, purpose: "sign_up", email, accountId: null, expiresAtMs: nowMs + 9 });
  return store.verifyEmail(tokenHash, { id, name: id, passwordHash: "hash" });
}

async function unlessConflict<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreConflict) {
      return;
    }
    throw error;
  }
}

async function leaseAll(store: Store, subscriptionId: string, ofMonth: typeof month | "2026-12" = month): Promise<number> {
  return (await store.lease(subscriptionId, ofMonth, 100, 100)).granted;
}

/** The tests that every store passes. */
export function mailboxesSuite({ open }: Openers): void {
  describe("the month of a deleted account", () => {
    test.for<{ name: string; make(store: Store): Promise<unknown>; left: number }>([
      { name: "signs up with its address", make: (store) => store.createOwnedAccount(next, "hash"), left: 60 },
      {
        name: "gets its address from an operator",
        make: (store) => store.createAccount({ ...next, email: "OPS@acme.example" }),
        left: 60,
      },
      {
        name: "follows the link of a sign-up",
        async make(store) {
          await store.addMailToken({
            tokenHash: "t-1",
            purpose: "sign_up",
            email: account.email,
            accountId: null,
            expiresAtMs: nowMs + 9,
          });
          await store.verifyEmail("t-1", { id: "a-2", name: "next", passwordHash: "hash" });
        },
        left: 60,
      },
      {
        name: "signs up with a tag",
        make: (store) => store.createOwnedAccount({ ...next, email: "ops+2@acme.example" }, "hash"),
        left: 60,
      },
      {
        name: "changes its address to this one",
        async make(store) {
          await store.createOwnedAccount({ ...next, email: "other@acme.example" }, "hash");
          await store.changeOwnerEmail("a-2", { to: account.email, currentTokenHash: "t-1" });
        },
        left: 60,
      },
      { name: "has another address", make: (store) => store.createAccount({ ...next, email: "other@acme.example" }), left: 100 },
      { name: "has none", make: (store) => store.createAccount({ ...next, email: null }), left: 100 },
    ])("passes to the account that $name: $left calls are left", async ({ make, left }) => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 40);
      await store.deleteAccount("a-1");
      await make(store);
      await store.createSubscription(nextRadio);
      expect(await leaseAll(store, "s-2")).toBe(left);
      expect(await leaseAll(store, "s-2", "2026-12")).toBe(100);
    });

    test("continues through any number of accounts, with earlier returns but without an operator's credits", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.credit("s-1", month, 1000);
      await store.lease("s-1", month, 100, 40);
      await store.returnCalls("s-1", month, 10);
      await store.deleteAccount("a-1");
      await store.returnCalls("s-1", month, 5);
      await store.createAccount(next);
      await store.createSubscription(nextRadio);
      expect(await store.leasedCalls(["s-2"], month)).toEqual([
        { subscriptionId: "s-2", month, leased: 25, credited: 0, raised: 0 },
      ]);
      await store.lease("s-2", month, 100, 15);
      await store.deleteAccount("a-2");
      await store.createAccount({ ...next, id: "a-3", name: "last" });
      await store.createSubscription({ ...radio, id: "s-3", accountId: "a-3" });
      expect(await leaseAll(store, "s-3")).toBe(60);
    });

    test.for(["ops@acme.example", "ops+1@acme.example", "second@acme.example", "third+x@acme.example"])(
      "passes to %s, because the account had this address in the month",
      async (email) => {
        const { store } = await open();
        await store.createSubscription(radio);
        await store.lease("s-1", month, 100, 40);
        await store.setOwnerPassword("a-1", "hash");
        for (const to of ["second@acme.example", "third@acme.example"]) {
          await store.changeOwnerEmail("a-1", { to, currentTokenHash: "t-1" });
        }
        await store.deleteAccount("a-1");
        await store.createAccount({ ...next, email });
        await store.createSubscription(nextRadio);
        expect(await leaseAll(store, "s-2")).toBe(60);
      },
    );

    test("also counts for whoever takes an address that a living account has left, which keeps its own calls", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 40);
      await store.setOwnerPassword("a-1", "hash");
      await store.changeOwnerEmail("a-1", { to: "second@acme.example", currentTokenHash: "t-1" });
      await store.createAccount(next);
      await store.createSubscription(nextRadio);
      expect([await leaseAll(store, "s-2"), await leaseAll(store, "s-1")]).toEqual([60, 60]);
    });

    test("never grants more than a plan for each mailbox, whatever a person with three mailboxes does", async () => {
      const mailboxes = ["one", "two", "three"];
      const nth = fc.nat(5);
      const step = fc.oneof(
        fc.record({ kind: fc.constant("signUp" as const), mailbox: fc.nat(2), tag: fc.nat(3) }),
        fc.record({ kind: fc.constant("move" as const), nth, to: fc.nat(2), tag: fc.nat(3) }),
        fc.record({ kind: fc.constantFrom("delete" as const, "subscribe" as const, "cancel" as const), nth }),
        fc.record({ kind: fc.constant("lease" as const), nth, calls: fc.constantFrom(1, 100) }),
      );
      const { store } = await open();
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
          run += 1;
          let created = 0;
          let granted = 0;
          // The ids of accounts → the ids of their subscriptions, undefined for none.
          const living = new Map<string, string | undefined>();
          const addressOf = (index: number, tag: number) => `${mailboxes[index]}${tag > 0 ? `+${tag}` : ""}@run${run}.example`;
          for (const each of steps) {
            created += 1;
            const id = `a-${run}-${created}`;
            if (each.kind === "signUp") {
              if (await unlessConflict(createVerified(store, id, addressOf(each.mailbox, each.tag)))) {
                living.set(id, undefined);
              }
              continue;
            }
            const [accountId, subscriptionId] = [...living][each.nth % Math.max(1, living.size)] ?? [];
            if (accountId === undefined) {
              continue;
            }
            if (each.kind === "move") {
              const to = addressOf(each.to, each.tag);
              await store.addMailToken({ tokenHash: id, purpose: "change_email", email: to, accountId, expiresAtMs: nowMs + 9 });
              await unlessConflict(store.changeEmailByLink(id));
            } else if (each.kind === "delete") {
              await store.deleteAccount(accountId);
              living.delete(accountId);
            } else if (each.kind === "subscribe") {
              if (await unlessConflict(store.createSubscription({ ...radio, id, accountId }))) {
                living.set(accountId, id);
              }
            } else if (subscriptionId !== undefined && each.kind === "cancel") {
              await store.cancel(subscriptionId);
              living.set(accountId, undefined);
            } else if (subscriptionId !== undefined && each.kind === "lease") {
              granted += (await store.lease(subscriptionId, month, 100, each.calls)).granted;
            }
          }
          expect(granted).toBeLessThanOrEqual(300);
        }),
        { numRuns: 40, seed: 42 },
      );
    });

    test("is forgotten in the next month", async () => {
      const { store, clock } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", month, 100, 40);
      await store.deleteAccount("a-1");
      clock.advance(Date.UTC(2026, 11, 1, 1) - nowMs);
      await store.createAccount(next);
      await store.createSubscription(nextRadio);
      expect(await store.leasedCalls(["s-2"], month)).toEqual([
        { subscriptionId: "s-2", month, leased: 0, credited: 0, raised: 0 },
      ]);
      expect(await leaseAll(store, "s-2", "2026-12")).toBe(100);
    });

    test("leases nothing more for any service to a server that does not know of the deletion", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.createSubscription({ ...radio, id: "s-9", service: "farkle" });
      await store.lease("s-1", month, 100, 40);
      await store.deleteAccount("a-1");
      await store.createAccount(next);
      expect(await Promise.all([leaseAll(store, "s-1"), leaseAll(store, "s-9")])).toEqual([0, 0]);
    });

    test("never exceeds the plan, however the deletion, the new account and leases overlap", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      let id = "1";
      await store.createSubscription(radio);
      for (let round = 2; round < 7; round++) {
        const before = `s-${id}`;
        const accountId = `a-${id}`;
        id = String(round);
        let granted = (await store.leasedCalls([before], month))[0]?.leased ?? 0;
        let isOver = false;
        const leasing = (async () => {
          while (!isOver) {
            granted += (await other.lease(before, month, 1000, 3)).granted;
          }
        })();
        await store.deleteAccount(accountId);
        await store.createAccount({ ...next, id: `a-${id}`, name: `next-${id}` });
        await store.createSubscription({ ...radio, id: `s-${id}`, accountId: `a-${id}` });
        const carried = (await store.leasedCalls([`s-${id}`], month))[0]?.leased;
        isOver = true;
        await leasing;
        expect(carried).toBe(granted);
      }
    });

    test("is stored by a hash that does not reveal the address, until the month is over", async () => {
      const { store, clock, fixture } = await open();
      await store.createSubscription(radio);
      await store.deleteAccount("a-1");
      const [row, ...more] = (await fixture.dump()).former_accounts ?? [];
      expect([row, more]).toEqual([{ email_hash: expect.stringMatching(/^[0-9a-f]{64}$/), account_id: "a-1", month }, []]);
      await store.deleteExpired();
      expect((await fixture.dump()).former_accounts).toHaveLength(1);
      clock.advance(Date.UTC(2026, 11, 1, 1) - nowMs);
      await store.deleteExpired();
      expect((await fixture.dump()).former_accounts).toEqual([]);
    });

    test("of an account that never subscribed is not stored", async () => {
      const { store, fixture } = await open();
      await store.deleteAccount("a-1");
      expect((await fixture.dump()).former_accounts).toEqual([]);
    });
  });

  describe("the free plan of a mailbox with several accounts", () => {
    const openTwo = async (addresses = ["one@acme.example", "one+2@acme.example"]) => {
      const opened = await open();
      for (const [index, email] of addresses.entries()) {
        await createVerified(opened.store, `v-${index + 1}`, email);
      }
      return opened;
    };
    const free = (nth: number) => ({ ...radio, id: `s-${nth}`, accountId: `v-${nth}` });

    test("is in one of them, until it is cancelled there", async () => {
      const { store } = await openTwo();
      await store.createSubscription(free(1));
      await fails(store.createSubscription(free(2)), FREE_PLAN_TAKEN);
      expect(await store.listSubscriptions("v-2")).toEqual([]);
      await store.createSubscription({ ...free(2), id: "farkle", service: "farkle" });
      await store.lease("s-1", month, 100, 40);
      await store.cancel("s-1");
      await store.createSubscription(free(2));
      expect(await leaseAll(store, "s-2")).toBe(60);
      await fails(store.createSubscription({ ...free(1), id: "s-3" }), FREE_PLAN_TAKEN);
      await store.cancel("s-2");
      await store.createSubscription({ ...free(1), id: "s-3" });
      expect([await leaseAll(store, "s-3"), await leaseAll(store, "s-3", "2026-12")]).toEqual([0, 100]);
    });

    test("does not limit paid plans, which come without it while they wait", async () => {
      const { store } = await openTwo();
      await store.createSubscription(free(1));
      await store.lease("s-1", month, 100, 40);
      const wanted = await store.createSubscription({ ...free(2), requestedPlan: "pro" });
      expect([wanted.state, wanted.plan, wanted.requestedPlan]).toEqual(["requested", "pro", null]);
      await store.activate("s-2", "pro");
      expect((await store.lease("s-2", month, 1000, 1000)).granted).toBe(1000);
      await fails(store.activate("s-2", "free"), FREE_PLAN_TAKEN);
      expect(await store.findSubscriptionById("s-2")).toMatchObject({ state: "active", plan: "pro" });
      await store.activate("s-1", "free");
      await store.activate("s-1", "pro");
      await store.activate("s-2", "free");
      expect(await leaseAll(store, "s-1")).toBe(60);
    });

    test("is not begun again by an account that has a paid one, whose calls are not counted as free", async () => {
      const { store } = await openTwo();
      await store.createSubscription({ ...free(1), plan: "pro" });
      await store.lease("s-1", month, 1000, 1000);
      await store.createSubscription(free(2));
      expect(await leaseAll(store, "s-2")).toBe(100);
    });

    test("is refused to an account that comes to the mailbox with one of its own", async () => {
      const { store } = await openTwo(["one@acme.example", "two@acme.example"]);
      await store.createSubscription(free(1));
      await store.createSubscription(free(2));
      await store.lease("s-1", month, 100, 40);
      const move = { tokenHash: "t", purpose: "change_email", email: "one+2@acme.example", accountId: "v-2" } as const;
      await store.addMailToken({ ...move, expiresAtMs: nowMs + 9 });
      await fails(store.changeEmailByLink("t"), FREE_PLAN_TAKEN);
      expect((await store.findAccount("v-2"))?.email).toBe("two@acme.example");
      await store.cancel("s-1");
      expect(await store.changeEmailByLink("t")).toBe("two@acme.example");
      expect(await leaseAll(store, "s-2")).toBe(60);
    });

    test("is each account's own while nobody has verified the address, because anybody may have signed up with it", async () => {
      const { store } = await open();
      await store.createOwnedAccount({ id: "v-1", name: "v-1", email: "one+x@acme.example" }, "hash");
      await store.createSubscription(free(1));
      await store.lease("s-1", month, 100, 40);
      await createVerified(store, "v-2", "one@acme.example");
      await store.createSubscription(free(2));
      expect(await leaseAll(store, "s-2")).toBe(100);
    });

    test("is taken, cancelled, moved and left by many at once without a deadlock", async () => {
      const { store, clock, fixture } = await openTwo([
        "one@acme.example",
        "one+2@acme.example",
        "two@acme.example",
        "two+2@acme.example",
      ]);
      const stores = [store, await fixture.open(clock)];
      const draw = fc.sample(fc.record({ nth: fc.nat(3), step: fc.nat(4), server: fc.nat(1), tag: fc.nat(9) }), {
        seed: 7,
        numRuns: 120,
      });
      const failures = new Set<unknown>();
      const work = draw.map(async ({ nth, step, server, tag }, index) => {
        const [by, accountId, id] = [stores[server] ?? store, `v-${nth + 1}`, `d-${index}`];
        const current = await by.findSubscription(accountId, "radio");
        const email = `${tag % 2 === 0 ? "one" : "two"}+${tag}@acme.example`;
        const token = { tokenHash: id, purpose: "change_email", email, accountId, expiresAtMs: nowMs + 9 } as const;
        const steps = [
          () => by.createSubscription({ ...radio, id, accountId }),
          () => by.createSubscription({ ...radio, id, accountId, requestedPlan: "pro" }),
          () => (current === undefined ? undefined : by.cancel(current.id)),
          () => (current === undefined ? undefined : by.activate(current.id, tag % 2 === 0 ? "free" : "pro")),
          () => by.addMailToken(token).then(() => by.changeEmailByLink(id)),
        ];
        await unlessConflict(Promise.resolve(steps[step]?.())).catch((error: unknown) => failures.add(error));
      });
      await Promise.all(work);
      expect([...failures]).toEqual([]);
    });

    test("goes to one account, whatever servers do at once", async () => {
      const { store, clock, fixture } = await openTwo();
      const other = await fixture.open(clock);
      for (let round = 0; round < 10; round++) {
        const ids = [`r-${round}`, `q-${round}`];
        const begun = await Promise.all([
          unlessConflict(store.createSubscription({ ...free(1), id: `r-${round}` })),
          unlessConflict(other.createSubscription({ ...free(2), id: `q-${round}` })),
        ]);
        expect(begun.filter((each) => each !== undefined)).toHaveLength(1);
        await Promise.all(ids.map((id) => unlessConflict(store.cancel(id))));
      }
    });
  });
}
