// The handlers of AccountService on a store with two accounts: the caller's, and another whose things must not be there for them.
import { onTestFinished } from "vitest";
import { activatedByOperator } from "../../../src/account/payments.ts";
import { createAccountHandlers } from "../../../src/account/rpc/account-handlers.ts";
import type { SignedIn } from "../../../src/account/rpc/handlers.ts";
import type { Sessions } from "../../../src/account/sessions.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { createCountingRandomness } from "../../fixtures/counting-randomness.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

/** When the clock stands. */
export const nowMs = Date.UTC(2026, 10, 21, 12);

/** The caller, and whoever has the other account. */
export const me: SignedIn = { accountId: "a-1", token: "x".repeat(32), peer: "127.0.0.1" };
export const other: SignedIn = { accountId: "a-2", token: "y".repeat(32), peer: "127.0.0.2" };

/** The id that is drawn as the nth. */
export const nthId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** The scene of one test. */
export interface TwoAccounts {
  readonly handlers: ReturnType<typeof createAccountHandlers>;
  readonly store: Store;
  readonly clock: ManualClock;
}

/** A new store with the two accounts, and the plans that the product has. Only `sessions` knows of passwords. */
export async function openTwoAccounts(sessions: Partial<Sessions> = {}): Promise<TwoAccounts> {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: temporaryDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createAccount({ id: "a-1", name: "acme", email: "ops@acme.example" });
  await store.createAccount({ id: "a-2", name: "other", email: null });
  const randomness = createCountingRandomness();
  const plans = loadPlans(undefined);
  const handlers = createAccountHandlers({
    store,
    sessions: sessions as Sessions,
    plans,
    unspent: () => 0,
    payments: activatedByOperator,
    sendsMail: false,
    clock,
    randomness,
  });
  return { handlers, store, clock };
}

/** What is refused because a rule of the store forbids it; `field` is what is wrong, where one is. */
export const forbidden = (subject: string, message: string): Failure =>
  new Failure({ reason: "FAILED_PRECONDITION", message, preconditionSubject: subject });

/** What is refused because the account has no such thing. */
export const missing = (what: string, id: string): Failure =>
  new Failure({ reason: "NOT_FOUND", message: `The account has no ${what} with the id ${id}.` });
