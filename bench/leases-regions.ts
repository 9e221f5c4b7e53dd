// Simulates leases of the monthly quota in ten regions of a hundred servers. Each server runs the guard's own code and leases from its
// region; each region runs the same code and leases from the home store. Round trips take 1 ms within a region and 80 ms to the home store.
// Time is simulated, and random values come from a seed. `npm run bench:leases`.
import { MOST_ENTITLEMENTS } from "../src/catalogue/entitlements.ts";
import type { Plan } from "../src/catalogue/plan.ts";
import { DEFAULT_GUARD_LIMITS } from "../src/guard/guard-limits.ts";
import { createLeaseOwner, type LeaseOwner } from "../src/guard/lease-owner.ts";
import type { Clock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { seeded } from "../src/sandbox/stand-ins/seeded.ts";
import type { LeaseGrant } from "../src/store/records.ts";
import type { GuardStore } from "../src/store/store.ts";
import { StoreUnavailable } from "../src/store/store-errors.ts";

const REGIONS = 10;
const SERVERS = 100;
const IN_REGION_MS = 1;
const TO_HOME_MS = 80;
// A region leases calls for an hour, a server for a minute.
const REGION_HOLDS = 60;
const CUT_MS = 3_600_000;
const REFUSED_PART = 0.2;
const KEY = "account:service";

interface Scenario {
  readonly callsPerMonth: number;
  readonly requestsPerSecond: number;
  /** How many calls a second are made. */
  readonly pace: number;
  readonly seed: number;
  /** Whether a region is cut off for an hour, servers die (200 in the month), and a whole region dies. */
  readonly hasFaults: boolean;
  /** The simulation ends after this many calls. */
  readonly callsMax: number;
}

interface Seen {
  readonly calls: number;
  readonly used: number;
  readonly forfeited: number;
  readonly waited: number;
  readonly toRegion: number;
  readonly toHome: number;
  readonly cutOff: { readonly calls: number; readonly served: number };
}

// Runs events in the order of their times.
class SimulatedTime implements Clock {
  #nowMs = 0;
  readonly #events: { atMs: number; run: () => void }[] = [];
  monotonicMs = (): number => this.#nowMs;
  nowMs = (): number => Date.UTC(2026, 10, 1) + Math.floor(this.#nowMs);

  after(delayMs: number, run: () => void): () => void {
    const event = { atMs: this.#nowMs + delayMs, run };
    let at = this.#events.length;
    while (at > 0 && (this.#events[at - 1] as typeof event).atMs <= event.atMs) {
      at -= 1;
    }
    // The next event is the last of the list.
    this.#events.splice(at, 0, event);
    return () => {
      event.run = () => {};
    };
  }

  async passTo(atMs: number): Promise<void> {
    for (let next = this.#events.at(-1); next !== undefined && next.atMs <= atMs; next = this.#events.at(-1)) {
      this.#events.pop();
      this.#nowMs = next.atMs;
      next.run();
      await settled();
    }
    this.#nowMs = atMs;
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function simulate({ callsPerMonth, requestsPerSecond, pace, seed, hasFaults, callsMax }: Scenario): Promise<Seen> {
  const random = seeded(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const clock = new SimulatedTime();
  const limits = { ...DEFAULT_GUARD_LIMITS, subscriptionsMax: 1 };
  const common = { clock, log: createLog("silent"), limits, threads: 1 };
  const planAt = (rate: number): Plan =>
    ({
      ...MOST_ENTITLEMENTS,
      name: "plan",
      callsPerMonth,
      requestsPerSecond: rate,
      priceMinor: 0,
      currency: "EUR",
    }) as unknown as Plan;
  const ofServer = planAt(requestsPerSecond);
  const ofRegion = planAt(requestsPerSecond * REGION_HOLDS);
  const storeOf = (tripMs: number, nodes: number, isCut: () => boolean, served: GuardStoreSide): GuardStore => {
    const trip = async <Answer>(work: () => Promise<Answer> | Answer): Promise<Answer> => {
      await passed(tripMs / 2);
      if (isCut()) {
        throw new StoreUnavailable("cut off");
      }
      const response = await work();
      await passed(tripMs / 2);
      return response;
    };
    return {
      lease: (_id: string, _month: string, _calls: number, want: number) => trip(() => served.lease(want)),
      giveBack: (_id: string, _month: string, calls: number) => trip(() => served.giveBack(calls)),
      onChange: () => () => {},
      busiestSubscriptions: async () => [],
      nodeStatus: { aliveNodes: nodes },
    } as unknown as GuardStore;
  };
  const passed = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  let leased = 0;
  let [toRegion, toHome, waited, calls, used, refused, forfeited] = [0, 0, 0, 0, 0, 0, 0];
  const home: GuardStoreSide = {
    async lease(want) {
      toHome += 1;
      const granted = Math.max(0, Math.min(want, callsPerMonth - leased));
      leased += granted;
      return { granted, unleased: callsPerMonth - leased };
    },
    async giveBack(given) {
      toHome += 1;
      leased -= given;
    },
  };
  let cutRegion = -1;
  const heldBy = ({ allowances, calendar }: LeaseOwner): number => allowances.leftOfAll(calendar.today());
  const makeRegion = (index: number) => {
    let restOfHome = callsPerMonth;
    const side: GuardStoreSide = {
      async lease(want) {
        const grant = await home.lease(want);
        restOfHome = grant.unleased;
        return grant;
      },
      giveBack: home.giveBack,
    };
    const owner = createLeaseOwner({ ...common, store: storeOf(TO_HOME_MS, REGIONS, () => cutRegion === index, side) });
    return {
      owner,
      // The region takes the calls that a server leases from its own lease.
      async lease(want: number): Promise<LeaseGrant> {
        toRegion += 1;
        const allowance = owner.allowances.of(KEY, "subscription", ofRegion);
        let granted = 0;
        while (allowance !== undefined && granted < want) {
          const spent = allowance.spend(owner.calendar.today());
          if (spent !== undefined) {
            granted += 1;
          } else if (granted > 0 || allowance.isExhausted(owner.calendar.today())) {
            break;
          } else {
            const later = await allowance.spendLater();
            if (later === "unavailable") {
              throw new StoreUnavailable("the region has none left");
            }
            if (typeof later !== "object") {
              break;
            }
            granted += 1;
          }
        }
        return { granted, unleased: heldBy(owner) + Math.floor(restOfHome / REGIONS) };
      },
      // Directly to the home store, which leases them to the next region that requests calls.
      giveBack: (given: number) => home.giveBack(given),
    };
  };
  const regions = Array.from({ length: REGIONS }, (_, index) => makeRegion(index));
  const makeServer = (region: number): LeaseOwner =>
    createLeaseOwner({
      ...common,
      store: storeOf(IN_REGION_MS, SERVERS, () => false, {
        lease: (want) => (regions[region] as (typeof regions)[number]).lease(want),
        giveBack: (given) => (regions[region] as (typeof regions)[number]).giveBack(given),
      }),
    });
  const servers = regions.map((_, region) => Array.from({ length: SERVERS }, () => makeServer(region)));
  const cutOff = { calls: 0, served: 0 };
  const spanMs = (Math.min(callsMax, callsPerMonth) / pace) * 1000;
  const disconnectAtMs = spanMs * (0.2 + 0.3 * random());
  const deathEveryCalls = Math.max(1, Math.floor(Math.min(callsMax, callsPerMonth) / 200));
  let hasRegionDied = false;
  for (; calls < callsMax && used < callsPerMonth && refused < callsPerMonth * REFUSED_PART; calls += 1) {
    await clock.passTo(clock.monotonicMs() + 1000 / pace);
    const nowMs = clock.monotonicMs();
    if (hasFaults) {
      const isCut = nowMs >= disconnectAtMs && nowMs < disconnectAtMs + CUT_MS;
      cutRegion = isCut ? 3 : -1;
      if (calls % deathEveryCalls === deathEveryCalls - 1) {
        const [region, server] = [below(REGIONS), below(SERVERS)];
        forfeited += heldBy(servers[region]?.[server] as LeaseOwner);
        (servers[region] as LeaseOwner[])[server] = makeServer(region);
      }
      if (!hasRegionDied && nowMs > spanMs * 0.7) {
        hasRegionDied = true;
        forfeited += heldBy((regions[7] as (typeof regions)[number]).owner);
        regions[7] = makeRegion(7);
      }
    }
    const region = below(REGIONS);
    const { allowances, calendar } = (servers[region] as LeaseOwner[])[below(SERVERS)] as LeaseOwner;
    const allowance = allowances.of(KEY, "subscription", ofServer);
    const count = (isAdmitted: boolean): void => {
      used += isAdmitted ? 1 : 0;
      refused += isAdmitted ? 0 : 1;
      if (region === cutRegion) {
        cutOff.calls += 1;
        cutOff.served += isAdmitted ? 1 : 0;
      }
    };
    const day = calendar.today();
    const spent = allowance?.isExhausted(day) === true ? undefined : allowance?.spend(day);
    if (spent !== undefined) {
      count(true);
    } else if (allowance === undefined || allowance.isExhausted(day)) {
      count(false);
    } else {
      waited += 1;
      void allowance.spendLater().then((later) => count(typeof later === "object"));
      await settled();
    }
  }
  await clock.passTo(clock.monotonicMs() + 1000);
  return { calls, used, forfeited, waited, toRegion, toHome, cutOff };
}

interface GuardStoreSide {
  lease(want: number): Promise<LeaseGrant>;
  giveBack(calls: number): Promise<void>;
}

const percent = (part: number, whole: number): string => (whole === 0 ? "" : `${((100 * part) / whole).toFixed(2)} %`);
const perThousand = (part: number, calls: number): string => ((1000 * part) / calls).toFixed(part > calls / 10 ? 0 : 2);
const write = (...cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`);

write(
  "plan, used at its full rate",
  "seed",
  "faults",
  "over",
  "used",
  "forfeited",
  "without a wait",
  "leases from the region for 1,000 calls",
  "leases from home",
  "served while cut off",
);
write("---", "---:", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:");
for (const [callsPerMonth, requestsPerSecond] of [
  [10_000, 10],
  [100_000, 10],
  [1_000_000, 100],
] as const) {
  for (const [seed, hasFaults] of [
    [1, false],
    [1, true],
    [2, true],
    [3, true],
  ] as const) {
    const scenario = { callsPerMonth, requestsPerSecond, pace: requestsPerSecond, seed, hasFaults, callsMax: 2 * callsPerMonth };
    const { calls, used, forfeited, waited, toRegion, toHome, cutOff } = await simulate(scenario);
    write(
      `${callsPerMonth.toLocaleString("en")} at ${requestsPerSecond}/s`,
      seed,
      hasFaults ? "yes" : "no",
      Math.max(0, used - callsPerMonth),
      percent(used, callsPerMonth),
      percent(forfeited, callsPerMonth),
      percent(calls - waited, calls),
      perThousand(toRegion, calls),
      perThousand(toHome, calls),
      percent(cutOff.served, cutOff.calls),
    );
  }
}

// Zipf: the key of rank r makes 1/r of the calls of the first. A key stands for all ranks down to the next one in the list.
const KEYS = 10_000_000;
const ALL_CALLS_PER_SECOND = 100_000;
const RANKS = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, KEYS];
const harmonic = (rank: number): number => Math.log(rank) + 0.5772 + 1 / (2 * rank);
process.stdout.write("\n");
write(
  "rank of the key",
  "calls/s",
  "its share of all calls",
  "without a wait",
  "leases from the region for 1,000 calls",
  "leases from home",
);
write("---:", "---:", "---:", "---:", "---:", "---:");
const total = { without: 0, toRegion: 0, toHome: 0 };
for (const [index, first] of RANKS.slice(0, -1).entries()) {
  const next = RANKS[index + 1] as number;
  const rank = Math.sqrt(first * next);
  const pace = ALL_CALLS_PER_SECOND / rank / harmonic(KEYS);
  const weight = (harmonic(next) - (first === 1 ? 0 : harmonic(first))) / harmonic(KEYS);
  // At most a month, which begins with empty leases.
  const callsMax = Math.min(100_000, Math.ceil(pace * 2_592_000));
  // Three times what the key needs, as a plan usually has.
  const callsPerMonth = Math.max(1000, Math.ceil(3 * pace * 2_592_000));
  const scenario = {
    callsPerMonth,
    requestsPerSecond: Math.max(1, Math.ceil(2 * pace)),
    pace,
    seed: 1,
    hasFaults: false,
    callsMax,
  };
  const { calls, waited, toRegion, toHome } = await simulate(scenario);
  total.without += (weight * (calls - waited)) / calls;
  total.toRegion += (weight * toRegion) / calls;
  total.toHome += (weight * toHome) / calls;
  write(
    Math.round(rank).toLocaleString("en"),
    pace < 1 ? pace.toPrecision(2) : Math.round(pace),
    percent(weight, 1),
    percent(calls - waited, calls),
    perThousand(toRegion, calls),
    perThousand(toHome, calls),
  );
}
write(
  "all",
  ALL_CALLS_PER_SECOND,
  "",
  percent(total.without, 1),
  (1000 * total.toRegion).toFixed(0),
  (1000 * total.toHome).toFixed(1),
);
