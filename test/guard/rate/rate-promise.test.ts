// What the rate limit promises when several servers share it, whatever happens to Redis, to its clock and to the servers. Each case has the
// callers of all rates and ways to call. A reference bucket says whether a caller stays within the plan: then it never gets RATE_LIMITED.
// The time is simulated. The table of what is refused with LIMITS_UNAVAILABLE is in docs/operate/limits.md.
import { afterAll, describe, expect, test } from "vitest";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { redis } from "../../fixtures/servers/redis.ts";
import { sharedRedis } from "../../fixtures/servers/redis-client.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { SimulatedServers } from "./simulated-servers.ts";

const TICK_MS = 5;
const FAULT_MS = 4000;
const RUN_MS = 12_000;
const NORMAL_AFTER_MS = 3000;
const RATES = [5, 20, 40, 120];
const SERVERS = [1, 2, 4];

/** How a caller calls: how many calls are due at a time, and which server gets a call. */
interface Pattern {
  readonly name: string;
  readonly isWithinPlan: boolean;
  due(elapsedMs: number, rate: number): number;
  server(elapsedMs: number, servers: number, random: () => number): number;
}

const spread = (_: number, servers: number, random: () => number): number => Math.floor(random() * servers);
const paced =
  (part: number) =>
  (elapsedMs: number, rate: number): number =>
    Math.floor(((elapsedMs + TICK_MS) * rate * part) / 1000) - Math.floor((elapsedMs * rate * part) / 1000);
const PATTERNS: readonly Pattern[] = [
  { name: "steady", isWithinPlan: true, due: paced(0.95), server: spread },
  {
    name: "bursty",
    isWithinPlan: true,
    due: (elapsedMs, rate) => (elapsedMs % 1000 === 300 ? Math.floor(0.9 * rate) : 0),
    server: spread,
  },
  {
    name: "quiet, then a burst",
    isWithinPlan: true,
    due: (elapsedMs, rate) => {
      const inCycleMs = elapsedMs % 2600;
      return inCycleMs === 1200 ? rate : inCycleMs > 1205 ? paced(0.9)(elapsedMs, rate) * (inCycleMs < 1400 ? 1 : 0) : 0;
    },
    server: spread,
  },
  { name: "one server", isWithinPlan: true, due: paced(0.95), server: () => 0 },
  {
    name: "alternating",
    isWithinPlan: true,
    due: paced(0.95),
    server: (elapsedMs, servers) => Math.floor(elapsedMs / 500) % servers,
  },
  { name: "twice the rate", isWithinPlan: false, due: paced(2), server: spread },
];

/** What happens. */
interface Fault {
  readonly name: string;
  readonly durationMs: number;
  /** How many bursts may be admitted beyond the plan. */
  readonly bursts: number;
  begin(servers: SimulatedServers): unknown;
  end?(servers: SimulatedServers): unknown;
  /** The part of the rate that may be admitted beyond it meanwhile. */
  added?(servers: number): number;
}

const all =
  (change: Partial<SimulatedServers["links"][number]>) =>
  (servers: SimulatedServers): void => {
    for (const link of servers.links) {
      Object.assign(link, change);
    }
  };
const stepped = (aheadMs: number): Fault => ({
  name: `its clock steps by ${aheadMs / 1000} s`,
  durationMs: 0,
  bursts: 1,
  begin: (servers) => {
    servers.aheadMs = aheadMs;
  },
});
let snapshot: string[][] = [];

