// What a store deletes when it expires, and what it keeps.

import { describe, expect, test } from "vitest";
import { newBatch } from "../../fixtures/new-batch.ts";
import { account, nowMs, type Openers, radio } from "./samples.ts";

const DAY_MS = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The tests that every store passes. */
export function expiredRowsSuite({ open }: Openers): void {
  describe("expired data", () => {
    test("is deleted: expired sessions and links, and usage and months over two years old", async () => {
      const { store, clock, fixture } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await store.createSubscription(radio);
      for (const [name, expiresAtMs] of [
        ["ended", nowMs + 1],
        ["lasts", nowMs + 10 * DAY_MS],
      ] as const) {
        await store.beginSession({ tokenHash: name, accountId: "a-1", passwordHash: "hash", expiresAtMs });
        await store.addMailToken({ tokenHash: name, purpose: "reset", email: account.email, accountId: "a-1", expiresAtMs });
      }
      for (const month of ["2024-10", "2024-11", "2026-11"] as const) {
        await store.lease("s-1", month, 100, 1);
      }
      for (const day of ["2024-10-31", "2024-11-01", dayOf(nowMs)]) {
        const count = {
          accountId: "a-1",
          keyId: "k-1",
          service: "radio",
          method: "Search",
          day,
          hour: 1,
          outcome: "OK",
          calls: 1,
        } as const;
        await store.addUsage([count], newBatch());
      }
      await store.topAccounts({ fromDay: "2024-01-01", toDay: "2026-12-31", refunded: [], limit: 1 });
      clock.advance(1001);
      expect(await store.deleteExpired()).toBe(false);
      const { owner_sessions, mail_tokens, month_leases, usage_counts } = await fixture.dump();
      expect({
        sessions: owner_sessions?.map((row) => row.token_hash),
        links: mail_tokens?.map((row) => row.token_hash),
        months: month_leases?.map((row) => row.month).toSorted(),
        days: usage_counts?.map((row) => row.day).toSorted(),
      }).toEqual({
        sessions: ["lasts"],
        links: ["lasts"],
        months: ["2024-11", "2026-11"],
        days: ["2024-11-01", dayOf(nowMs)],
      });
    });

    test("is deleted a thousand rows at a time, even by two servers at once", async () => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      const values = Array.from({ length: 2500 }, (_, index) => `('a-1', 'k-${index}', 'radio', 'Search', '2020-01-01', 'OK', 1)`);
      await fixture.run(
        `INSERT INTO usage_counts (account_id, key_id, service, method, day, outcome, calls) VALUES ${values.join(", ")}`,
      );
      const left = async () => (await fixture.dump()).usage_counts?.length;
      expect([await store.deleteExpired(), await left()]).toEqual([true, 1500]);
      await Promise.all([store.deleteExpired(), other.deleteExpired()]);
      expect(await left()).toBeLessThanOrEqual(500);
      await store.deleteExpired();
      expect([await store.deleteExpired(), await left()]).toEqual([false, 0]);
    });
  });
}
