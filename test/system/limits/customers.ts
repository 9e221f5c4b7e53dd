// The customers of a run: their accounts, keys, subscriptions and plans, and what the store knows about them in the end.
import { createAccount } from "../../../src/account/accounts.ts";
import { createKey } from "../../../src/account/keys.ts";
import type { ServiceName } from "../../../src/catalogue/service-names.ts";
import { leaseMax } from "../../../src/guard/quota/lease-size.ts";
import type { Month } from "../../../src/runtime/calendar.ts";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { systemRandomness as randomness } from "../../../src/runtime/randomness.ts";
import type { Store } from "../../../src/store/store.ts";
import type { TestPlans } from "../../fixtures/plan-file.ts";
import { type CallInput, failing, good, mistake, radioMistake } from "./call-inputs.ts";
import type { Subscription, Taken, UsageRow } from "./history.ts";

/** The limits of a run. */
export interface Limits {
  /** Calls a month of the subscription to farkle. */
  readonly scores: number;
  /** Calls a month of the subscription to radio, whose upstream is dead. */
  readonly stations: number;
  /** Requests per second of another account's subscription to farkle. */
  readonly rate: number;
}

/** A subscription with its keys, as callers need it. */
export interface Customer extends Subscription {
  readonly id: string;
  readonly accountId: string;
  readonly service: ServiceName;
  readonly keys: readonly { readonly id: string; readonly secret: string }[];
  /** What is called during faults, and what afterwards, when every admitted call counts. */
  readonly inputs: readonly CallInput[];
  readonly lastInput: CallInput;
}

// More than any run makes: the most that a plan may have.
const CALLS = 20_000;
const PER_SECOND = 100_000;
const MONTHS: readonly Month[] = ["2026-11", "2026-12"];

/** The plan file's content. */
export const plansOf = ({ scores, stations, rate }: Limits): TestPlans => ({
  farkle: [
    { name: "month", callsPerMonth: scores, requestsPerSecond: PER_SECOND },
    { name: "second", callsPerMonth: CALLS, requestsPerSecond: rate, priceMinor: 100 },
  ],
  radio: [{ name: "month", callsPerMonth: stations, requestsPerSecond: PER_SECOND }],
});

/** Creates them. */
export async function makeCustomers(store: Store, limits: Limits): Promise<readonly Customer[]> {
  const make = async (accountId: string, name: string, service: ServiceName, plan: string, keys: number) => {
    const { callsPerMonth = 0, requestsPerSecond = 0 } = plansOf(limits)[service]?.find((one) => one.name === plan) ?? {};
    const { id } = await store.createSubscription({ id: randomness.uuid(), accountId, service, plan, state: "active" });
    const created: { id: string; secret: string }[] = [];
    for (let index = 0; index < keys; index++) {
      const wish = { accountId, name: `${name} ${index}`, services: [service], expiresAtMs: null };
      const { key, secret } = await createKey({ store, clock, randomness }, wish);
      created.push({ id: key.id, secret });
    }
    const lease = leaseMax({ callsPerMonth, requestsPerSecond });
    return {
      name,
      id,
      accountId,
      service,
      keys: created,
      callsPerMonth,
      requestsPerSecond,
      leaseMax: lease,
      usedUp: plan === "month",
    };
  };
  const [first, second] = [await account(store, "first"), await account(store, "second")];
  return [
    { ...(await make(first, "scores", "farkle", "month", 3)), inputs: [good, good, good, mistake], lastInput: good },
    { ...(await make(first, "stations", "radio", "month", 2)), inputs: [failing, failing, radioMistake], lastInput: radioMistake },
    { ...(await make(second, "rated", "farkle", "second", 2)), inputs: [good], lastInput: good },
  ];
}

const account = async (store: Store, name: string): Promise<string> =>
  (await createAccount({ store, randomness }, { name, email: null })).id;

// Adds up days and methods. A run has a few dozen rows.
const byOutcomeAndKey = { groupBy: ["outcome", "key"], refunded: [], limit: 10_000, offset: 0, countsMax: 10_000 } as const;

/** What the store knows about them. */
export async function storedOf(
  store: Store,
  customers: readonly Customer[],
): Promise<{ taken: readonly Taken[]; usage: readonly UsageRow[] }> {
  const taken: Taken[] = [];
  const usage: UsageRow[] = [];
  for (const { id, name, accountId, service } of customers) {
    for (const month of MONTHS) {
      const [standing] = await store.leasedCalls([id], month);
      taken.push({ subscription: name, month, calls: standing?.leased ?? 0 });
      const query = { accountId, service, fromDay: `${month}-01`, toDay: `${month}-31`, ...byOutcomeAndKey };
      const { rows } = await store.usageRows(query);
      usage.push(...rows.map(({ outcome = "", keyId: key = "", calls }) => ({ subscription: name, key, month, outcome, calls })));
    }
  }
  return { taken: taken.filter(({ calls }) => calls > 0), usage };
}
