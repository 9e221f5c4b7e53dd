// The rows of sign-in's tables, one by one.
import { describe, expect, test } from "vitest";
import type { SignInCondition, SignInPage } from "../../../src/store/owner-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { fails, type Openers } from "./samples.ts";
import { everyRow, rowsOf, sessionRow } from "./sign-in-samples.ts";

const sessions = [
  sessionRow({ id: "s-1", owner_id: "a-1", expires_at: "2026-11-21", user_agent: "x" }),
  sessionRow({ id: "s-2", owner_id: "a-1", expires_at: "2026-11-22", ip_address: "::1" }),
  sessionRow({ id: "s-3", owner_id: "a-1", expires_at: "2026-11-23" }),
  sessionRow({ id: "s-4", owner_id: "a-2", expires_at: "2026-11-22", user_agent: "x' OR 1=1 --" }),
];

const ofFirst: SignInCondition = { column: "owner_id", operator: "=", value: "a-1" };

const textOf = (conditions: readonly SignInCondition[]): string =>
  conditions.map(({ column, operator, value }) => `${column} ${operator} ${value}`).join(" and ") || "nothing";

const idsOf = (rows: readonly { readonly id?: unknown }[]): unknown[] => rows.map(({ id }) => id);

/** How every store behaves in this. */
export function signInRowsSuite({ open }: Openers): void {
  // With two owners and the sessions.
  const openWithSessions = async (): Promise<Store> => {
    const { store } = await open();
    await store.setOwnerPassword("a-1", "hash");
    await store.createOwnedAccount({ id: "a-2", name: "ada", email: "ada@example.com" }, "hash");
    for (const row of sessions) {
      expect(await store.insertRow("owner_sessions", row)).toEqual(row);
    }
    return store;
  };

  describe("rows of sign-in", () => {
    const tried: readonly { readonly conditions: readonly SignInCondition[]; readonly found: readonly string[] }[] = [
      { conditions: [], found: ["s-1", "s-2", "s-3", "s-4"] },
      { conditions: [{ column: "id", operator: "=", value: "s-2" }], found: ["s-2"] },
      { conditions: [{ column: "id", operator: "!=", value: "s-2" }], found: ["s-1", "s-3", "s-4"] },
      { conditions: [{ column: "expires_at", operator: "<", value: "2026-11-22" }], found: ["s-1"] },
      { conditions: [{ column: "expires_at", operator: "<=", value: "2026-11-22" }], found: ["s-1", "s-2", "s-4"] },
      { conditions: [{ column: "expires_at", operator: ">", value: "2026-11-22" }], found: ["s-3"] },
      { conditions: [{ column: "expires_at", operator: ">=", value: "2026-11-22" }], found: ["s-2", "s-3", "s-4"] },
      { conditions: [{ column: "id", operator: "in", value: ["s-1", "s-4", "s-9"] }], found: ["s-1", "s-4"] },
      { conditions: [{ column: "ip_address", operator: "=", value: null }], found: ["s-1", "s-3", "s-4"] },
      { conditions: [{ column: "ip_address", operator: "!=", value: null }], found: ["s-2"] },
      { conditions: [{ column: "user_agent", operator: "=", value: "x' OR 1=1 --" }], found: ["s-4"] },
      { conditions: [ofFirst, { column: "expires_at", operator: ">=", value: "2026-11-22" }], found: ["s-2", "s-3"] },
      { conditions: [ofFirst, { column: "id", operator: "=", value: "s-4" }], found: [] },
    ];
    test.for(tried.map((each) => ({ ...each, text: textOf(each.conditions) })))(
      "that meet $text are read, counted, changed and deleted",
      async ({ conditions, found }) => {
        const store = await openWithSessions();
        const expected = sessions.filter(({ id }) => found.includes(String(id)));
        expect(await store.selectRows("owner_sessions", conditions, everyRow)).toEqual(expected);
        expect(await store.countRows("owner_sessions", conditions)).toBe(found.length);
        const changed = await store.updateRows("owner_sessions", conditions, { updated_at: "later" });
        expect(changed.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))).toEqual(
          expected.map((row) => ({ ...row, updated_at: "later" })),
        );
        expect(
          idsOf(await store.selectRows("owner_sessions", [{ column: "updated_at", operator: "=", value: "later" }], everyRow)),
        ).toEqual(found);
        expect(await store.deleteRows("owner_sessions", conditions)).toBe(found.length);
        const left = sessions.filter((row) => !expected.includes(row));
        expect(await rowsOf(store, "owner_sessions")).toEqual(left);
      },
    );

    test.for<{ page: SignInPage; found: readonly string[] }>([
      { page: { ...everyRow, limit: 2 }, found: ["s-1", "s-2"] },
      { page: { ...everyRow, limit: 2, offset: 2 }, found: ["s-3", "s-4"] },
      { page: { ...everyRow, limit: 2, offset: 3 }, found: ["s-4"] },
      { page: { ...everyRow, offset: 4 }, found: [] },
      { page: { ...everyRow, limit: 0 }, found: [] },
      { page: { limit: 3, offset: 1, orderBy: { column: "id", direction: "desc" } }, found: ["s-3", "s-2", "s-1"] },
      { page: { limit: 1, offset: 0, orderBy: { column: "expires_at", direction: "desc" } }, found: ["s-3"] },
    ])(
      "are read a page at a time: $page.limit of them, $page.offset passed over, by $page.orderBy.column $page.orderBy.direction",
      async ({ page, found }) => {
        expect(idsOf(await (await openWithSessions()).selectRows("owner_sessions", [], page))).toEqual(found);
      },
    );

    test("need no order", async () => {
      const rows = await (await openWithSessions()).selectRows("owner_sessions", [], { limit: 100, offset: 0, orderBy: undefined });
      expect(idsOf(rows).toSorted()).toEqual(["s-1", "s-2", "s-3", "s-4"]);
    });

    test.for([
      { fault: "whose token another has", change: { token_hash: "hash of s-1" } },
      { fault: "of nobody", change: { owner_id: "a-9" } },
    ])("$fault are refused", async ({ change }) => {
      const store = await openWithSessions();
      await fails(
        store.insertRow("owner_sessions", sessionRow({ id: "s-5", owner_id: "a-1", ...change })),
        "The change breaks a rule of the database, and nothing was changed.",
      );
      expect(await rowsOf(store, "owner_sessions")).toEqual(sessions);
    });
  });
}
