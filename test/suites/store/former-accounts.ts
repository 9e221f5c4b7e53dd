// A month's usage that continues in another account: a customer who deletes an account, or changes its address, and signs up with one of its
// addresses again does not get another month's quota.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { account, nowMs, type Openers, radio } from "./samples.ts";

const month = "2026-11";
const next = { id: "a-2", name: "next", email: account.email };
const nextRadio = { ...radio, id: "s-2", accountId: "a-2" };

async function leaseAll(store: Store, subscriptionId: string, ofMonth: typeof month | "2026-12" = month): Promise<number> {
  return (await store.lease(subscriptionId, ofMonth, 100, 100)).granted;
}

/** The tests that every store passes. */
export function formerAccountsSuite({ open }: Openers): void {
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
      const mailbox = fc.nat(2);
      const step = fc.oneof(
        fc.record({ kind: fc.constant("signUp" as const), mailbox, tag: fc.nat(2) }),
        fc.record({ kind: fc.constant("move" as const), mailbox, to: mailbox, tag: fc.nat(2) }),
        fc.record({ kind: fc.constant("delete" as const), mailbox }),
        fc.record({ kind: fc.constant("lease" as const), mailbox, calls: fc.constantFrom(1, 100) }),
      );
      const { store } = await open();
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
          run += 1;
          let created = 0;
          let granted = 0;
          // Mailbox → the id of its account. A person may have several accounts with tags at once, each with a month of its own.
          const living = new Map<number, string>();
          const addressOf = (index: number, tag: number) => `${mailboxes[index]}${tag > 0 ? `+${tag}` : ""}@run${run}.example`;
          for (const each of steps) {
            const id = living.get(each.mailbox);
            if (each.kind === "signUp" && id === undefined) {
              created += 1;
              const newId = `a-${run}-${created}`;
              await store.createOwnedAccount({ id: newId, name: newId, email: addressOf(each.mailbox, each.tag) }, "hash");
              await store.createSubscription({ ...radio, id: `s-${newId}`, accountId: newId });
              living.set(each.mailbox, newId);
            } else if (each.kind === "move" && id !== undefined && !living.has(each.to)) {
              await store.changeOwnerEmail(id, { to: addressOf(each.to, each.tag), currentTokenHash: "t" });
              living.delete(each.mailbox);
              living.set(each.to, id);
            } else if (each.kind === "delete" && id !== undefined) {
              await store.deleteAccount(id);
              living.delete(each.mailbox);
            } else if (each.kind === "lease" && id !== undefined) {
              granted += (await store.lease(`s-${id}`, month, 100, each.calls)).granted;
            }
          }
          expect(granted).toBeLessThanOrEqual(300);
        }),
        { numRuns: 25, seed: 42 },
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
}
