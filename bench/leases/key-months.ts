// Simulates the month of one key at a time, with what its servers and regions hold in typed arrays: an object for each of ten million keys
// on each server would not fit into memory. How much is leased is decided by the guard's own functions, and when follows `LeaseExchange`;
// test/guard/quota/key-months.test.ts compares it with the guard's objects.
import { leaseSize, leaseWant } from "../../src/guard/quota/lease-size.ts";
import type { PlanTerms } from "../../src/store/records.ts";

const UNKNOWN = -1;
// A lease that was used a moment ago is not evicted.
const IDLE_S = 1;
const NEVER = Number.POSITIVE_INFINITY;
const NO_TERMS: PlanTerms = { callsPerMonth: 0, requestsPerSecond: 0 };

export interface Fleet {
  readonly regions: number;
  readonly serversPerRegion: number;
  /** The calls of a key reach this many servers of each region. */
  readonly serversPerKey: number;
  /** How long it takes until a server that has no room has looked at all its leases once, to evict those that are not in use. */
  readonly evictionRoundS: number;
  /** A region cannot reach the home store during this time. */
  readonly cut: { readonly region: number; readonly fromS: number; readonly toS: number };
  /** When servers die, in order. The server is an index among all of them. */
  readonly deaths: readonly { readonly atS: number; readonly server: number }[];
}

export interface KeyMonth {
  readonly ofServer: PlanTerms;
  /** The terms by which a region leases from home. */
  readonly ofRegion: PlanTerms;
  /** The time of the first call and between calls, in seconds. */
  readonly startS: number;
  readonly intervalS: number;
  readonly calls: number;
}

/** What was counted; numbers only grow. */
export interface Counts {
  calls: number;
  refused: number;
  waited: number;
  waitedForHome: number;
  /** Requests to regions, and of regions to the home store. */
  toRegion: number;
  toHome: number;
  forfeited: number;
  over: number;
  cutCalls: number;
  cutServed: number;
}

export const noCounts = (): Counts => ({
  calls: 0,
  refused: 0,
  waited: 0,
  waitedForHome: 0,
  toRegion: 0,
  toHome: 0,
  forfeited: 0,
  over: 0,
  cutCalls: 0,
  cutServed: 0,
});

/** The leases of one key: of all servers and of all regions. */
class Leases {
  readonly left: Int32Array;
  readonly lowWater: Int32Array;
  readonly unleased: Float64Array;

  constructor(count: number) {
    this.left = new Int32Array(count);
    this.lowWater = new Int32Array(count);
    this.unleased = new Float64Array(count);
  }

  reset(): void {
    this.left.fill(0);
    this.lowWater.fill(1);
    this.unleased.fill(UNKNOWN);
  }

  forget(index: number): void {
    this.left[index] = 0;
    this.lowWater[index] = 1;
    this.unleased[index] = UNKNOWN;
  }

  want(index: number, terms: PlanTerms, nodes: number, waiting: number): number {
    const unleased = this.unleased[index] as number;
    return leaseWant(terms, unleased === UNKNOWN ? undefined : unleased, nodes, this.left[index] as number, waiting);
  }

  granted(index: number, terms: PlanTerms, nodes: number, granted: number, unleased: number): void {
    const left = (this.left[index] as number) + granted;
    this.left[index] = left;
    this.unleased[index] = unleased;
    this.lowWater[index] = Math.max(1, Math.floor(Math.min(left, leaseSize(terms, unleased, nodes)) / 2));
  }

  isLow(index: number): boolean {
    return (this.left[index] as number) < (this.lowWater[index] as number) && this.unleased[index] !== 0;
  }
}

export class KeyMonths {
  readonly #fleet: Fleet;
  readonly #servers: Leases;
  readonly #regions: Leases;
  readonly #loadedAtS: Float64Array;
  readonly #usedAtS: Float64Array;
  readonly #evicts: boolean;
  #random: number;
  #leasedAtHome = 0;
  #ofServer: PlanTerms = NO_TERMS;
  #ofRegion: PlanTerms = NO_TERMS;
  #isCut = false;
  #counts = noCounts();

  constructor(fleet: Fleet, seed: number) {
    this.#fleet = fleet;
    const count = fleet.regions * fleet.serversPerRegion;
    this.#servers = new Leases(count);
    this.#regions = new Leases(fleet.regions);
    this.#loadedAtS = new Float64Array(count);
    this.#usedAtS = new Float64Array(count);
    this.#evicts = fleet.evictionRoundS < NEVER;
    this.#random = seed | 1;
  }

