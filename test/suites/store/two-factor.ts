// Two-factor authentication: secrets, codes that count once, recovery codes, and sign-ins that wait for a code.
import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { nowMs, type OpenedStore, type Openers } from "./samples.ts";

const session = { tokenHash: "t-1", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 100_000 };
const challenge = { tokenHash: "c-1", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 1000 };
const completed = { tokenHash: "t-9", expiresAtMs: nowMs + 100_000, address: "192.0.2.7", userAgent: "curl/8.0" };
const link = {
  tokenHash: "m-1",
  purpose: "reset",
  email: "ops@acme.example",
  accountId: "a-1",
  expiresAtMs: nowMs + 100_000,
} as const;
const on = { secret: "secret", step: 10, recoveryHashes: ["r-1", "r-2"], currentTokenHash: "t-1" };

const actionsOf = async (store: Store) =>
  (await store.auditPage({ accountId: "a-1", limit: 100 })).entries.map(({ action }) => action).reverse();

/** The tests that every store passes. */
export function twoFactorSuite({ open }: Openers): void {
  const openOwned = async (): Promise<OpenedStore> => {
    const opened = await open();
    await opened.store.setOwnerPassword("a-1", "hash");
    await opened.store.createOwnedAccount({ id: "a-2", name: "ada", email: "ada@example.com" }, "hash");
    await opened.store.beginSession(session);
    return opened;
  };
  const openOn = async (): Promise<OpenedStore> => {
    const opened = await openOwned();
    await opened.store.prepareTwoFactor("a-1", "secret");
    expect(await opened.store.turnOnTwoFactor("a-1", on)).toBe(true);
    return opened;
  };

  describe("two-factor authentication", () => {
    test("is off until the last generated secret is confirmed, and then ends other sessions and links", async () => {
      const { store } = await openOwned();
      expect(await store.findTwoFactor("a-1")).toBeUndefined();
      expect(await store.prepareTwoFactor("a-1", "first")).toBe(true);
      expect(await store.prepareTwoFactor("a-1", "secret")).toBe(true);
      expect(await store.findTwoFactor("a-1")).toEqual({ secret: "secret", onSinceMs: undefined, recoveryCodesLeft: 0 });
      expect(await store.turnOnTwoFactor("a-1", { ...on, secret: "first" })).toBe(false);
      expect(await store.turnOnTwoFactor("a-2", on)).toBe(false);
      await store.beginSession({ ...session, tokenHash: "t-2" });
      await store.beginSession({ ...session, tokenHash: "t-3", accountId: "a-2" });
      await store.addMailToken(link);
      expect(await store.turnOnTwoFactor("a-1", on)).toBe(true);
      expect(await store.findTwoFactor("a-1")).toEqual({ secret: "secret", onSinceMs: nowMs, recoveryCodesLeft: 2 });
      const found = await Promise.all(["t-1", "t-2", "t-3"].map((token) => store.findSession(token)));
      expect(found.map((each) => each?.accountId)).toEqual(["a-1", undefined, "a-2"]);
      expect(await store.findMailToken("m-1")).toBeUndefined();
      expect(await store.prepareTwoFactor("a-1", "other")).toBe(false);
      expect(await store.turnOnTwoFactor("a-1", on)).toBe(false);
      expect((await actionsOf(store)).at(-1)).toBe("account.turn_on_two_factor");
    });

    test("lets no session begin with the password alone", async () => {
      const { store } = await openOn();
      expect(await store.beginSession({ ...session, tokenHash: "t-2" })).toBe(false);
      expect(await store.beginSession({ ...session, tokenHash: "t-2", accountId: "a-2" })).toBe(true);
    });

    test("stays on when the password is changed, reset or set by an operator", async () => {
      const { store } = await openOn();
      await store.changeOwnerPassword("a-1", { from: "hash", to: "hash-2", currentTokenHash: "t-1" });
      await store.addMailToken(link);
      expect(await store.resetPassword("m-1", "hash-3")).toBe(true);
      await store.setOwnerPassword("a-1", "hash-4");
      expect(await store.findTwoFactor("a-1")).toEqual({ secret: "secret", onSinceMs: nowMs, recoveryCodesLeft: 2 });
      expect(await store.beginSession({ ...session, tokenHash: "t-2", passwordHash: "hash-4" })).toBe(false);
    });

    test("is turned off with an unused code, and then ends other sessions, links and challenges", async () => {
      const { store } = await openOn();
      await store.addChallenge(challenge);
      await store.completeChallenge("c-1", { step: 11 }, completed);
      await store.addChallenge(challenge);
      await store.addMailToken(link);
      expect(await store.turnOffTwoFactor("a-1", { step: 11 }, "t-1")).toBe(false);
      expect(await store.turnOffTwoFactor("a-1", { recoveryHash: "r-9" }, "t-1")).toBe(false);
      expect(await store.findChallenge("c-1")).toBe("a-1");
      expect(await store.turnOffTwoFactor("a-1", { step: 12 }, "t-1")).toBe(true);
      expect(await store.findTwoFactor("a-1")).toBeUndefined();
      expect(await store.findChallenge("c-1")).toBeUndefined();
      expect(await store.findMailToken("m-1")).toBeUndefined();
      expect((await store.listSessions("a-1")).map(({ tokenHash }) => tokenHash)).toEqual(["t-1"]);
      expect(await store.turnOffTwoFactor("a-1", { step: 13 }, "t-1")).toBe(false);
      expect((await actionsOf(store)).at(-1)).toBe("account.turn_off_two_factor");
      expect(await store.beginSession({ ...session, tokenHash: "t-2" })).toBe(true);
    });

    test("is removed without a code, and then ends all sessions", async () => {
      const { store } = await openOn();
      expect(await store.removeTwoFactor("a-2")).toBe(false);
      expect(await store.removeTwoFactor("a-1")).toBe(true);
      expect(await store.removeTwoFactor("a-1")).toBe(false);
      expect(await store.listSessions("a-1")).toEqual([]);
      expect(await store.beginSession({ ...session, tokenHash: "t-2" })).toBe(true);
      await store.prepareTwoFactor("a-1", "next");
      expect(await store.removeTwoFactor("a-1")).toBe(false);
    });

    test("is deleted with its account", async () => {
      const { store, fixture } = await openOn();
      await store.addChallenge(challenge);
      await store.deleteAccount("a-1");
      const { two_factors, recovery_codes, sign_in_challenges } = await fixture.dump();
      expect({ two_factors, recovery_codes, sign_in_challenges }).toEqual({
        two_factors: [],
        recovery_codes: [],
        sign_in_challenges: [],
      });
    });
  });

  describe("a code", () => {
    test("of an app counts only if it is later than the last one", async () => {
      const { store } = await openOn();
      const results = [];
      for (const step of [10, 9, 12, 12, 11, 13]) {
        results.push(await store.replaceRecoveryCodes("a-1", { step }, [`r-${step}`]));
      }
      expect(results).toEqual([false, false, true, false, false, true]);
      expect((await store.findTwoFactor("a-1"))?.recoveryCodesLeft).toBe(1);
    });

    test("for recovery counts once, is recorded, and becomes invalid when the codes are replaced", async () => {
      const { store } = await openOn();
      const results: boolean[] = [];
      const use = async (recoveryHash: string): Promise<void> => {
        await store.addChallenge({ ...challenge, tokenHash: `c-${results.length}` });
        const started = { ...completed, tokenHash: `t-${results.length + 10}` };
        results.push(await store.completeChallenge(`c-${results.length}`, { recoveryHash }, started));
      };
      await use("r-1");
      await use("r-1");
      expect((await store.findTwoFactor("a-1"))?.recoveryCodesLeft).toBe(1);
      expect(await store.replaceRecoveryCodes("a-1", { step: 11 }, ["r-3", "r-4", "r-5"])).toBe(true);
      await use("r-2");
      await use("r-3");
      expect(results).toEqual([true, false, false, true]);
      expect((await store.findTwoFactor("a-1"))?.recoveryCodesLeft).toBe(2);
      expect((await actionsOf(store)).slice(-3)).toEqual([
        "account.use_recovery_code",
        "account.replace_recovery_codes",
        "account.use_recovery_code",
      ]);
    });

    test("counts once if two people use it at the same time", async () => {
      const { store, clock, fixture } = await openOn();
      const stores = [store, await fixture.open(clock)];
      for (const code of [{ step: 11 }, { recoveryHash: "r-1" }]) {
        const started = stores.map(async (each, index) => {
          const [tokenHash, token] = [`c-${JSON.stringify(code)}-${index}`, `t-${JSON.stringify(code)}-${index}`];
          await each.addChallenge({ ...challenge, tokenHash });
          return each.completeChallenge(tokenHash, code, { ...completed, tokenHash: token });
        });
        expect((await Promise.all(started)).toSorted()).toEqual([false, true]);
      }
    });

    test("has to wait after five wrong ones, longer each time, up to an hour, until a right one ends the wait", async () => {
      const { store, clock } = await openOn();
      const waits = [];
      for (let wrong = 1; wrong <= 4; wrong += 1) {
        expect(await store.takeCodeAttempt("a-1")).toBe(0);
      }
      for (let wrong = 5; wrong <= 14; wrong += 1) {
        expect(await store.takeCodeAttempt("a-1")).toBe(0);
        const waitMs = await store.takeCodeAttempt("a-1");
        waits.push(waitMs / 1000);
        clock.advance(waitMs - 1);
        expect(await store.takeCodeAttempt("a-1")).toBe(1);
        clock.advance(1);
      }
      expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
      expect(await store.takeCodeAttempt("a-2")).toBe(0);
      expect(await store.replaceRecoveryCodes("a-1", { step: 11 }, ["r-3"])).toBe(true);
      const again = [];
      for (let wrong = 0; wrong < 6; wrong += 1) {
        again.push(await store.takeCodeAttempt("a-1"));
      }
      expect(again).toEqual([0, 0, 0, 0, 0, 30_000]);
    });

    test("is counted once for each of many attempts at the same time", async () => {
      const { store, clock, fixture } = await openOn();
      const stores = [store, await fixture.open(clock)];
      const waits = await Promise.all(Array.from({ length: 20 }, (_, index) => stores[index % 2]?.takeCodeAttempt("a-1")));
      expect(waits.filter((ms) => ms === 0)).toHaveLength(5);
    });
  });

  describe("a challenge", () => {
    test("begins one session, with a code, until it expires", async () => {
      const { store, clock } = await openOn();
      expect(await store.addChallenge(challenge)).toBe(true);
      expect(await store.findChallenge("c-1")).toBe("a-1");
      expect(await store.findChallenge("c-9")).toBeUndefined();
      expect(await store.findSession("c-1")).toBeUndefined();
      expect(await store.completeChallenge("c-1", { step: 10 }, completed)).toBe(false);
      expect(await store.completeChallenge("c-9", { step: 11 }, completed)).toBe(false);
      expect(await store.completeChallenge("c-1", { step: 11 }, completed)).toBe(true);
      const { tokenHash, ...shown } = completed;
      expect((await store.listSessions("a-1")).find((each) => each.tokenHash === tokenHash)).toEqual({
        ...shown,
        tokenHash,
        accountId: "a-1",
        createdAtMs: nowMs,
        lastUsedAtMs: nowMs,
      });
      expect(await store.completeChallenge("c-1", { step: 12 }, { ...completed, tokenHash: "t-8" })).toBe(false);
      await store.addChallenge(challenge);
      clock.advance(1000);
      expect(await store.findChallenge("c-1")).toBeUndefined();
      expect(await store.completeChallenge("c-1", { step: 13 }, { ...completed, tokenHash: "t-8" })).toBe(false);
    });

    test("is not made with a password that has changed, and ends when it changes", async () => {
      const { store } = await openOn();
      expect(await store.addChallenge({ ...challenge, passwordHash: "old" })).toBe(false);
      expect(await store.addChallenge({ ...challenge, accountId: "a-9" })).toBe(false);
      await store.addChallenge(challenge);
      await store.addChallenge({ ...challenge, tokenHash: "c-2", accountId: "a-2" });
      await store.changeOwnerPassword("a-1", { from: "hash", to: "hash-2", currentTokenHash: "t-1" });
      expect(await store.findChallenge("c-1")).toBeUndefined();
      expect(await store.findChallenge("c-2")).toBe("a-2");
      expect(await store.completeChallenge("c-1", { step: 11 }, completed)).toBe(false);
    });

    test("is one of at most ten for an account", async () => {
      const { store, clock } = await openOn();
      for (let index = 0; index < 12; index += 1) {
        await store.addChallenge({ ...challenge, tokenHash: `c-${index}` });
        clock.advance(1);
      }
      const found = await Promise.all(Array.from({ length: 12 }, (_, index) => store.findChallenge(`c-${index}`)));
      expect(found.map((each) => each !== undefined)).toEqual([false, false, ...new Array(10).fill(true)]);
    });
  });
}