const FAULTS: readonly Fault[] = [
  { name: "nothing", durationMs: 0, bursts: 0, begin: () => {} },
  { name: "responses take 80 ms", durationMs: 4000, bursts: 0, begin: all({ delayMs: 80 }), end: all({ delayMs: 0 }) },
  {
    name: "restarted, empty",
    durationMs: 400,
    bursts: 1,
    begin: all({ isCut: true }),
    end: async (servers) => {
      await servers.lose();
      all({ isCut: false })(servers);
    },
  },
  {
    name: "killed, and back empty",
    durationMs: 3000,
    bursts: 1,
    begin: all({ isCut: true }),
    end: async (servers) => {
      await servers.lose();
      all({ isCut: false })(servers);
    },
  },
  {
    name: "paused",
    durationMs: 1500,
    bursts: 1,
    begin: (servers) => {
      servers.isPaused = true;
    },
    end: (servers) => servers.resume(),
  },
  { name: "stalled: responses take 400 ms", durationMs: 2000, bursts: 1, begin: all({ delayMs: 400 }), end: all({ delayMs: 0 }) },
  { name: "flushed", durationMs: 0, bursts: 1, begin: (servers) => servers.lose() },
  {
    name: "out of memory",
    durationMs: 3000,
    bursts: 1,
    begin: all({ error: "OOM command not allowed when used memory > 'maxmemory'." }),
    end: all({ error: undefined }),
  },
  {
    name: "failed over, with a clock 300 ms behind",
    durationMs: 1500,
    bursts: 1,
    begin: async (servers) => {
      snapshot = await servers.snapshot();
      all({ error: "READONLY You can't write against a read only replica." })(servers);
    },
    end: async (servers) => {
      await servers.restore(snapshot);
      servers.aheadMs = -300;
      all({ error: undefined })(servers);
    },
  },
  ...[1000, -1000, 2000, -2000, 60_000, -60_000, 600_000, -600_000].map(stepped),
  {
    name: "one server suspended",
    durationMs: 2500,
    bursts: 1,
    begin: ({ links: [first] }) => Object.assign(first as object, { isFrozen: true }),
    end: ({ links: [first] }) => Object.assign(first as object, { isFrozen: false }),
  },
  {
    name: "one server cut off",
    durationMs: 2500,
    bursts: 1,
    begin: ({ links: [first] }) => Object.assign(first as object, { isCut: true }),
    end: ({ links: [first] }) => Object.assign(first as object, { isCut: false }),
    added: (servers) => 1 / servers,
  },
];

/** A caller, what the plan allows it, and what it got. */
class Caller {
  readonly rate: number;
  readonly pattern: Pattern;
  readonly admittedAtMs: number[] = [];
  /** Calls while the fault lasted. */
  calls = 0;
  unavailable = 0;
  falselyLimited = 0;
  refusedLate = 0;
  longestMs = 0;
  #tokens: number;
  #filledAtMs = 0;

  constructor(rate: number, pattern: Pattern) {
    this.rate = rate;
    this.pattern = pattern;
    this.#tokens = rate;
  }

  get name(): string {
    return `${this.rate}/s ${this.pattern.name}`;
  }

  /** Whether the plan allows a call at this time. */
  allows(nowMs: number): boolean {
    this.#tokens = Math.min(this.rate, this.#tokens + ((nowMs - this.#filledAtMs) * this.rate) / 1000);
    this.#filledAtMs = nowMs;
    const isAllowed = this.#tokens >= 1 - 1e-6;
    this.#tokens -= isAllowed ? 1 : 0;
    return isAllowed;
  }

  /** How many calls were admitted beyond the rate, in the worst window: at most the burst if all is well. */
  get excess(): number {
    let [ahead, last, most] = [0, 0, 0];
    for (const atMs of this.admittedAtMs.toSorted((a, b) => a - b)) {
      ahead = Math.max(0, ahead - ((atMs - last) * this.rate) / 1000) + 1;
      last = atMs;
      most = Math.max(most, ahead);
    }
    return most;
  }
}

// For each fault, the part of the calls made meanwhile that were refused with LIMITS_UNAVAILABLE, in percent.
const rows: string[] = [];