  /** Simulates a key's month. Adds the counts of the first calls to `warmUp`, and those of the others to `later`. */
  run(month: KeyMonth, warmUpCalls: number, warmUp: Counts, later: Counts): void {
    const { regions, serversPerRegion, serversPerKey, cut, deaths } = this.#fleet;
    this.#ofServer = month.ofServer;
    this.#ofRegion = month.ofRegion;
    this.#servers.reset();
    this.#regions.reset();
    this.#leasedAtHome = 0;
    const { left } = this.#servers;
    const firstServer = this.#below(serversPerRegion);
    let used = 0;
    let deathAt = 0;
    while ((deaths[deathAt]?.atS ?? NEVER) < month.startS) {
      deathAt += 1;
    }
    let nextDeathS = deaths[deathAt]?.atS ?? NEVER;
    for (let call = 0; call < month.calls; call++) {
      const atS = month.startS + call * month.intervalS;
      this.#counts = call < warmUpCalls ? warmUp : later;
      const counts = this.#counts;
      for (; nextDeathS <= atS; nextDeathS = deaths[deathAt]?.atS ?? NEVER) {
        const { server } = deaths[deathAt] as Fleet["deaths"][number];
        counts.forfeited += left[server] as number;
        this.#servers.forget(server);
        deathAt += 1;
      }
      const reached = this.#below(regions * serversPerKey);
      const region = Math.floor(reached / serversPerKey);
      const server = region * serversPerRegion + ((firstServer + reached - region * serversPerKey) % serversPerRegion);
      this.#isCut = region === cut.region && atS >= cut.fromS && atS < cut.toS;
      const isServed = this.#call(server, region, atS);
      counts.calls += 1;
      if (isServed) {
        used += 1;
      } else {
        counts.refused += 1;
      }
      if (this.#isCut) {
        counts.cutCalls += 1;
        counts.cutServed += isServed ? 1 : 0;
      }
    }
    this.#counts.over += Math.max(0, used - month.ofServer.callsPerMonth);
  }

  #call(server: number, region: number, atS: number): boolean {
    const servers = this.#servers;
    const { left } = servers;
    if (this.#evicts) {
      this.#useAt(server, region, atS);
    }
    if (left[server] === 0) {
      this.#counts.waited += 1;
      if (!this.#leaseForServer(server, region, 1) || left[server] === 0) {
        return false;
      }
    }
    left[server] = (left[server] as number) - 1;
    while (servers.isLow(server)) {
      const before: number | undefined = left[server];
      if (!this.#leaseForServer(server, region, 0) || left[server] === before) {
        break;
      }
    }
    return true;
  }

  // The lease is used now, unless it was not in use the last time that the server looked at its leases: then it was evicted.
  #useAt(server: number, region: number, atS: number): void {
    const { unleased } = this.#servers;
    if (unleased[server] !== UNKNOWN && atS - (this.#loadedAtS[server] as number) > this.#fleet.evictionRoundS) {
      this.#evictIdle(server, region, atS);
    }
    if (unleased[server] === UNKNOWN) {
      this.#loadedAtS[server] = atS;
    }
    this.#usedAtS[server] = atS;
  }

  #evictIdle(server: number, region: number, atS: number): void {
    const loadedAtS = this.#loadedAtS[server] as number;
    const { evictionRoundS } = this.#fleet;
    const lookedAtS = loadedAtS + Math.floor((atS - loadedAtS) / evictionRoundS) * evictionRoundS;
    if (lookedAtS - (this.#usedAtS[server] as number) >= IDLE_S) {
      const { left } = this.#regions;
      const unspent = this.#servers.left[server] as number;
      if (unspent > 0) {
        this.#counts.toRegion += 1;
        left[region] = (left[region] as number) + unspent;
      }
      this.#servers.forget(server);
    }
  }

  // Returns whether there was a response.
  #leaseForServer(server: number, region: number, waiting: number): boolean {
    const { regions, serversPerRegion } = this.#fleet;
    const ofServer = this.#ofServer;
    const want = this.#servers.want(server, ofServer, serversPerRegion, waiting);
    const { left, unleased } = this.#regions;
    this.#counts.toRegion += 1;
    if (left[region] === 0) {
      this.#counts.waitedForHome += waiting;
      if (this.#isCut) {
        return false;
      }
      this.#leaseForRegion(region, 1);
    }
    const granted = Math.min(want, left[region] as number);
    left[region] = (left[region] as number) - granted;
    while (!this.#isCut && this.#regions.isLow(region)) {
      const before: number | undefined = left[region];
      this.#leaseForRegion(region, 0);
      if (left[region] === before) {
        break;
      }
    }
    const rest = (left[region] as number) + Math.floor((unleased[region] as number) / regions);
    this.#servers.granted(server, ofServer, serversPerRegion, granted, rest);
    return true;
  }

  #leaseForRegion(region: number, waiting: number): void {
    const ofRegion = this.#ofRegion;
    const { callsPerMonth } = this.#ofServer;
    const { regions } = this.#fleet;
    this.#counts.toHome += 1;
    const want = this.#regions.want(region, ofRegion, regions, waiting);
    const granted = Math.min(want, callsPerMonth - this.#leasedAtHome);
    this.#leasedAtHome += granted;
    this.#regions.granted(region, ofRegion, regions, granted, callsPerMonth - this.#leasedAtHome);
  }

  // Xorshift: a random number for each of billions of calls must cost little.
  #below(count: number): number {
    let bits = this.#random;
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    this.#random = bits;
    return Math.floor(((bits >>> 0) / 2 ** 32) * count);
  }
}
