// The tokens of links sent by mail: each works once, for its own purpose, and for a limited time.
import { describe, expect, test } from "vitest";
import type { NewMailToken } from "../../../src/store/owner-records.ts";
import { account, fails, nowMs, type Openers } from "./samples.ts";

const reset: NewMailToken = {
  tokenHash: "t-1",
  purpose: "reset",
  email: "ops@acme.example",
  accountId: "a-1",
  expiresAtMs: nowMs + 1000,
};
const signUp: NewMailToken = { ...reset, purpose: "sign_up", email: "ada@example.com", accountId: null };
const passkey = { accountId: "a-1", publicKey: "key", counter: 0, transports: [], name: "laptop" };
const to = (email: string) => ({ to: email, currentTokenHash: "s-1" });
const created = { id: "a-2", name: "ada", passwordHash: "hash" };

/** The tests that every store passes. */
export function mailTokensSuite({ open }: Openers): void {
  describe("the token of a link", () => {
    test("is found until it expires", async () => {
      const { store, clock } = await open();
      await store.addMailToken(reset);
      const { tokenHash: _, expiresAtMs: __, ...found } = reset;
      clock.advance(999);
      expect(await store.findMailToken("t-1")).toEqual(found);
      expect(await store.findMailToken("t-9")).toBeUndefined();
      clock.advance(1);
      expect(await store.findMailToken("t-1")).toBeUndefined();
      expect(await store.resetPassword("t-1", "next")).toBe(false);
    });

    test("is not stored for an account that was deleted", async () => {
      const { store, fixture } = await open();
      await store.deleteAccount("a-1");
      await fails(store.addMailToken(reset), "There is no account with the ID a-1.");
      expect((await fixture.dump()).mail_tokens).toEqual([]);
    });

    test("sets a password once, ends all sessions, verifies the address, and removes the other reset tokens", async () => {
      const { store, clock } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.beginSession({ tokenHash: "s-1", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 5000 });
      await store.addMailToken(reset);
      await store.addMailToken({ ...reset, tokenHash: "t-2" });
      clock.advance(10);
      expect(await store.resetPassword("t-2", "next")).toBe(true);
      expect(await Promise.all(["t-1", "t-2"].map((token) => store.resetPassword(token, "other")))).toEqual([false, false]);
      expect((await store.findOwnerOf("a-1"))?.passwordHash).toBe("next");
      expect(await store.findSession("s-1")).toBeUndefined();
      expect((await store.findAccount("a-1"))?.emailVerifiedAtMs).toBe(nowMs + 10);
    });

    test("that sets a password removes passkeys, members and invitations of an account whose address was never verified", async () => {
      const { store } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.createOwnedAccount({ id: "a-2", name: "eve", email: "eve@example.com" }, "hash");
      const addAccess = async (number: number) => {
        const invited = { accountId: "a-1", role: "owner", invitedBy: "a-1", expiresAtMs: nowMs + 1000 } as const;
        await store.addPasskey({ ...passkey, id: `p-${number}`, credentialId: `credential-${number}` });
        await store.inviteMember({ ...invited, id: `i-${number}`, email: "eve@example.com", tokenHash: `i-${number}` });
        await store.acceptInvitation(`i-${number}`, "a-2");
        await store.inviteMember({ ...invited, id: `j-${number}`, email: "mallory@example.com", tokenHash: `j-${number}` });
      };
      const access = async () => [
        (await store.passkeysOf("a-1")).length,
        (await store.listMembers("a-1")).length,
        (await store.listInvitations("a-1")).length,
      ];
      await addAccess(1);
      await store.addMailToken(reset);
      expect([await access(), await store.resetPassword("t-1", "next")]).toEqual([[1, 2, 1], true]);
      expect(await access()).toEqual([0, 1, 0]);
      // The address is verified now.
      await addAccess(2);
      await store.addMailToken({ ...reset, tokenHash: "t-2" });
      expect([await store.resetPassword("t-2", "last"), await access()]).toEqual([true, [1, 2, 1]]);
    });

    test("changes the address once, verifies it, and ends all other links", async () => {
      const { store, clock } = await open();
      await store.setOwnerPassword("a-1", "hash");
      const change = { ...reset, tokenHash: "t-2", purpose: "change_email", email: "new@acme.example" } as const;
      await store.addMailToken(reset);
      await store.addMailToken(change);
      await store.addMailToken({ ...change, tokenHash: "t-3", email: "other@acme.example" });
      clock.advance(10);
      expect(await store.verifyEmail("t-2", undefined)).toBe(false);
      expect(await store.resetPassword("t-2", "next")).toBe(false);
      expect(await store.changeEmailByLink("t-1")).toBeUndefined();
      expect(await store.changeEmailByLink("t-2")).toBe("ops@acme.example");
      expect(await Promise.all(["t-2", "t-3"].map((token) => store.changeEmailByLink(token)))).toEqual([undefined, undefined]);
      expect(await store.findMailToken("t-1")).toBeUndefined();
      expect(await store.findOwner("ops@acme.example")).toBeUndefined();
      expect((await store.findOwner("new@acme.example"))?.accountId).toBe("a-1");
      expect(await store.findAccount("a-1")).toMatchObject({ email: "new@acme.example", emailVerifiedAtMs: nowMs + 10 });
      const [entry] = (await store.auditPage({ limit: 1 })).entries;
      expect([entry?.action, entry?.details]).toEqual([
        "account.change_email",
        { from: "ops@acme.example", to: "new@acme.example" },
      ]);
    });

    test("does not change the address to one that another account has, in any case", async () => {
      const { store } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.createAccount({ id: "a-2", name: "ada", email: "Ada@Example.com" });
      const taken = "The e-mail address ada@example.com already has an account.";
      await store.addMailToken({ ...reset, purpose: "change_email", email: "ada@example.com" });
      await fails(store.changeEmailByLink("t-1"), taken);
      await fails(store.changeOwnerEmail("a-1", to("ada@example.com")), taken);
      await fails(store.changeOwnerEmail("a-2", to("new@example.com")), "Nobody can sign in to the account with the ID a-2.");
      expect((await store.findOwnerOf("a-1"))?.email).toBe("ops@acme.example");
      await store.changeOwnerEmail("a-1", to("new@acme.example"));
      expect((await store.findAccount("a-1"))?.emailVerifiedAtMs).toBeUndefined();
    });

    test("gives an address to only one of two accounts that change to it at once", async () => {
      const { store } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.createOwnedAccount({ id: "a-2", name: "ada", email: "ada@example.com" }, "hash");
      const done = await Promise.allSettled(["a-1", "a-2"].map((id) => store.changeOwnerEmail(id, to("new@example.com"))));
      expect(done.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    });

    test("is used by only one of two simultaneous requests", async () => {
      const { store } = await open();
      await store.addMailToken(reset);
      const came = await Promise.all(["one", "two"].map((hash) => store.resetPassword("t-1", hash)));
      expect(came.toSorted()).toEqual([false, true]);
    });

    test("creates the owner of an account that had none", async () => {
      const { store } = await open();
      await store.addMailToken(reset);
      await store.resetPassword("t-1", "first");
      expect(await store.findOwner("ops@acme.example")).toEqual({
        accountId: "a-1",
        email: "ops@acme.example",
        passwordHash: "first",
      });
    });

    test("verifies the address that it was sent to", async () => {
      const { store } = await open();
      await store.addMailToken({ ...reset, purpose: "verify" });
      await store.addMailToken({ ...reset, purpose: "verify", tokenHash: "t-2", email: "old@acme.example" });
      expect((await store.findAccount("a-1"))?.emailVerifiedAtMs).toBeUndefined();
      expect(await store.verifyEmail("t-2", undefined)).toBe(true);
      expect((await store.findAccount("a-1"))?.emailVerifiedAtMs).toBeUndefined();
      expect(await store.verifyEmail("t-1", undefined)).toBe(true);
      expect(await store.verifyEmail("t-1", undefined)).toBe(false);
      expect((await store.findAccount("a-1"))?.emailVerifiedAtMs).toBe(nowMs);
    });

    test("creates the account of a sign-up, with its owner and a verified address", async () => {
      const { store } = await open();
      await store.addMailToken(signUp);
      await store.addMailToken({ ...signUp, tokenHash: "t-2" });
      expect(await store.findAccount("ada@example.com")).toBeUndefined();
      expect(await store.verifyEmail("t-1", created)).toBe(true);
      expect(await store.findAccount("a-2")).toMatchObject({ name: "ada", email: "ada@example.com", emailVerifiedAtMs: nowMs });
      expect(await store.findOwner("ada@example.com")).toEqual({
        accountId: "a-2",
        email: "ada@example.com",
        passwordHash: "hash",
      });
      expect(await store.verifyEmail("t-2", { ...created, id: "a-3", name: "other" })).toBe(false);
      const { entries } = await store.auditPage({ accountId: "a-2", limit: 10 });
      expect(entries.map(({ action }) => action)).toEqual(["account.sign_up"]);
    });

    test("creates no account without a password", async () => {
      const { store } = await open();
      await store.addMailToken(signUp);
      expect(await store.verifyEmail("t-1", undefined)).toBe(false);
      expect(await store.findAccount("ada@example.com")).toBeUndefined();
    });

    test("creates no account if the address has one by now", async () => {
      const { store } = await open();
      await store.addMailToken({ ...signUp, email: account.email });
      await fails(store.verifyEmail("t-1", created), `The e-mail address ${account.email} already has an account.`);
      expect(await store.findAccount("a-2")).toBeUndefined();
    });

    test("works for no other purpose, and still works for its own afterwards", async () => {
      const { store } = await open();
      await store.addMailToken(signUp);
      await store.addMailToken({ ...reset, tokenHash: "t-2", purpose: "verify" });
      await store.addMailToken({ ...reset, tokenHash: "t-3" });
      expect(await Promise.all(["t-1", "t-2"].map((token) => store.resetPassword(token, "next")))).toEqual([false, false]);
      expect(await store.verifyEmail("t-3", created)).toBe(false);
      expect(await store.verifyEmail("t-1", undefined)).toBe(false);
      expect(await store.findOwnerOf("a-1")).toBeUndefined();
      expect([await store.verifyEmail("t-1", created), await store.verifyEmail("t-2", undefined)]).toEqual([true, true]);
      expect(await store.resetPassword("t-3", "next")).toBe(true);
    });

    test("is kept if it is among the newest three of its address", async () => {
      const { store, clock } = await open();
      for (const tokenHash of ["t-1", "t-2", "t-3", "t-4"]) {
        await store.addMailToken({ ...reset, tokenHash });
        clock.advance(1);
      }
      await store.addMailToken({ ...reset, tokenHash: "t-5", purpose: "verify" });
      const found = await Promise.all(["t-1", "t-2", "t-3", "t-4", "t-5"].map((token) => store.findMailToken(token)));
      expect(found.map((each) => each?.purpose)).toEqual([undefined, "reset", "reset", "reset", "verify"]);
    });

    test("is removed with the account", async () => {
      const { store } = await open();
      await store.addMailToken(reset);
      await store.deleteAccount("a-1");
      expect(await store.findMailToken("t-1")).toBeUndefined();
    });
  });
}
