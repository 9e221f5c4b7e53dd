// Owners: made with their account or for one that is there, and their passwords.
import { describe, expect, test } from "vitest";
import type { SignInTable } from "../../../src/store/owner-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { account, fails, nowMs, type Openers } from "./samples.ts";
import { everyRow, rowsOf, sessionRow } from "./sign-in-samples.ts";

const ada = { id: "a-2", name: "ada", email: "ada@example.com" };
const now = new Date(nowMs).toISOString();

const ownerRow = (change: { id: string; name: string; email: string }) => ({
  ...change,
  email_verified: 0,
  image: null,
  created_at: now,
  updated_at: now,
});

const credentialRow = (id: string, password: string, updatedAt = now) => ({
  id,
  owner_id: id,
  provider_id: "credential",
  provider_account_id: id,
  password,
  created_at: now,
  updated_at: updatedAt,
});

const tables: readonly SignInTable[] = ["owners", "owner_credentials", "owner_sessions"];

const everything = async (store: Store) => ({
  accounts: (await store.listAccounts()).map(({ id }) => id),
  rows: await Promise.all(tables.map((table) => rowsOf(store, table))),
});

/** How every store behaves in this. */
export function ownersSuite({ open, openEmpty }: Openers): void {
  describe("an account with its owner", () => {
    test("is made at once, the password's hash with it", async () => {
      const { store } = await openEmpty();
      const expected = { ...ada, suspended: false, createdAtMs: nowMs };
      expect(await store.createOwnedAccount(ada, "hash")).toEqual(expected);
      expect(await store.findAccount("a-2")).toEqual(expected);
      expect(await everything(store)).toEqual({
        accounts: ["a-2"],
        rows: [[ownerRow(ada)], [credentialRow("a-2", "hash")], []],
      });
    });

    test.for([
      {
        taken: "name",
        wish: { id: "a-3", name: "ada", email: "other@example.com" },
        message: "There is an account called ada already.",
      },
      {
        taken: "address",
        wish: { id: "a-3", name: "other", email: "ada@example.com" },
        message: "The e-mail address ada@example.com has an account already.",
      },
      {
        taken: "id",
        wish: { id: "a-2", name: "other", email: "other@example.com" },
        message: "The change breaks a rule of the database, and nothing was changed.",
      },
    ])("leaves nothing behind where its $taken is taken", async ({ wish, message }) => {
      const { store } = await openEmpty();
      await store.createOwnedAccount(ada, "hash");
      const before = await everything(store);
      await fails(store.createOwnedAccount(wish, "other hash"), message);
      expect(await everything(store)).toEqual(before);
    });

    test("is made once for an address that two ask for at the same time", async () => {
      const { store } = await openEmpty();
      const asked = [ada, { ...ada, id: "a-3", name: "ada-2" }].map((wish) => store.createOwnedAccount(wish, "hash"));
      const settled = await Promise.allSettled(asked);
      expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect(await store.listAccounts()).toHaveLength(1);
      expect(await rowsOf(store, "owners")).toHaveLength(1);
    });

    test("may have the address that an account without an owner is reached at", async () => {
      const { store } = await open();
      expect((await store.createOwnedAccount({ ...ada, email: account.email }, "hash")).email).toBe(account.email);
    });
  });

  describe("an owner's password", () => {
    test("makes the owner of an account that has none, with its address in small letters", async () => {
      const { store } = await openEmpty();
      await store.createAccount({ ...account, email: "Ops@ACME.example" });
      expect(await store.setOwnerPassword("a-1", "hash")).toEqual({ email: "ops@acme.example" });
      expect(await everything(store)).toEqual({
        accounts: ["a-1"],
        rows: [[ownerRow({ ...account, email: "ops@acme.example" })], [credentialRow("a-1", "hash")], []],
      });
    });

    test("replaces the one before and ends the owner's sessions, and nobody else's", async () => {
      const { store, clock } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.createOwnedAccount(ada, "ada's hash");
      await store.insertRow("owner_sessions", sessionRow({ id: "s-1", owner_id: "a-1" }));
      await store.insertRow("owner_sessions", sessionRow({ id: "s-2", owner_id: "a-1" }));
      const hers = await store.insertRow("owner_sessions", sessionRow({ id: "s-3", owner_id: "a-2" }));
      clock.advance(1000);
      expect(await store.setOwnerPassword("a-1", "next hash")).toEqual({ email: account.email });
      expect(await everything(store)).toEqual({
        accounts: ["a-1", "a-2"],
        rows: [
          [ownerRow(account), ownerRow(ada)],
          [credentialRow("a-1", "next hash", new Date(nowMs + 1000).toISOString()), credentialRow("a-2", "ada's hash")],
          [hers],
        ],
      });
    });

    test("is refused where there is nobody to have it", async () => {
      const { store } = await open();
      await store.createOwnedAccount({ ...ada, email: account.email }, "hash");
      await store.createAccount({ id: "a-3", name: "silent", email: null });
      await fails(store.setOwnerPassword("a-9", "hash"), "There is no account with the id a-9.");
      await fails(store.setOwnerPassword("a-3", "hash"), "The account silent has no e-mail address to sign in with.");
      await fails(store.setOwnerPassword("a-1", "hash"), "The e-mail address ops@acme.example has an account already.");
      expect((await rowsOf(store, "owners")).map(({ id }) => id)).toEqual(["a-2"]);
    });
  });

  test("all sessions of an owner but one are ended, and nobody else's", async () => {
    const { store } = await open();
    await store.setOwnerPassword("a-1", "hash");
    await store.createOwnedAccount(ada, "hash");
    for (const [id, owner] of [
      ["s-1", "a-1"],
      ["s-2", "a-1"],
      ["s-3", "a-1"],
      ["s-4", "a-2"],
    ] as const) {
      await store.insertRow("owner_sessions", sessionRow({ id, owner_id: owner }));
    }
    await store.endOtherSessions("a-1", "hash of s-2");
    const left = await store.selectRows("owner_sessions", [], everyRow);
    expect(left.map(({ id }) => id)).toEqual(["s-2", "s-4"]);
  });
}
