// Accounts: found, listed, suspended.
import { describe, expect, test } from "vitest";
import { account, fails, newKey, nowMs, type Openers, radio } from "./samples.ts";

/** The tests that every store passes. */
export function accountsSuite({ open, openEmpty }: Openers): void {
  describe("accounts", () => {
    test("an account is found by its id, its name and its e-mail address", async () => {
      const { store } = await openEmpty();
      const expected = { ...account, suspended: false, isOperator: false, createdAtMs: nowMs };
      expect(await store.createAccount(account)).toEqual(expected);
      expect(await store.findAccount("a-1")).toEqual(expected);
      expect(await store.findAccount("acme")).toEqual(expected);
      expect(await store.findAccount("Ops@ACME.example")).toEqual(expected);
      expect(await store.findAccount("nobody")).toBeUndefined();
      expect(await store.findAccount("nobody@acme.example")).toBeUndefined();
    });

    test("an id takes precedence over another account's name", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "a-1", email: null });
      expect((await store.findAccount("a-1"))?.name).toBe("acme");
    });

    test("accounts are listed by name", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "aardvark", email: null });
      expect((await store.accountsAfter("", 1000)).map(({ name }) => name)).toEqual(["aardvark", "acme"]);
    });

    test("accounts are found by part of their name or address, newest first, in pages", async () => {
      const { store, clock } = await open();
      for (const [id, name, email] of [
        ["a-2", "zebra", "Z_1@stripes.example"],
        ["a-3", "100%-pure", null],
        ["a-4", "mesh:radio", null],
      ] as const) {
        clock.advance(1);
        await store.createAccount({ id, name, email });
      }
      await store.setSuspended("a-2", true);
      await store.setOperator("a-1", true);
      const all = { search: "", onlySuspended: false, onlyOperators: false, limit: 10, offset: 0 };
      const ids = async (query = {}) => {
        const { total, accounts } = await store.accountPage({ ...all, ...query });
        return [total, ...accounts.map(({ id }) => id)];
      };
      expect(await ids()).toEqual([4, "a-4", "a-3", "a-2", "a-1"]);
      expect(await ids({ limit: 2, offset: 1 })).toEqual([4, "a-3", "a-2"]);
      expect(await ids({ offset: 4 })).toEqual([4]);
      expect(await ids({ search: "ACME" })).toEqual([1, "a-1"]);
      expect(await ids({ search: "STRIPES.example" })).toEqual([1, "a-2"]);
      expect(await ids({ search: "_" })).toEqual([1, "a-2"]);
      expect(await ids({ search: "%" })).toEqual([1, "a-3"]);
      expect(await ids({ search: "\\" })).toEqual([0]);
      expect(await ids({ search: "' or true --" })).toEqual([0]);
      expect(await ids({ search: "ac\0me" })).toEqual([0]);
      expect(await ids({ search: "a-4" })).toEqual([1, "a-4"]);
      expect(await ids({ onlySuspended: true })).toEqual([1, "a-2"]);
      expect(await ids({ onlyOperators: true })).toEqual([1, "a-1"]);
      expect(await ids({ onlyOperators: true, search: "zebra" })).toEqual([0]);
      const { accounts } = await store.accountPage({ ...all, search: "acme" });
      expect(accounts).toEqual([{ ...account, suspended: false, isOperator: true, createdAtMs: nowMs }]);
    });

    test("a name is unique", async () => {
      const { store } = await open();
      await fails(store.createAccount({ ...account, id: "a-2" }), "There is already an account called acme.");
    });

    test("an e-mail address is unique, in any letter case", async () => {
      const { store } = await open();
      await fails(
        store.createAccount({ id: "a-2", name: "other", email: "Ops@ACME.example" }),
        "The e-mail address ops@acme.example already has an account.",
      );
      expect((await store.accountsAfter("", 1000)).map(({ id }) => id)).toEqual(["a-1"]);
    });

    test("an e-mail address that two accounts request at the same time goes to one of them", async () => {
      const { store, clock, fixture } = await openEmpty();
      const stores = [store, await fixture.open(clock)];
      const requested = stores.map((each, index) => each.createAccount({ ...account, id: `a-${index}`, name: `acme-${index}` }));
      const settled = await Promise.allSettled(requested);
      expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect(await store.accountsAfter("", 1000)).toHaveLength(1);
    });

    test("an id is unique", async () => {
      const { store } = await open();
      await fails(
        store.createAccount({ ...account, name: "other" }),
        "The change breaks a rule of the database, and nothing was changed.",
      );
    });

    test("suspending or resuming an account twice is harmless", async () => {
      const { store } = await open();
      expect((await store.setSuspended("a-1", true)).suspended).toBe(true);
      expect((await store.setSuspended("a-1", true)).suspended).toBe(true);
      expect((await store.setSuspended("a-1", false)).suspended).toBe(false);
      await fails(store.setSuspended("a-9", true), "There is no account with the ID a-9.");
    });

    test("an owner becomes an operator and stops being one, wherever the account is read", async () => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.createSubscription(radio);
      const marks = async () => [
        (await store.findAccount("a-1"))?.isOperator,
        (await store.accountsAfter("", 1000))[0]?.isOperator,
        (await store.findCredential(newKey().hash))?.account.isOperator,
        (await store.subscriptionPage({ includeCancelled: false, pendingOnly: false, limit: 1, offset: 0 })).rows[0]?.account
          .isOperator,
      ];
      expect((await store.setOperator("a-1", true)).isOperator).toBe(true);
      expect((await store.setOperator("a-1", true)).isOperator).toBe(true);
      expect(await marks()).toEqual([true, true, true, true]);
      expect((await store.setOperator("a-1", false)).isOperator).toBe(false);
      expect(await marks()).toEqual([false, false, false, false]);
      await fails(store.setOperator("a-9", true), "There is no account with the ID a-9.");
    });
  });
}
