// Servers in regions: each server runs the guard's own code and leases calls of one customer's monthly quota from its region; each region
// runs the
// same code and leases from the home store, which only counts. Round trips take 1 ms within a region and 80 ms to the home store.
import { HIGHEST_ENTITLEMENTS } from "../../../src/catalogue/entitlements.ts";
import type { Plan } from "../../../src/catalogue/plan.ts";
import { DEFAULT_GUARD_LIMITS } from "../../../src/guard/guard-limits.ts";
import { createLeaseOwner, type LeaseOwner } from "../../../src/guard/lease-owner.ts";
import { beginLeaseReviews } from "../../../src/guard/quota/lease-review.ts";
import { type RegionHolds, regionNodes, regionTerms } from "../../../src/guard/quota/lease-size.ts";
import type { Spent } from "../../../src/guard/quota/month-lease.ts";
import { createLog } from "../../../src/runtime/log.ts";
import type { LeasedCalls, LeaseGrant } from "../../../src/store/records.ts";
import type { AdminStore, GuardStore } from "../../../src/store/store.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";
import type { SimulatedTime } from "./simulated-time.ts";

const IN_REGION_MS = 1;
const TO_HOME_MS = 80;
const KEY = "account:service";
const SUBSCRIPTION = "subscription";

/** What a lease owner needs of its store. */
interface Leasing {
  lease(want: number): Promise<LeaseGrant>;
  returnCalls(calls: number): Promise<void>;
  /** How many calls of the month have been leased in all. */
  leased(): number;
}

type SimulatedStore = GuardStore & Pick<AdminStore, "leasedCalls" | "leasedCapCalls">;

export interface RegionsOptions {
  readonly time: SimulatedTime;
  readonly regions: number;
  readonly serversPerRegion: number;
  readonly callsPerMonth: number;
  readonly requestsPerSecond: number;
  /** The most that a region may hold: a part of the month, and a part of what is left of it. */
  readonly regionHolds: RegionHolds;
}

const planOf = (callsPerMonth: number, requestsPerSecond: number): Plan =>
  ({ ...HIGHEST_ENTITLEMENTS, name: "plan", callsPerMonth, requestsPerSecond, priceMinor: 0, currency: "EUR" }) as unknown as Plan;

/** A server or a region: what it has leased of the month, and takes calls from. */
class Lessee {
  readonly owner: LeaseOwner;
  readonly #plan: Plan;

  constructor(owner: LeaseOwner, plan: Plan) {
    this.owner = owner;
    this.#plan = plan;
  }

  /** Calls that it holds. */
  get held(): number {
    return this.owner.allowances.totalLeft(this.owner.calendar.today());
  }

  /** Takes a call, at once or after it has leased some. */
  take(): Spent | "exhausted" | Promise<Spent | "exhausted" | "unavailable"> {
    const { allowances, calendar } = this.owner;
    const allowance = allowances.of(KEY, SUBSCRIPTION, this.#plan);
    const day = calendar.today();
    const spent = allowance?.spend(day);
    if (spent !== undefined) {
      return spent;
    }
    return allowance === undefined || allowance.isExhausted(day) ? "exhausted" : allowance.spendLater();
  }

  /** Refunds calls that were taken together with this one. */
  refund({ leaseId }: Spent, calls: number): void {
    this.owner.allowances.current(KEY)?.refundCurrent(leaseId, calls);
  }
}

/** A region's own lease, out of which its servers lease. */
class Region implements Pick<Leasing, "lease" | "returnCalls"> {
  readonly lessee: Lessee;
  readonly #regions: number;
  readonly #restOfHome: () => number;
  /** Ends its reviews. */
  readonly stop: () => void;
  #lastTaken: Spent | undefined;
  requests = 0;

  constructor(lessee: Lessee, regions: number, restOfHome: () => number, stop: () => void) {
    this.stop = stop;
    this.lessee = lessee;
    this.#regions = regions;
    this.#restOfHome = restOfHome;
  }

