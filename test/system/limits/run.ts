// A run: customers call the nodes in all protocols while faults happen. Then, with everything healthy, they call until every node reports
// that the month is used up, and a little longer. Their results and the contents of the stores are the record.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { openStore, type StoreOptions } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { planFile } from "../../fixtures/plan-file.ts";
import type { Variables } from "../../fixtures/program.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { Callers, passed, type Random } from "./callers.ts";
import { Cluster } from "./cluster.ts";
import { type Customer, type Limits, makeCustomers, plansOf, storedOf } from "./customers.ts";
import { CHAOS_MS, type Fault } from "./faults.ts";
import { judge, type Result } from "./result.ts";
import type { Stores } from "./stores.ts";
import { within } from "./within.ts";

/** The options of a run. */
export interface Scene {
  readonly seed: number;
  readonly random: Random;
  readonly faults: readonly Fault[];
  /** The number of threads of each initial node. */
  readonly nodes: readonly number[];
  /** What the nodes share; undefined for one node with the embedded database. */
  readonly stores?: Stores;
  /** Given an empty directory, how the store is opened, and where nodes find it. */
  store(directory: string): { readonly options: Omit<StoreOptions, "role">; readonly variables: Variables };
}

const CALLERS_PER_CUSTOMER = 6;
// All of them, if only one node is left.
const CALLERS = 3 * CALLERS_PER_CUSTOMER;
const CALLERS_AT_LAST = 4;
const REFUSALS_AT_LAST = 120;
// A run takes seconds, or minutes on a busy machine.
const RUN_MS_MAX = 900_000;
const MID_MONTH_MS = Date.UTC(2026, 10, 15, 12);
const MONTH_END_MS = Date.UTC(2026, 11, 1);

const drawLimits = (random: Random): Limits => ({
  scores: 800 + Math.floor(random() * 1200),
  stations: 300 + Math.floor(random() * 500),
  rate: 20 + Math.floor(random() * 60),
});

/** Runs it once. Rejects if it does not end in time. In that case, and if something was wrong, it prints the last output of the nodes. */
export async function run(scene: Scene): Promise<Result> {
  const { random, stores } = scene;
  const directory = makeTemporaryDirectory();
  const limits = drawLimits(random);
  const plansPath = join(directory.path, "plans.json");
  writeFileSync(plansPath, planFile(plansOf(limits)));
  const { options, variables } = scene.store(directory.path);
  const inStore = async <Result>(work: (store: Store) => Promise<Result>): Promise<Result> => {
    const store = await openStore({ ...options, role: "command" });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const offsetMs = MID_MONTH_MS - systemClock.nowMs();
  const cluster = new Cluster({ stores, offsetMs, variables: { ...variables, QUINTET_PLANS: plansPath, QUINTET_DRAIN_MS: "200" } });
  const progress = { now: "making customers", isChaos: true, isOver: false };
  try {
    await inStore((store) => store.applyPlans(loadPlans(plansPath).all));
    const result = await within(
      RUN_MS_MAX,
      () => `The run is still ${progress.now}`,
      play(scene, limits, cluster, progress, inStore),
    );
    if (result.wrong.length > 0) {
      process.stdout.write(cluster.lastOutput);
    }
    return result;
  } catch (error) {
    process.stdout.write(cluster.lastOutput);
    throw error;
  } finally {
    progress.isChaos = false;
    progress.isOver = true;
    await cluster.abandon();
    directory.remove();
  }
}

// The progress of a run: its current step, whether faults still happen, and whether customers still call.
interface Progress {
  now: string;
  isChaos: boolean;
  isOver: boolean;
}

async function play(
  scene: Scene,
  limits: Limits,
  cluster: Cluster,
  progress: Progress,
  inStore: <Result>(work: (store: Store) => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  const { seed, faults, stores } = scene;
  const customers = await inStore((store) => makeCustomers(store, limits));
  progress.now = "starting nodes";
  await Promise.all(scene.nodes.map((workers) => cluster.join(workers)));
  const callers = new Callers();
  const done = await callThroughout(scene, cluster, callers, customers, progress);
  progress.now = "stopping nodes";
  await cluster.stop();
  progress.now = "reading what the store holds";
  const stored = await inStore((store) => storedOf(store, customers));
  return judge(seed, done, {
    subscriptions: customers,
    sharedRate: stores !== undefined,
    callersPerNode: CALLERS,
    calls: callers.calls,
    events: cluster.events,
    ...stored,
    lastMonth: turnOf(faults) === undefined ? "2026-11" : "2026-12",
  });
}

const turnOf = (faults: readonly Fault[]): Fault | undefined => faults.find(({ kind }) => kind === "month turned");

// Returns the faults that could be injected.
async function callThroughout(
  { random, faults }: Scene,
  cluster: Cluster,
  callers: Callers,
  customers: readonly Customer[],
  progress: Progress,
): Promise<readonly string[]> {
  const turn = turnOf(faults);
  if (turn !== undefined) {
    await cluster.setClocks(MONTH_END_MS - turn.atMs - systemClock.nowMs());
  }
  const calling = customers.map((customer) => callOn(customer, random, cluster, callers, progress));
  const suffered = faults.map(async (fault) => {
    await passed(fault.atMs);
    return (await cluster.inflict(fault)) ? [fault.kind] : [];
  });
  progress.now = `suffering ${faults.map(({ kind }) => kind).join(", ")}`;
  const [, ...done] = await Promise.all([passed(CHAOS_MS), ...suffered]);
  progress.isChaos = false;
  progress.now = "waiting for the last calls among faults";
  // Refunds in progress would come too late for a node that has already reported the month as used up.
  await Promise.all(calling.filter((_, index) => customers[index]?.usedUp));
  progress.now = "setting the clocks";
  await cluster.setClocks();
  progress.now = "using up the month";
  for (const node of cluster.nodes) {
    node.requireAlive();
  }
  const last = customers.filter(({ usedUp }) => usedUp);
  await Promise.all(
    cluster.nodes.flatMap((node) =>
      last.map((customer) => callers.useUp(random, node, customer, CALLERS_AT_LAST, REFUSALS_AT_LAST)),
    ),
  );
  progress.isOver = true;
  await Promise.all(calling);
  return done.flat();
}

// The month's quota is used up about when the faults end; the rate is exceeded until the very end.
function callOn(customer: Customer, random: Random, cluster: Cluster, callers: Callers, progress: Progress): Promise<void> {
  const { usedUp, callsPerMonth, requestsPerSecond } = customer;
  return callers.callOn({
    random,
    customer,
    nodes: () => cluster.nodes,
    callers: CALLERS_PER_CUSTOMER,
    perSecond: usedUp ? (callsPerMonth / (CHAOS_MS / 1000)) * (0.6 + random()) : 2 * requestsPerSecond,
    isOver: () => (usedUp ? !progress.isChaos : progress.isOver),
  });
}
