// A store with the account of somebody who signs in, and what signs them in.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSessions, type Sessions } from "../../src/account/sessions.ts";
import { openStore } from "../../src/store/open.ts";
import type { SignInRow } from "../../src/store/owner-store.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../manual-clock.ts";
import { temporaryDirectory } from "../store/temporary-directory.ts";

/** The account of Ada, and her password. */
export const ada = { id: "a-1", name: "ada", email: "ada@example.com", password: "correct horse battery" };

/** A store in a test's hands. */
export interface OwnedAccount {
  readonly store: Store;
  readonly sessions: Sessions;
  /** The rows of all sessions, by when they began. */
  sessionRows(): Promise<readonly SignInRow[]>;
  /** Everything that the files of the store hold. */
  contents(): string;
}

/** A new store with Ada's account. It is closed when the test is over. */
export async function openOwnedAccount(password = ada.password): Promise<OwnedAccount> {
  const dataDir = temporaryDirectory();
  const store = await openStore({ dataDir, clock: createManualClock({ nowMs: Date.now() }), role: "command" });
  onTestFinished(() => store.close());
  const sessions = await openSessions(store, "s".repeat(64));
  const { id, name, email } = ada;
  await store.createOwnedAccount({ id, name, email }, await sessions.hash(password));
  return {
    store,
    sessions,
    sessionRows: () =>
      store.selectRows("owner_sessions", [], { limit: 100, offset: 0, orderBy: { column: "created_at", direction: "asc" } }),
    contents: () =>
      readdirSync(dataDir)
        .map((name) => readFileSync(join(dataDir, name), "latin1"))
        .join("\n"),
  };
}
