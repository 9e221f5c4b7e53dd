// The usage history.
import { describe, expect, test } from "vitest";
import type { Openers } from "./samples.ts";

/** How every store behaves in this. */
export function usageSuite({ openEmpty }: Openers): void {
  describe("usage", () => {
    const count = {
      accountId: "a-1",
      keyId: "k-1",
      service: "radio",
      method: "m/Search",
      day: "2026-11-20",
      outcome: "OK",
      calls: 2,
    } as const;

    test("counts add up, also within one batch", async () => {
      const { store } = await openEmpty();
      await store.addUsage([]);
      await store.addUsage([count, count]);
      await store.addUsage([count, { ...count, outcome: "NOT_FOUND", calls: 1 }]);
      expect(await store.usage({ accountId: "a-1", fromDay: "2026-11-20", toDay: "2026-11-20" })).toEqual([
        { ...count, outcome: "NOT_FOUND", calls: 1 },
        { ...count, calls: 6 },
      ]);
    });

    test("the history is one account's, of the days asked for, of one service if asked for", async () => {
      const { store } = await openEmpty();
      const days = ["2026-11-22", "2026-11-21", "2026-11-20", "2026-11-19"];
      await store.addUsage(days.map((day) => ({ ...count, day })));
      await store.addUsage([{ ...count, accountId: "a-2" }]);
      await store.addUsage([{ ...count, service: "farkle" }]);
      expect(await store.usage({ accountId: "a-1", service: "radio", fromDay: "2026-11-20", toDay: "2026-11-21" })).toEqual([
        count,
        { ...count, day: "2026-11-21" },
      ]);
      expect(await store.usage({ accountId: "a-1", fromDay: "2026-11-20", toDay: "2026-11-20" })).toEqual([
        { ...count, service: "farkle" },
        count,
      ]);
    });

    test("a batch larger than one statement is added whole", async () => {
      const { store } = await openEmpty();
      await store.addUsage(Array.from({ length: 450 }, (_, index) => ({ ...count, keyId: `k-${index}`, calls: 1 })));
      const rows = await store.usage({ accountId: "a-1", fromDay: "2026-11-20", toDay: "2026-11-20" });
      expect(rows.length).toBe(450);
    });
  });
}
