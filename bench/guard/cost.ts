// Measures one admission: the time it takes, and how often it queries a store.

import { loadPlans } from "../../src/catalogue/plans.ts";
import type { Guard } from "../../src/guard/guard.ts";
import { systemClock as clock } from "../../src/runtime/clock.ts";
import { createLog } from "../../src/runtime/log.ts";
import type { GuardStore, Store } from "../../src/store/store.ts";
import { createGuard, type GuardOptions } from "../../test/fixtures/one-thread-guard.ts";
import { passed } from "../../test/system/limits/callers.ts";
import { type Percentiles, percentilesOf } from "../percentiles.ts";

/** A measured cost. */
export interface Cost {
  /** Of an admission and its settlement when many follow each other, in microseconds. */
  readonly eachUs: number;
  /** Of an admission on its own, in microseconds. */
  readonly aloneUs: Percentiles;
  /** Leases taken and returned per admission. */
  readonly storeTrips: number;
  readonly admissions: number;
}

const METHOD = "quintet.farkle.v1.FarkleService/Score";
// Fewer than a second allows.
const ROUND = 20_000;
const REST_MS = 600;
const ALONE = 2000;
// How many admissions run concurrently if results take time.
const SIDE_BY_SIDE = 64;

/** Measures rounds of 20,000 admissions. The plan must have enough calls for all of them, and a round's calls in a second. */
export async function measureCost(
  store: Store,
  plansPath: string,
  key: string,
  rounds: number,
  shareRate?: GuardOptions["shareRate"],
): Promise<Cost> {
  let trips = 0;
  const counted: GuardStore = {
    nodeStatus: store.nodeStatus,
    findCredential: (hash) => store.findCredential(hash),
    addUsage: (counts, id) => store.addUsage(counts, id),
    addRefusals: (counts, id) => store.addRefusals(counts, id),
    busiestSubscriptions: async () => [],
    onChange: (callback) => store.onChange(callback),
    lease(...args) {
      trips++;
      return store.lease(...args);
    },
    returnCalls(...args) {
      trips++;
      return store.returnCalls(...args);
    },
  };
  const guard = createGuard({ store: counted, plans: loadPlans(plansPath), clock, log: createLog("silent"), shareRate });
  await admitMany(guard, key, ROUND);
  trips = 0;
  let tookMs = 0;
  for (let round = 0; round < rounds; round++) {
    // The rate limit recovers, and work delayed by the previous round ends.
    await passed(REST_MS);
    const startedMs = clock.monotonicMs();
    await admitMany(guard, key, ROUND);
    tookMs += clock.monotonicMs() - startedMs;
  }
  await passed(REST_MS);
  const eachUs = (tookMs * 1000) / (rounds * ROUND);
  const storeTrips = trips / (rounds * ROUND);
  const alone: number[] = [];
  for (let index = 0; index < ALONE; index++) {
    const fromMs = clock.monotonicMs();
    await admitOne(guard, key);
    alone.push((clock.monotonicMs() - fromMs) * 1000);
  }
  await guard.close();
  return { eachUs, aloneUs: percentilesOf(alone), storeTrips, admissions: (rounds + 1) * ROUND + ALONE };
}

async function admitMany(guard: Guard, key: string, count: number): Promise<void> {
  let left = count;
  const admitInTurn = async (): Promise<void> => {
    while (left-- > 0) {
      const decision = guard.admit({ key, address: "127.0.0.1", service: "farkle", method: METHOD });
      // Results that are ready are not awaited.
      const decided = decision instanceof Promise ? await decision : decision;
      if (!decided.admitted) {
        // The bucket is empty, or a lease is on its way: there is more in the next turn of the event loop.
        left++;
        await new Promise(setImmediate);
        continue;
      }
      decided.settle("OK");
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, admitInTurn));
}

async function admitOne(guard: Guard, key: string): Promise<void> {
  const decided = await guard.admit({ key, address: "127.0.0.1", service: "farkle", method: METHOD });
  if (decided.admitted) {
    decided.settle("OK");
  }
}
