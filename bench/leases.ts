// Simulates leases of the monthly quota on many nodes: each node runs the guard's own code, on one in-memory store and with simulated time.
// Calls of one customer reach the nodes at random until the month is used up. `npm run bench -- leases`.

import { HIGHEST_ENTITLEMENTS } from "../src/catalogue/entitlements.ts";
import type { Plan } from "../src/catalogue/plan.ts";
import { DEFAULT_GUARD_LIMITS } from "../src/guard/guard-limits.ts";
import { createLeaseOwner, type LeaseOwner } from "../src/guard/lease-owner.ts";
import { leaseMax } from "../src/guard/quota/lease-size.ts";
import type { Clock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { seeded } from "../src/sandbox/stand-ins/seeded.ts";
import type { GuardStore } from "../src/store/store.ts";

interface Scenario {
  readonly nodes: number;
  readonly callsPerMonth: number;
  readonly requestsPerSecond: number;
}

const SCENARIOS: readonly Scenario[] = [
  { nodes: 10, callsPerMonth: 100_000, requestsPerSecond: 10 },
  { nodes: 100, callsPerMonth: 100_000, requestsPerSecond: 10 },
  { nodes: 1000, callsPerMonth: 100_000, requestsPerSecond: 10 },
  { nodes: 10, callsPerMonth: 3_000_000, requestsPerSecond: 100 },
  { nodes: 100, callsPerMonth: 3_000_000, requestsPerSecond: 100 },
  { nodes: 1000, callsPerMonth: 3_000_000, requestsPerSecond: 100 },
];
// Beyond this many refused calls for each admitted one, callers have given up.
const REFUSED_PART = 0.2;

interface Seen {
  readonly statements: number;
  readonly statementsPerSecond: number;
  readonly heldAtHalf: number;
  readonly usedAtFirstRefusal: number;
  readonly usedInAll: number;
}

// The store's side of a lease: one counter.
function counterStore(nodes: number): { store: GuardStore; statements: () => number } {
  let leased = 0;
  let statements = 0;
  const store = {
    async lease(_id: string, _month: string, callsPerMonth: number, want: number) {
      statements += 1;
      const granted = Math.max(0, Math.min(want, callsPerMonth - leased));
      leased += granted;
      return { granted, unleased: Math.max(0, callsPerMonth - leased) };
    },
    async returnCalls(_id: string, _month: string, calls: number) {
      statements += 1;
      leased -= calls;
    },
    onChange: () => () => {},
    nodeStatus: { aliveNodes: nodes },
  };
  return { store: store as unknown as GuardStore, statements: () => statements };
}

async function simulate({ nodes, callsPerMonth, requestsPerSecond }: Scenario): Promise<Seen> {
  const random = seeded(1);
  let elapsedMs = 0;
  // Nothing here waits for a timer: the store responds at once.
  const clock: Clock = {
    nowMs: () => Date.UTC(2026, 10, 1) + Math.floor(elapsedMs),
    monotonicMs: () => elapsedMs,
    after: () => () => {},
  };
  const { store, statements } = counterStore(nodes);
  const limits = { ...DEFAULT_GUARD_LIMITS, subscriptionsMax: 1 };
  const plan = {
    ...HIGHEST_ENTITLEMENTS,
    name: "plan",
    callsPerMonth,
    requestsPerSecond,
    priceMinor: 0,
    currency: "EUR",
  } as unknown as Plan;
  const owners = Array.from({ length: nodes }, () =>
    createLeaseOwner({ store, clock, log: createLog("silent"), limits, threads: 1 }),
  );
  const held = (): number => owners.reduce((sum, owner) => sum + owner.allowances.totalLeft(owner.calendar.today()), 0);
  let used = 0;
  let refused = 0;
  let heldAtHalf = 0;
  let usedAtFirstRefusal = callsPerMonth;
  let firstPartStatements = 0;
  const admit = async ({ allowances, calendar }: LeaseOwner): Promise<boolean> => {
    const allowance = allowances.of("account:service", "subscription", plan);
    const day = calendar.today();
    if (allowance === undefined) {
      return false;
    }
    const spent = allowance.spend(day) ?? (allowance.isExhausted(day) ? undefined : await allowance.spendLater());
    return typeof spent === "object";
  };
  while (used < callsPerMonth && refused < callsPerMonth * REFUSED_PART) {
    elapsedMs += 1000 / requestsPerSecond;
    const owner = owners[Math.floor(random() * nodes)] as LeaseOwner;
    if (await admit(owner)) {
      used += 1;
      if (used === callsPerMonth / 2) {
        heldAtHalf = held();
        firstPartStatements = statements() / (elapsedMs / 1000);
      }
    } else {
      usedAtFirstRefusal = Math.min(usedAtFirstRefusal, used);
      refused += 1;
    }
  }
  return { statements: statements(), statementsPerSecond: firstPartStatements, heldAtHalf, usedAtFirstRefusal, usedInAll: used };
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)}%`;
const rows: string[] = [];
for (const scenario of SCENARIOS) {
  const { nodes, callsPerMonth, requestsPerSecond } = scenario;
  const { statements, statementsPerSecond, heldAtHalf, usedAtFirstRefusal, usedInAll } = await simulate(scenario);
  const cells = [
    `${callsPerMonth.toLocaleString("en")} at ${requestsPerSecond}/s`,
    nodes,
    leaseMax(scenario),
    statements.toLocaleString("en"),
    statementsPerSecond.toFixed(2),
    percent(heldAtHalf, callsPerMonth),
    percent(heldAtHalf / nodes, callsPerMonth),
    percent(usedAtFirstRefusal, callsPerMonth),
    percent(usedInAll, callsPerMonth),
  ];
  rows.push(`| ${cells.join(" | ")} |`);
}
process.stdout.write(
  `${[
    "| plan | nodes | lease at most | statements in the month | statements a second | in unspent leases at 50% usage | in the leases of one node | used at the first refusal | used by month end |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
  ].join("\n")}\n`,
);
