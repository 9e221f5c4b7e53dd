// The handlers on a store with two accounts: the caller's, and another whose data the caller must not see.
import { onTestFinished } from "vitest";
import { Passkeys } from "../../../src/account/passkeys.ts";
import { createAccountHandlers } from "../../../src/account/rpc/account-handlers.ts";
import type { SignedIn } from "../../../src/account/rpc/handlers.ts";
import { SignInThrottle } from "../../../src/account/rpc/sign-in-throttle.ts";
import type { Sessions } from "../../../src/account/sessions.ts";
import { TwoFactorSignIn } from "../../../src/account/two-factor.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { createCountingRandomness } from "../../fixtures/counting-randomness.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../../fixtures/migrated-data.ts";

/** The time at which the clock stands still. */
export const nowMs = Date.UTC(2026, 10, 21, 12);

/** The caller, and the owner of the other account. */
export const me: SignedIn = { accountId: "a-1", personId: "a-1", role: "owner", token: "x".repeat(32), peer: "127.0.0.1" };
export const other: SignedIn = { accountId: "a-2", personId: "a-2", role: "owner", token: "y".repeat(32), peer: "127.0.0.2" };

/** The nth generated id. */
export const nthId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** What one test works with. */
export interface TwoAccounts {
  readonly handlers: ReturnType<typeof createAccountHandlers>;
  readonly store: Store;
  readonly clock: ManualClock;
}

/** A new store with the two accounts, and the product's plans. Only `sessions` uses passwords. */
export async function openTwoAccounts(sessions: Partial<Sessions> = {}): Promise<TwoAccounts> {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createAccount({ id: "a-1", name: "acme", email: "ops@acme.example" });
  await store.createAccount({ id: "a-2", name: "other", email: null });
  const randomness = createCountingRandomness();
  const plans = loadPlans(undefined);
  const handlers = createAccountHandlers({
    store,
    sessions: sessions as Sessions,
    twoFactor: new TwoFactorSignIn({ store, clock, randomness }),
    plans,
    unspent: () => 0,
    signInThrottle: new SignInThrottle(clock),
    passkeys: new Passkeys({ store, clock, randomness, publicUrl: undefined }),
    sendEmailChange: undefined,
    clock,
    randomness,
  });
  return { handlers, store, clock };
}

/** The failure when a rule of the store forbids a call; `field` is the field that is wrong, if there is one. */
export const forbidden = (subject: string, message: string): Failure =>
  new Failure({ reason: "FAILED_PRECONDITION", message, preconditionSubject: subject });

/** The failure when the account has no such object. */
export const missing = (what: string, id: string): Failure =>
  new Failure({ reason: "NOT_FOUND", message: `The account has no ${what} with the ID ${id}.` });