  async lease(want: number): Promise<LeaseGrant> {
    this.requests += 1;
    let granted = 0;
    while (granted < want) {
      const taking = this.lessee.take();
      if (taking instanceof Promise && granted > 0) {
        // Nobody waits for more; if it comes, it stays in the region.
        void taking.then((late) => (typeof late === "object" ? this.lessee.refund(late, 1) : undefined));
        break;
      }
      const taken = await taking;
      if (taken === "unavailable") {
        throw new StoreUnavailable("The region has none left.");
      }
      if (taken === "exhausted") {
        break;
      }
      this.#lastTaken = taken;
      granted += 1;
    }
    return { granted, unleased: this.lessee.held + Math.floor(this.#restOfHome() / this.#regions) };
  }

  async returnCalls(calls: number): Promise<void> {
    this.requests += 1;
    if (this.#lastTaken !== undefined) {
      this.lessee.refund(this.#lastTaken, calls);
    }
  }
}

/** All servers, their regions and the home store. */
export class SimulatedRegions {
  readonly #options: RegionsOptions;
  readonly #regions: Region[];
  readonly #servers: Lessee[][];
  #requestsOfPast = 0;
  #leased = 0;
  /** The region that cannot reach the home store; undefined if all can. */
  cutRegion: number | undefined;
  /** Requests to the home store. */
  toHome = 0;
  /** Calls that were lost with servers and regions. */
  forfeited = 0;

  constructor(options: RegionsOptions) {
    this.#options = options;
    const regions = Array.from({ length: options.regions }, (_, index) => index);
    this.#regions = regions.map((region) => this.#addRegion(region));
    this.#servers = regions.map((region) => Array.from({ length: options.serversPerRegion }, () => this.#addServer(region)));
  }

  /** Requests of servers to their regions. */
  get toRegion(): number {
    return this.#regions.reduce((sum, { requests }) => sum + requests, this.#requestsOfPast);
  }

  server(region: number, index: number): Lessee {
    return this.#servers[region]?.[index] as Lessee;
  }

  /** A server is lost, with what it holds, and another takes its place. */
  loseServer(region: number, index: number): void {
    this.forfeited += this.server(region, index).held;
    (this.#servers[region] as Lessee[])[index] = this.#addServer(region);
  }

  /** A region is lost with all its servers and its own lease, and begins again. */
  loseRegion(region: number): void {
    const { lessee, requests, stop } = this.#regions[region] as Region;
    stop();
    this.forfeited += lessee.held;
    this.#requestsOfPast += requests;
    this.#regions[region] = this.#addRegion(region);
    for (const index of this.#servers[region]?.keys() ?? []) {
      this.loseServer(region, index);
    }
  }

  #addRegion(region: number): Region {
    const { time, regions, callsPerMonth, regionHolds } = this.#options;
    const terms = regionTerms(callsPerMonth, regionHolds);
    const plan = planOf(terms.callsPerMonth, terms.requestsPerSecond);
    let rest = callsPerMonth;
    const home: Leasing = {
      lease: async (want) => {
        this.toHome += 1;
        const granted = Math.max(0, Math.min(want, callsPerMonth - this.#leased));
        this.#leased += granted;
        rest = callsPerMonth - this.#leased;
        return { granted, unleased: rest };
      },
      returnCalls: async (calls) => {
        this.toHome += 1;
        this.#leased -= calls;
      },
      leased: () => {
        this.toHome += 1;
        rest = callsPerMonth - this.#leased;
        return plan.callsPerMonth - rest;
      },
    };
    const store = storeOf(time, TO_HOME_MS, regionNodes(regionHolds), home, () => this.cutRegion === region);
    const owner = this.#ownerOf(store);
    const { allowances, breaker, calendar } = owner;
    const endReviews = beginLeaseReviews({ store, allowances, breaker, calendar, clock: time, log: createLog("silent") });
    return new Region(
      new Lessee(owner, plan),
      regions,
      () => rest,
      () => void endReviews(),
    );
  }

  #addServer(region: number): Lessee {
    const { time, serversPerRegion, callsPerMonth, requestsPerSecond } = this.#options;
    const current = (): Region => this.#regions[region] as Region;
    const leasing: Leasing = {
      lease: (want) => current().lease(want),
      returnCalls: (calls) => current().returnCalls(calls),
      leased: () => 0,
    };
    const store = storeOf(time, IN_REGION_MS, serversPerRegion, leasing, () => false);
    return new Lessee(this.#ownerOf(store), planOf(callsPerMonth, requestsPerSecond));
  }

  #ownerOf(store: GuardStore): LeaseOwner {
    const limits = { ...DEFAULT_GUARD_LIMITS, subscriptionsMax: 1 };
    return createLeaseOwner({ store, clock: this.#options.time, log: createLog("silent"), limits, threads: 1 });
  }
}

// A store at some distance. `nodes`: how many lease from it.
function storeOf(time: SimulatedTime, tripMs: number, nodes: number, leasing: Leasing, isCut: () => boolean): SimulatedStore {
  const trip = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await time.passed(tripMs / 2);
    if (isCut()) {
      throw new StoreUnavailable("It is cut off.");
    }
    const result = await work();
    await time.passed(tripMs / 2);
    return result;
  };
  const store: Pick<
    SimulatedStore,
    "lease" | "returnCalls" | "leasedCalls" | "leasedCapCalls" | "onChange" | "busiestSubscriptions"
  > = {
    lease: (_subject, _month, _calls, want) => trip(() => leasing.lease(want)),
    returnCalls: (_subject, _month, calls) => trip(() => leasing.returnCalls(calls)),
    leasedCalls: (ids, month) =>
      trip(async () => {
        const leased = leasing.leased();
        return ids.map((subscriptionId): LeasedCalls => ({ subscriptionId, month, leased, credited: 0, raised: 0 }));
      }),
    leasedCapCalls: async () => [],
    onChange: () => () => {},
    busiestSubscriptions: async () => [],
  };
  return { ...store, nodeStatus: { aliveNodes: nodes } } as unknown as SimulatedStore;
}
