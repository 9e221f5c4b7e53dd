// The rows of sign-in that the store suites write and read.
import type { SignInPage, SignInRow, SignInTable } from "../../../src/store/owner-store.ts";
import type { Store } from "../../../src/store/store.ts";

/** All rows, by id. */
export const everyRow: SignInPage = { limit: 100, offset: 0, orderBy: { column: "id", direction: "asc" } };

/** All rows of a table, by id. */
export const rowsOf = (store: Store, table: SignInTable): Promise<readonly SignInRow[]> => store.selectRows(table, [], everyRow);

/** A session's row; what stands for the hash of its token names its id. */
export const sessionRow = (change: { readonly id: string; readonly owner_id: string } & SignInRow): SignInRow => ({
  token_hash: `hash of ${change.id}`,
  expires_at: "2026-11-28T12:00:00.000Z",
  ip_address: null,
  user_agent: null,
  created_at: "2026-11-21T12:00:00.000Z",
  updated_at: "2026-11-21T12:00:00.000Z",
  ...change,
});
