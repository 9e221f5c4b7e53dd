// Change notifications of the store, and the effects of closing it.

import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { StoreConflict, StoreUnavailable } from "../../../src/store/store-errors.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { account, newKey, nowMs, type Openers, radio } from "./samples.ts";

/** The tests that every store passes. */
export function lifecycleSuite({ open, openEmpty }: Openers): void {
  describe("changes", () => {
    const changes: Record<string, (store: Store) => Promise<unknown>> = {
      createAccount: (store) => store.createAccount({ id: "a-2", name: "other", email: null }),
      setSuspended: (store) => store.setSuspended("a-1", true),
      updateKey: (store) => store.updateKey("k-1", { disabled: true }),
      rotateKey: (store) => store.rotateKey("k-1", newKey({ id: "k-2", hash: "22" }), nowMs),
      revokeKey: (store) => store.revokeKey("k-1"),
      createSubscription: (store) => store.createSubscription({ ...radio, id: "s-2", service: "farkle" }),
      requestPlan: (store) => store.requestPlan("s-1", "pro"),
      activate: (store) => store.activate("s-1", "pro"),
      cancel: (store) => store.cancel("s-1"),
      setOwnerPassword: (store) => store.setOwnerPassword("a-1", "next hash"),
      changeOwnerPassword: (store) => store.changeOwnerPassword("a-1", { from: "hash", to: "next hash", currentTokenHash: "t-1" }),
      resetPassword: (store) => store.resetPassword("m-1", "next hash"),
      changeOwnerEmail: (store) => store.changeOwnerEmail("a-1", { to: "new@acme.example", currentTokenHash: "t-1" }),
      endSession: (store) => store.endSession("t-1"),
      endOtherSessions: (store) => store.endOtherSessions("a-1", "t-1"),
    };

    test.for(Object.keys(changes))("%s has notified listeners when it is done", async (name) => {
      const { store } = await open();
      await store.createKey(newKey());
      await store.createSubscription(radio);
      await store.setOwnerPassword("a-1", "hash");
      for (const tokenHash of ["t-1", "t-2"]) {
        await store.beginSession({ tokenHash, accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 1000 });
      }
      const { email } = account;
      const reset = { purpose: "reset", email, accountId: "a-1", passwordHash: null, expiresAtMs: nowMs + 1000 } as const;
      await store.addMailToken({ ...reset, tokenHash: "m-1" });
      let calls = 0;
      const unsubscribe = store.onChange(() => calls++);
      await changes[name]?.(store);
      unsubscribe();
      await store.setSuspended("a-1", false);
      expect(calls).toBe(1);
    });

    test("reads, leases, usage, new keys, sign-ups and sign-ins announce no change, nor do refused or ineffective changes", async () => {
      const { store } = await open();
      await store.createSubscription(radio);
      await store.setOwnerPassword("a-1", "hash");
      let calls = 0;
      store.onChange(() => calls++);
      await store.lease("s-1", "2026-11", 100, 10);
      await store.returnCalls("s-1", "2026-11", 10);
      await store.addUsage([], newBatch());
      await store.accountsAfter("", 1000);
      await store.createKey(newKey());
      await store.createOwnedAccount({ id: "a-2", name: "ada", email: "ada@example.com" }, "hash");
      await store.beginSession({ tokenHash: "t-1", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 1000 });
      await store.prolongSession("t-1", nowMs + 2000);
      await store.changeOwnerPassword("a-1", { from: "other hash", to: "next hash", currentTokenHash: "t-1" });
      await store.resetPassword("m-9", "next hash");
      await store.endOtherSessions("a-1", "t-1");
      await store.endSession("t-9");
      await expect(store.revokeKey("k-9")).rejects.toThrow(StoreConflict);
      expect(calls).toBe(0);
    });
  });

  describe("closing", () => {
    test("requests before it complete, and requests after it are refused", async () => {
      const { store } = await openEmpty();
      const requested = store.createAccount(account);
      await store.close();
      expect((await requested).name).toBe("acme");
      await expect(store.accountsAfter("", 1000)).rejects.toThrow(new StoreUnavailable("The store is closed."));
      await store.close();
    });

    test("written data is there when the database is opened again", async () => {
      const { store, clock, fixture } = await open();
      await store.createSubscription(radio);
      await store.lease("s-1", "2026-11", 100, 10);
      await store.close();
      const again = await fixture.open(clock);
      expect((await again.accountsAfter("", 1000)).map(({ name }) => name)).toEqual(["acme"]);
      expect(await again.lease("s-1", "2026-11", 100, 10)).toEqual({ granted: 10, unleased: 80 });
    });
  });
}
