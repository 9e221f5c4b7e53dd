// Owners, created with their account or for an existing one, and their passwords.
import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { account, fails, nowMs, type Openers } from "./samples.ts";

const ada = { id: "a-2", name: "ada", email: "ada@example.com" };
const session = { tokenHash: "t-1", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 1000 };

const owners = async (store: Store) => {
  const accounts = await store.accountsAfter("", 1000);
  return { accounts: accounts.map(({ id }) => id), owners: await Promise.all(accounts.map(({ id }) => store.findOwnerOf(id))) };
};

// The sessions that are still valid.
const validSessions = async (store: Store, tokenHashes: readonly string[]): Promise<readonly string[]> => {
  const found = await Promise.all(tokenHashes.map((tokenHash) => store.findSession(tokenHash)));
  return tokenHashes.filter((_, index) => found[index] !== undefined);
};

/** The tests that every store passes. */
export function ownersSuite({ open, openEmpty }: Openers): void {
  describe("an account with its owner", () => {
    test("is created at once, with the password's hash", async () => {
      const { store } = await openEmpty();
      const expected = { ...ada, suspended: false, isOperator: false, createdAtMs: nowMs };
      expect(await store.createOwnedAccount(ada, "hash")).toEqual(expected);
      expect(await store.findAccount("a-2")).toEqual(expected);
      const owner = { accountId: "a-2", email: "ada@example.com", passwordHash: "hash" };
      expect(await store.findOwner("ada@example.com")).toEqual(owner);
      expect(await store.findOwnerOf("a-2")).toEqual(owner);
    });

    test.for([
      {
        taken: "name",
        input: { id: "a-3", name: "ada", email: "x@example.com" },
        message: "There is already an account called ada.",
      },
      {
        taken: "owner's address",
        input: { id: "a-3", name: "other", email: "ada@example.com" },
        message: "The e-mail address ada@example.com already has an account.",
      },
      {
        taken: "account's address, in any letter case,",
        input: { id: "a-3", name: "other", email: "ops@acme.example" },
        message: "The e-mail address ops@acme.example already has an account.",
      },
      {
        taken: "id",
        input: { id: "a-2", name: "other", email: "x@example.com" },
        message: "The change breaks a rule of the database, and nothing was changed.",
      },
    ])("creates nothing if its $taken is taken", async ({ input, message }) => {
      const { store } = await openEmpty();
      await store.createAccount({ ...account, email: "Ops@ACME.example" });
      await store.createOwnedAccount(ada, "hash");
      const before = await owners(store);
      await fails(store.createOwnedAccount(input, "other hash"), message);
      expect(await owners(store)).toEqual(before);
    });

    test("is created once for an address that two accounts request at the same time", async () => {
      const { store, clock, fixture } = await openEmpty();
      const stores = [store, await fixture.open(clock)];
      const requested = stores.map((each, index) =>
        each.createOwnedAccount({ ...ada, id: `a-${index}`, name: `ada-${index}` }, "hash"),
      );
      const settled = await Promise.allSettled(requested);
      expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect(await store.accountsAfter("", 1000)).toHaveLength(1);
    });
  });

  test("an account created without an owner has none, nor does an unknown account", async () => {
    const { store } = await open();
    await store.createOwnedAccount(ada, "hash");
    const found = [store.findOwnerOf("a-1"), store.findOwnerOf("a-9"), store.findOwner(account.email), store.findOwner("")];
    expect(await Promise.all(found)).toEqual([undefined, undefined, undefined, undefined]);
  });

  describe("setting an owner's password", () => {
    test("creates the owner of an account that has none, with its address in lower case", async () => {
      const { store } = await openEmpty();
      await store.createAccount({ ...account, email: "Ops@ACME.example" });
      expect(await store.setOwnerPassword("a-1", "hash")).toEqual({ email: "ops@acme.example" });
      const owner = { accountId: "a-1", email: "ops@acme.example", passwordHash: "hash" };
      expect(await owners(store)).toEqual({ accounts: ["a-1"], owners: [owner] });
    });

    test("replaces the old one and ends only the owner's sessions", async () => {
      const { store } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.createOwnedAccount(ada, "hash");
      await store.beginSession(session);
      await store.beginSession({ ...session, tokenHash: "t-2" });
      await store.beginSession({ ...session, tokenHash: "t-3", accountId: "a-2" });
      expect(await store.setOwnerPassword("a-1", "next hash")).toEqual({ email: account.email });
      expect(await store.findOwnerOf("a-1")).toEqual({ accountId: "a-1", email: account.email, passwordHash: "next hash" });
      expect((await store.findOwnerOf("a-2"))?.passwordHash).toBe("hash");
      expect(await validSessions(store, ["t-1", "t-2", "t-3"])).toEqual(["t-3"]);
    });

    test("is refused for an account that does not exist", async () => {
      const { store, fixture } = await openEmpty();
      await store.createOwnedAccount(ada, "hash");
      await store.createAccount({ id: "a-3", name: "silent", email: null });
      // Older versions accepted an address that already had an account.
      await fixture.run(
        "INSERT INTO accounts (id, name, email, suspended, created_at_ms) VALUES ('a-4', 'late', 'ADA@example.com', 0, 0)",
      );
      const before = await owners(store);
      await fails(store.setOwnerPassword("a-9", "hash"), "There is no account with the ID a-9.");
      await fails(store.setOwnerPassword("a-3", "hash"), "The account silent has no e-mail address to sign in with.");
      await fails(store.setOwnerPassword("a-4", "hash"), "The e-mail address ada@example.com already has an account.");
      expect(await owners(store)).toEqual(before);
    });
  });

  describe("changing an owner's password", () => {
    test("ends all of their sessions but one, and no one else's", async () => {
      const { store } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.createOwnedAccount(ada, "hash");
      for (const tokenHash of ["t-1", "t-2", "t-3"]) {
        await store.beginSession({ ...session, tokenHash });
      }
      await store.beginSession({ ...session, tokenHash: "t-4", accountId: "a-2" });
      expect(await store.changeOwnerPassword("a-1", { from: "hash", to: "next hash", currentTokenHash: "t-2" })).toBe(true);
      expect((await store.findOwnerOf("a-1"))?.passwordHash).toBe("next hash");
      expect((await store.findOwnerOf("a-2"))?.passwordHash).toBe("hash");
      expect(await validSessions(store, ["t-1", "t-2", "t-3", "t-4"])).toEqual(["t-2", "t-4"]);
    });

    test("does nothing if the old password is no longer current, or the account has no owner", async () => {
      const { store } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.beginSession(session);
      const change = { from: "old hash", to: "next hash", currentTokenHash: "t-9" };
      expect(await store.changeOwnerPassword("a-1", change)).toBe(false);
      expect(await store.changeOwnerPassword("a-9", { ...change, from: "hash" })).toBe(false);
      expect((await store.findOwnerOf("a-1"))?.passwordHash).toBe("hash");
      expect(await validSessions(store, ["t-1"])).toEqual(["t-1"]);
    });

    test("leaves no session that begins with the old password at the same time", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await store.setOwnerPassword("a-1", "hash 0");
      for (let round = 0; round < 10; round++) {
        const started = other.beginSession({ ...session, tokenHash: `t-${round}`, passwordHash: `hash ${round}` });
        const change = { from: `hash ${round}`, to: `hash ${round + 1}`, currentTokenHash: "" };
        expect(await store.changeOwnerPassword("a-1", change)).toBe(true);
        await started;
        expect(await validSessions(store, [`t-${round}`])).toEqual([]);
      }
    });
  });
}
