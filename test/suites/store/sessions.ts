// The life of sessions.
import { describe, expect, test } from "vitest";
import type { AdminStore } from "../../../src/store/store.ts";
import { fails, nowMs, type OpenedStore, type Openers } from "./samples.ts";

type NewSession = Parameters<AdminStore["beginSession"]>[0];

const session: NewSession = { tokenHash: "t-1", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 1000 };
const found = { accountId: "a-1", expiresAtMs: nowMs + 1000 };

/** The tests that every store passes. */
export function sessionsSuite({ open }: Openers): void {
  const openOwned = async (): Promise<OpenedStore> => {
    const opened = await open();
    await opened.store.setOwnerPassword("a-1", "hash");
    await opened.store.createOwnedAccount({ id: "a-2", name: "ada", email: "ada@example.com" }, "hash");
    return opened;
  };

  describe("sessions", () => {
    test("are found by their token's hash until they end", async () => {
      const { store, clock } = await openOwned();
      expect(await store.beginSession(session)).toBe(true);
      expect(await store.beginSession({ ...session, tokenHash: "t-2", accountId: "a-2", expiresAtMs: nowMs + 2000 })).toBe(true);
      clock.advance(999);
      expect(await store.findSession("t-1")).toEqual({ ...found, account: await store.findAccount("a-1") });
      expect(await store.findSession("t-9")).toBeUndefined();
      clock.advance(1);
      expect(await store.findSession("t-1")).toBeUndefined();
      expect(await store.findSession("t-2")).toMatchObject({ accountId: "a-2", expiresAtMs: nowMs + 2000 });
    });

    test.for<{ fault: string; change: Partial<NewSession> }>([
      { fault: "a password that has changed", change: { passwordHash: "old hash" } },
      { fault: "an account that nobody owns", change: { accountId: "a-9" } },
    ])("do not begin with $fault", async ({ change }) => {
      const { store } = await openOwned();
      expect(await store.beginSession({ ...session, ...change })).toBe(false);
      expect(await store.findSession("t-1")).toBeUndefined();
    });

    test("have unique tokens", async () => {
      const { store } = await openOwned();
      await store.beginSession(session);
      await fails(
        store.beginSession({ ...session, accountId: "a-2" }),
        "The change breaks a rule of the database, and nothing was changed.",
      );
      expect(await store.findSession("t-1")).toMatchObject(found);
    });

    test("are extended, if they exist", async () => {
      const { store, clock } = await openOwned();
      await store.beginSession(session);
      await store.beginSession({ ...session, tokenHash: "t-2" });
      await store.prolongSession("t-1", nowMs + 5000);
      await store.prolongSession("t-9", nowMs + 5000);
      clock.advance(1000);
      expect(await store.findSession("t-1")).toMatchObject({ ...found, expiresAtMs: nowMs + 5000 });
      expect(await store.findSession("t-2")).toBeUndefined();
      expect(await store.findSession("t-9")).toBeUndefined();
    });

    test("are ended one by one, if they exist", async () => {
      const { store } = await openOwned();
      await store.beginSession(session);
      await store.beginSession({ ...session, tokenHash: "t-2" });
      await store.endSession("t-1");
      await store.endSession("t-1");
      expect(await store.findSession("t-1")).toBeUndefined();
      expect(await store.findSession("t-2")).toMatchObject(found);
    });

    test("are listed with their origin and last use, newest first", async () => {
      const { store, clock } = await openOwned();
      await store.beginSession({ ...session, address: "192.0.2.7", userAgent: "curl/8.0" });
      await store.beginSession({ ...session, tokenHash: "ada's", accountId: "a-2" });
      clock.advance(100);
      await store.beginSession({ ...session, tokenHash: "t-2", expiresAtMs: nowMs + 2000 });
      const first = {
        tokenHash: "t-1",
        ...found,
        createdAtMs: nowMs,
        lastUsedAtMs: nowMs,
        address: "192.0.2.7",
        userAgent: "curl/8.0",
      };
      const second = {
        tokenHash: "t-2",
        accountId: "a-1",
        expiresAtMs: nowMs + 2000,
        createdAtMs: nowMs + 100,
        lastUsedAtMs: nowMs + 100,
      };
      expect(await store.listSessions("a-1")).toEqual([second, first]);
      await store.recordSessionUses([
        { tokenHash: "t-1", usedAtMs: nowMs + 500 },
        { tokenHash: "t-2", usedAtMs: nowMs - 60_000 },
        { tokenHash: "t-9", usedAtMs: nowMs + 500 },
      ]);
      await store.recordSessionUses([{ tokenHash: "t-1", usedAtMs: nowMs + 400 }]);
      expect(await store.listSessions("a-1")).toEqual([second, { ...first, lastUsedAtMs: nowMs + 500 }]);
      clock.advance(900);
      expect(await store.listSessions("a-1")).toEqual([second]);
      expect(await store.listSessions("a-9")).toEqual([]);
    });

    test("are marked as used, any number at once", async () => {
      const { store } = await openOwned();
      await store.beginSession(session);
      const others = Array.from({ length: 1200 }, (_, index) => ({ tokenHash: `x-${index}`, usedAtMs: nowMs + 60_000 }));
      await store.recordSessionUses([...others, { tokenHash: "t-1", usedAtMs: nowMs + 60_000 }]);
      expect((await store.listSessions("a-1")).map(({ lastUsedAtMs }) => lastUsedAtMs)).toEqual([nowMs + 60_000]);
    });

    test("of an owner all end except one, and those of others stay", async () => {
      const { store, clock } = await openOwned();
      for (const tokenHash of ["t-1", "t-2", "t-3"]) {
        await store.beginSession({ ...session, tokenHash, expiresAtMs: nowMs + 2000 });
      }
      await store.beginSession({ ...session, tokenHash: "ada's", accountId: "a-2", expiresAtMs: nowMs + 2000 });
      await store.prolongSession("t-3", nowMs + 1000);
      clock.advance(1000);
      // The third had already ended.
      expect(await store.endOtherSessions("a-1", "t-2")).toBe(1);
      expect(await store.endOtherSessions("a-1", "t-2")).toBe(0);
      const sessions = await Promise.all(["t-1", "t-2", "t-3", "ada's"].map((tokenHash) => store.findSession(tokenHash)));
      expect(sessions.map((each) => each?.accountId)).toEqual([undefined, "a-1", undefined, "a-2"]);
    });

    test("of an owner are limited to the newest 50, whatever others have", async () => {
      const { store, clock } = await openOwned();
      const expiresAtMs = nowMs + 1_000_000;
      await store.beginSession({ ...session, tokenHash: "ada's", accountId: "a-2", expiresAtMs });
      const tokenHashes = Array.from({ length: 52 }, (_, index) => `t-${index}`);
      for (const tokenHash of tokenHashes) {
        await store.beginSession({ ...session, tokenHash, expiresAtMs });
        clock.advance(1);
      }
      const sessions = await Promise.all(["ada's", ...tokenHashes].map((tokenHash) => store.findSession(tokenHash)));
      const [mine, others] = [
        { ...found, expiresAtMs },
        { accountId: "a-2", expiresAtMs },
      ];
      const foundSessions = sessions.map((each) => each && { accountId: each.accountId, expiresAtMs: each.expiresAtMs });
      expect(foundSessions).toEqual([others, undefined, undefined, ...new Array(50).fill(mine)]);
    });

    test("that ended are deleted when their owner's next begins, and cannot return", async () => {
      const { store, clock } = await openOwned();
      await store.beginSession(session);
      await store.beginSession({ ...session, tokenHash: "t-2", accountId: "a-2" });
      clock.advance(1000);
      await store.beginSession({ ...session, tokenHash: "t-3", expiresAtMs: nowMs + 2000 });
      await Promise.all(["t-1", "t-2"].map((tokenHash) => store.prolongSession(tokenHash, nowMs + 5000)));
      expect(await store.findSession("t-1")).toBeUndefined();
      expect(await store.findSession("t-2")).toMatchObject({ accountId: "a-2", expiresAtMs: nowMs + 5000 });
    });
  });
}