describeWith(redis, "The rate over servers", () => {
  const client = sharedRedis();

  describe.each(FAULTS)("Redis: $name", (fault) => {
    test.each(SERVERS)("%i servers", async (count) => {
      const servers = new SimulatedServers(client(), count);
      await servers.start();
      expect(servers.areUp).toBe(true);
      const random = seeded(7);
      const callers = RATES.flatMap((rate) => PATTERNS.map((pattern) => new Caller(rate, pattern)));
      const startMs = servers.clock.monotonicMs();
      const undecided: Promise<void>[] = [];
      const call = (caller: Caller, elapsedMs: number): void => {
        const server = caller.pattern.server(elapsedMs, count, random);
        if (servers.links[server]?.isFrozen) {
          return;
        }
        const isAllowed = caller.allows(elapsedMs);
        caller.calls += elapsedMs >= FAULT_MS && elapsedMs < FAULT_MS + fault.durationMs ? 1 : 0;
        const calling = servers.take(server, caller.rate, caller.name).then(({ taken, unavailable }) => {
          const nowMs = servers.clock.monotonicMs() - startMs;
          caller.longestMs = Math.max(caller.longestMs, nowMs - elapsedMs);
          if (taken) {
            caller.admittedAtMs.push(nowMs);
          } else {
            caller.unavailable += unavailable ? 1 : 0;
            caller.falselyLimited += isAllowed && !unavailable ? 1 : 0;
            caller.refusedLate +=
              isAllowed && (fault.bursts === 0 || elapsedMs >= FAULT_MS + fault.durationMs + NORMAL_AFTER_MS) ? 1 : 0;
          }
        });
        undecided.push(calling);
      };
      for (let elapsedMs = 0; elapsedMs < RUN_MS; elapsedMs += TICK_MS) {
        if (elapsedMs === FAULT_MS) {
          await fault.begin(servers);
        }
        if (elapsedMs === FAULT_MS + fault.durationMs) {
          await fault.end?.(servers);
        }
        for (const caller of callers) {
          for (let due = caller.pattern.due(elapsedMs, caller.rate); due > 0; due--) {
            call(caller, elapsedMs);
          }
        }
        await servers.settle();
        await servers.advance(TICK_MS);
      }
      for (let ms = 0; ms < 2000; ms += TICK_MS) {
        await servers.advance(TICK_MS);
      }
      await Promise.all(undecided);
      servers.close();
      const within = callers.filter(({ pattern }) => pattern.isWithinPlan);
      const percent = PATTERNS.filter(({ isWithinPlan }) => isWithinPlan).map(({ name }) => {
        const seen = within.filter(({ pattern, calls }) => pattern.name === name && calls > 0);
        const sum = seen.reduce((total, { unavailable, calls }) => total + (100 * unavailable) / calls, 0);
        return (sum / Math.max(1, seen.length)).toFixed(0);
      });
      rows.push(`| ${[fault.name, count, ...percent].join(" | ")} |`);
      expect(
        within.filter(({ falselyLimited }) => falselyLimited > 0).map(({ name, falselyLimited }) => [name, falselyLimited]),
      ).toEqual([]);
      expect(within.filter(({ refusedLate }) => refusedLate > 0).map(({ name, refusedLate }) => [name, refusedLate])).toEqual([]);
      // A call that waited for the next tick may be admitted a tick late, and servers notice that Redis responds again up to 300 ms apart.
      const addedMs = (fault.added?.(count) ?? 0) * fault.durationMs + (fault.durationMs > 0 ? (300 * (count - 1)) / count : 0);
      const mostOf = ({ rate }: Caller): number => rate * (1 + fault.bursts) + 1 + (rate * (addedMs + 2 * TICK_MS)) / 1000;
      expect(
        callers.filter((caller) => caller.excess > mostOf(caller)).map((caller) => [caller.name, caller.excess, mostOf(caller)]),
      ).toEqual([]);
      expect(
        callers.filter(({ longestMs }) => longestMs > 1500 + 2 * TICK_MS).map(({ name, longestMs }) => [name, longestMs]),
      ).toEqual([]);
    });
  });

  // Half a second after a new Redis began to count, a bucket is full, and it goes on filling twice as fast for another half.
  test.each([
    [0, 61],
    [500, 90],
    [590, 85],
    [950, 63],
    [1500, 60],
  ])("A new Redis that began %i ms ago admits a caller of 60/s at most %i calls at once", async (agoMs, most) => {
    const servers = new SimulatedServers(client(), 2);
    await servers.start();
    await servers.lose();
    void servers.take(0, 5, "another");
    for (let ms = 0; ms < agoMs; ms += TICK_MS) {
      await servers.advance(TICK_MS);
    }
    const caller = new Caller(60, PATTERNS[0] as Pattern);
    for (let ms = 0; ms < 1600; ms += TICK_MS) {
      for (const server of [0, 1]) {
        void servers.take(server, caller.rate, caller.name).then(({ taken }) => {
          if (taken) {
            caller.admittedAtMs.push(servers.clock.monotonicMs());
          }
        });
      }
      await servers.advance(TICK_MS);
    }
    servers.close();
    expect(Math.round(caller.excess)).toBe(most);
  });

  afterAll(() => {
    process.stdout.write(`${rows.join("\n")}\n`);
  });
});
