// What the store suites are made of: one account, one key, one subscription, and how a store is opened.
import { expect } from "vitest";
import type { Key, NewKey, Subscription } from "../../../src/store/records.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoreConflict } from "../../../src/store/store-errors.ts";
import type { ManualClock } from "../../fixtures/manual-clock.ts";

/** Opens connections to one new, empty database. Whatever it opened is closed and removed when the test is over. */
export interface StoreFixture {
  /** The first one creates the database; more of them are further connections to it. */
  open(clock: ManualClock): Promise<Store>;
  /** Runs a statement on the database, past the store: for what only older versions left behind. */
  run(statement: string): Promise<void>;
  /** All that is in the database: table → rows, by column. */
  dump(): Promise<Dump>;
}

/** Table → rows, by column. */
export type Dump = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** One test's store. */
export interface OpenedStore {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly fixture: StoreFixture;
}

/** How a test gets its store. */
export interface Openers {
  /** With nothing in it. */
  openEmpty(): Promise<OpenedStore>;
  /** With `account`. */
  open(): Promise<OpenedStore>;
}

/** When the suite's clock stands. */
export const nowMs = Date.UTC(2026, 10, 21, 12);

/** What the account that most tests have is made from. */
export const account = { id: "a-1", name: "acme", email: "ops@acme.example" };

/** What a key of that account is made from. */
export const newKey = (change: Partial<NewKey> = {}): NewKey => ({
  id: "k-1",
  accountId: "a-1",
  name: "first",
  hash: "11".repeat(32),
  prefix: "qk_live_",
  lastFour: "wxyz",
  services: null,
  expiresAtMs: null,
  lifetimeMs: null,
  ...change,
});

/** The key that `newKey` makes. */
export const keyOf = (change: Partial<Key> = {}): Key => ({
  id: "k-1",
  accountId: "a-1",
  name: "first",
  prefix: "qk_live_",
  lastFour: "wxyz",
  services: null,
  createdAtMs: nowMs,
  expiresAtMs: null,
  lifetimeMs: null,
  disabled: false,
  revokedAtMs: null,
  ...change,
});

/** What a subscription of that account is made from. */
export const radio = { id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" } as const;

/** The subscription that `radio` makes. */
export const subscriptionOf = (change: Partial<Subscription> = {}): Subscription => ({
  id: "s-1",
  accountId: "a-1",
  service: "radio",
  plan: "free",
  requestedPlan: null,
  state: "active",
  createdAtMs: nowMs,
  ...change,
});

/** The promise is rejected with a StoreConflict that says so. */
export const fails = (promise: Promise<unknown>, message: string): Promise<void> =>
  expect(promise).rejects.toThrow(new StoreConflict(message));
