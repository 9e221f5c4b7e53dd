// Sample data for the store suites: one account, key and subscription, and functions to open a store.
import { expect } from "vitest";
import type { Plan } from "../../../src/catalogue/plan.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import type { ServiceName } from "../../../src/catalogue/service-names.ts";
import type { Key, NewKey, Subscription } from "../../../src/store/records.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoreConflict } from "../../../src/store/store-errors.ts";
import type { ManualClock } from "../../fixtures/manual-clock.ts";

/** Opens connections to one new, empty database. Everything it opened is closed and removed when the test ends. */
export interface StoreFixture {
  /** The first call creates the database; later calls open more connections to it. */
  open(clock: ManualClock): Promise<Store>;
  /** Runs a statement directly on the database: for rows that only older versions wrote. */
  run(statement: string): Promise<void>;
  /** The whole database: table → rows, by column. */
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

/** Functions that open a test's store. */
export interface Openers {
  /** An empty store. */
  openEmpty(): Promise<OpenedStore>;
  /** A store with `account`. */
  open(): Promise<OpenedStore>;
}

/** The time of the suite's clock. */
export const nowMs = Date.UTC(2026, 10, 21, 12);

/** The input for the account that most tests use. */
export const account = { id: "a-1", name: "acme", email: "ops@acme.example" };

/** The input for a key of that account. */
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

/** The key created from `newKey`. */
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
  notes: "",
  replacedBy: null,
  allowedAddresses: [],
  allowedOrigins: [],
  callsPerMonth: null,
  requestsPerSecond: null,
  capId: change.id ?? "k-1",
  ...change,
});

/** The input for a subscription of that account. */
export const radio = { id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" } as const;

const builtIn = loadPlans(undefined);

/** A built-in plan. */
export function builtInPlan(service: ServiceName, name: string): Plan {
  const plan = builtIn.find(service, name);
  if (plan === undefined) {
    throw new Error(`There is no plan ${name} of ${service}.`);
  }
  return plan;
}

/** The subscription created from `radio`. */
export const subscriptionOf = ({
  service = "radio",
  plan = "free",
  requestedPlan = null,
  ...change
}: Partial<Subscription> = {}): Subscription => ({
  id: "s-1",
  accountId: "a-1",
  service,
  plan,
  terms: builtInPlan(service, plan),
  agreedAtMs: nowMs,
  requestedPlan,
  request: requestedPlan === null ? null : { terms: builtInPlan(service, requestedPlan), atMs: nowMs },
  move: null,
  state: "active",
  createdAtMs: nowMs,
  ...change,
});

/** Expects the promise to reject with a StoreConflict with this message. */
export const fails = (promise: Promise<unknown>, message: string): Promise<void> =>
  expect(promise).rejects.toThrow(new StoreConflict(message));
