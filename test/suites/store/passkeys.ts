// Passkeys: registered, listed and removed, with challenges that work once, and sessions that begin with one.
import { describe, expect, test } from "vitest";
import type { NewPasskey } from "../../../src/store/owner-records.ts";
import { fails, nowMs, type OpenedStore, type Openers } from "./samples.ts";

const passkey: NewPasskey = {
  ...{ id: "p-1", accountId: "a-1", credentialId: "credential-1", publicKey: "key", counter: 3, name: "laptop" },
  transports: ["internal", "hybrid"],
};
const session = { tokenHash: "t-1", expiresAtMs: nowMs + 100_000, address: "192.0.2.7", userAgent: "curl/8.0" };

/** The tests that every store passes. */
export function passkeysSuite({ open }: Openers): void {
  const openOwned = async (): Promise<OpenedStore> => {
    const opened = await open();
    await opened.store.setOwnerPassword("a-1", "hash");
    await opened.store.createOwnedAccount({ id: "a-2", name: "ada", email: "ada@example.com" }, "hash");
    return opened;
  };

  describe("passkeys", () => {
    test("are found by their credential, listed oldest first, and renamed and removed by their own account alone", async () => {
      const { store } = await openOwned();
      const stored = { ...passkey, createdAtMs: nowMs, lastUsedAtMs: undefined };
      expect(await store.addPasskey(passkey)).toEqual(stored);
      await store.addPasskey({ ...passkey, id: "p-2", credentialId: "credential-2", name: "phone" });
      await store.addPasskey({ ...passkey, id: "p-3", accountId: "a-2", credentialId: "credential-3" });
      expect(await store.findPasskey("credential-1")).toEqual(stored);
      expect(await store.findPasskey("credential-9")).toBeUndefined();
      expect((await store.passkeysOf("a-1")).map(({ id }) => id)).toEqual(["p-1", "p-2"]);
      await fails(store.renamePasskey("a-2", "p-1", "mine"), "The account has no passkey with the ID p-1.");
      const renamed = { ...stored, name: "work laptop" };
      expect(await store.renamePasskey("a-1", "p-1", "work laptop")).toEqual(renamed);
      expect(await store.findPasskey("credential-1")).toEqual(renamed);
      const [note] = (await store.auditPage({ accountId: "a-1", actions: ["account.rename_passkey"], limit: 2 })).entries;
      expect(note?.details).toEqual({ name: "work laptop", former_name: passkey.name });
      await fails(store.removePasskey("a-2", "p-1"), "The account has no passkey with the ID p-1.");
      await store.removePasskey("a-1", "p-1");
      expect((await store.passkeysOf("a-1")).map(({ name }) => name)).toEqual(["phone"]);
    });

    test("are at most ten for each account, and a credential is registered once", async () => {
      const { store } = await openOwned();
      await store.addPasskey(passkey);
      await fails(store.addPasskey({ ...passkey, id: "p-2", accountId: "a-2" }), "This passkey is already registered.");
      for (let number = 2; number <= 10; number++) {
        await store.addPasskey({ ...passkey, id: `p-${number}`, credentialId: `credential-${number}` });
      }
      const eleventh = { ...passkey, id: "p-11", credentialId: "credential-11" };
      await fails(store.addPasskey(eleventh), "The account already has 10 passkeys. Remove one first.");
      await store.addPasskey({ ...eleventh, accountId: "a-2" });
    });

    test("challenges work once, until they expire", async () => {
      const { store } = await openOwned();
      await store.addPasskeyChallenge({ challengeHash: "h-1", accountId: null, expiresAtMs: nowMs + 1000 });
      await store.addPasskeyChallenge({ challengeHash: "h-2", accountId: "a-1", expiresAtMs: nowMs + 1000 });
      await store.addPasskeyChallenge({ challengeHash: "h-3", accountId: null, expiresAtMs: nowMs });
      const taken = [];
      for (const hash of ["h-1", "h-1", "h-2", "h-3", "h-9"]) {
        taken.push(await store.takePasskeyChallenge(hash));
      }
      expect(taken).toEqual([{ accountId: null }, undefined, { accountId: "a-1" }, undefined, undefined]);
    });

    test("begin a session once for each signature, and not after they are removed", async () => {
      const { store } = await openOwned();
      const added = await store.addPasskey(passkey);
      expect(await store.beginPasskeySession(added, 4, session)).toBe(true);
      expect((await store.findSession("t-1"))?.accountId).toBe("a-1");
      expect(await store.findPasskey("credential-1")).toEqual({ ...added, counter: 4, lastUsedAtMs: nowMs });
      // The same state of the passkey, as a concurrent sign-in has read it.
      expect(await store.beginPasskeySession(added, 4, { ...session, tokenHash: "t-2" })).toBe(false);
      await store.removePasskey("a-1", "p-1");
      const removed = { ...added, counter: 4 };
      expect(await store.beginPasskeySession(removed, 5, { ...session, tokenHash: "t-3" })).toBe(false);
      expect([await store.findSession("t-2"), await store.findSession("t-3")]).toEqual([undefined, undefined]);
    });
  });
}
