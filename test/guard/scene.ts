// Shared by the guard's tests: one account with a key and a subscription, and a store and a clock that the test controls.
import { inspect } from "node:util";
import type { GeneratedKey } from "@quintet/guard";
import { LOWEST_ENTITLEMENTS } from "../../src/catalogue/entitlements.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { Plans } from "../../src/catalogue/plans.ts";
import type { AdmissionRequest, Admitted, Refused } from "../../src/guard/guard.ts";
import type { GuardLimits } from "../../src/guard/guard-limits.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import type { Admission } from "../../src/guard/limit-charger.ts";
import type { Log } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import type { Credential } from "../../src/store/records.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { type ClosableGuard, createGuard, type GuardOptions } from "../fixtures/one-thread-guard.ts";
import { MemoryStore } from "./memory-store.ts";

/** A time in the middle of a day in the middle of a month of 30 days. */
export const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** The method of every call. */
export const METHOD = "quintet.radio.v1.RadioService/SearchStations";

/** The address of every call, unless a test sets another. */
export const ADDRESS = "203.0.113.7";

/** A plan of the radio service. */
export function radioPlan(name: string, callsPerMonth: number, requestsPerSecond = 1000): Plan {
  return {
    id: `radio/${name}/1`,
    service: "radio",
    name,
    priceMinor: 0,
    currency: "EUR",
    callsPerMonth,
    requestsPerSecond,
    entitlements: LOWEST_ENTITLEMENTS,
  };
}

/** Plans on offer. */
export const plansOf = (all: readonly Plan[]): Plans => new Plans(all);

/** A credential of the account `acme`, with an active radio subscription `sub-1` on the plan `free`, or as changed. */
export function credentialOf({
  subscription: { plan = "free", ...subscription } = {},
  ...changes
}: {
  key?: Partial<Credential["key"]>;
  account?: Partial<Credential["account"]>;
  subscription?: Partial<Credential["subscriptions"][number]> & { readonly plan?: string };
} = {}): Credential {
  return {
    key: {
      id: "key-1",
      accountId: "acme",
      name: "first",
      prefix: "qk_live_",
      lastFour: "0000",
      services: null,
      createdAtMs: 0,
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
      capId: "key-1",
      ...changes.key,
    },
    account: { id: "acme", name: "Acme", email: null, suspended: false, isOperator: false, createdAtMs: 0, ...changes.account },
    subscriptions: [
      {
        id: "sub-1",
        service: "radio",
        terms: radioPlan(plan, 1000),
        state: "active",
        ...subscription,
      },
    ],
  };
}

/** A log that keeps its lines. */
export interface MemoryLog extends Log {
  /** The strings alone. */
  readonly lines: string[];
  /** The complete lines: fields, errors with their stacks and causes, and text. */
  readonly written: string[];
}

/** A log in memory. */
export function createMemoryLog(): MemoryLog {
  const lines: string[] = [];
  const written: string[] = [];
  const write = (first: unknown, second?: unknown): void => {
    lines.push(String(second ?? first));
    written.push(inspect([first, second], { depth: Number.POSITIVE_INFINITY }));
  };
  return { lines, written, debug: write, info: write, warn: write, error: write };
}

/** Lets all promise callbacks that are ready run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A guard and its dependencies. */
export interface Scene {
  readonly guard: ClosableGuard;
  readonly store: MemoryStore;
  readonly clock: ManualClock;
  readonly log: MemoryLog;
  readonly key: GeneratedKey;
  /** Sets the wall clock, and leaves the monotonic one alone. */
  setWallClock(nowMs: number): void;
  /** Replaces what the store knows of the key, and announces the change. */
  change(credential: Credential | undefined): void;
  /** Calls radio once with the key. */
  admit(request?: Partial<AdmissionRequest>): Promise<Admitted | Refused>;
  /** Calls this many times, one call after another. Returns how many were admitted. */
  admitted(calls: number): Promise<number>;
}

/** A guard on a memory store. The account is on the plan `free`. */
export function createScene(
  options: {
    plans?: readonly Plan[];
    limits?: Partial<GuardLimits>;
    nowMs?: number;
    store?: MemoryStore;
    notCounted?: GuardOptions["notCounted"];
  } = {},
): Scene {
  const manual = createManualClock({ nowMs: options.nowMs ?? NOON_MS });
  let offsetMs = 0;
  const clock: ManualClock = {
    nowMs: () => manual.nowMs() + offsetMs,
    monotonicMs: () => manual.monotonicMs(),
    after: (delayMs, run) => manual.after(delayMs, run),
    advance: (ms) => manual.advance(ms),
    hasAlarmIn: (delayMs) => manual.hasAlarmIn(delayMs),
    get pending() {
      return manual.pending;
    },
  };
  const store = options.store ?? new MemoryStore();
  const log = createMemoryLog();
  const key = generateKey(systemRandomness);
  store.credentials.set(key.hash, credentialOf());
  const plans = plansOf(options.plans ?? [radioPlan("free", 1000)]);
  const guard = createGuard({ store, plans, clock, log, limits: options.limits ?? {}, notCounted: options.notCounted });
  const admit = async (change: Partial<AdmissionRequest> = {}): Promise<Admitted | Refused> =>
    guard.admit({ key: key.secret, address: ADDRESS, service: "radio", method: METHOD, ...change });
  return {
    guard,
    store,
    clock,
    log,
    key,
    admit,
    setWallClock(nowMs) {
      offsetMs = nowMs - manual.nowMs();
    },
    change(credential) {
      if (credential === undefined) {
        store.credentials.delete(key.hash);
      } else {
        store.credentials.set(key.hash, credential);
      }
      store.announce();
    },
    async admitted(calls) {
      let count = 0;
      for (let index = 0; index < calls; index++) {
        const decision = await admit();
        count += decision.admitted ? 1 : 0;
      }
      return count;
    },
  };
}

/** The problem of a refusal; throws if the call was admitted. */
export function problemOf(decision: Admitted | Refused): Refused["problem"] {
  if (decision.admitted) {
    throw new Error("The call was admitted.");
  }
  return decision.problem;
}

/** The admission; throws if the call was refused. */
export function admissionOf(decision: Admitted | Refused): Admission {
  if (!decision.admitted) {
    throw new Error(`The call was refused: ${decision.problem.message}`);
  }
  return decision as Admission;
}
