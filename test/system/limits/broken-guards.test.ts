// The checker is only useful if it finds broken guards. Two servers in this process share one store and the same callers; with the real
// guard they pass.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAccountRpc } from "../../../src/account/rpc/account-rpc.ts";
import { CallFeed } from "../../../src/account/watch/call-feed.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import type { Guard } from "../../../src/guard/guard.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { readConfig } from "../../../src/server-config.ts";
import { openStore } from "../../../src/store/open.ts";
import type { GuardStore } from "../../../src/store/store.ts";
import { createGatewayServer } from "../../../src/workers/gateway-server.ts";
import { DEAD_UPSTREAMS } from "../../fixtures/dead-upstreams.ts";
import { noServerState } from "../../fixtures/no-server-state.ts";
import { createGuard } from "../../fixtures/one-thread-guard.ts";
import { planFile } from "../../fixtures/plan-file.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { countAfterResponse, leaseWithoutTransaction } from "./broken-guards.ts";
import { type Callee, Callers } from "./callers.ts";
import { check } from "./checker.ts";
import { type Customer, makeCustomers, plansOf, storedOf } from "./customers.ts";
import type { Event } from "./history.ts";
import { NodeClient } from "./node-client.ts";
import { makeOffset, steppedClock } from "./stepped-clock.ts";

const LIMITS = { scores: 1000, stations: 100, rate: 100 };
const CALLERS = 12;
// Twice a second's allowance.
const CALLS_PER_SECOND = 200;
const clock = steppedClock(makeOffset(Date.UTC(2026, 10, 15) - systemClock.nowMs()));

interface Breakage {
  /** The subscription to call instead of the one whose month is used up, with all calls at once. */
  readonly subscription?: "rated";
  guard?(guard: Guard): Guard;
  store?(store: GuardStore, file: string): GuardStore;
}

/** The checker's findings for a run with guards broken in this way, without the figures. */
async function wrongWith(breakage: Breakage): Promise<string[]> {
  const dataDir = temporaryDirectory();
  const plansPath = join(dataDir, "plans.json");
  writeFileSync(plansPath, planFile(plansOf(LIMITS)));
  const config = readConfig({ ...DEAD_UPSTREAMS, QUINTET_PORT: "0", QUINTET_DATA_DIR: dataDir, QUINTET_DRAIN_MS: "0" });
  const log = createLog("silent");
  const store = await openStore({ dataDir, clock, role: "server" });
  onTestFinished(() => store.close());
  await store.applyPlans(loadPlans(plansPath).all);
  const isClockStopped = breakage.subscription === "rated";
  const guardClock = isClockStopped ? { ...clock, monotonicMs: () => 0 } : clock;
  const shared = breakage.store?.(store, join(dataDir, "quintet.db")) ?? store;
  const customers = (await makeCustomers(store, LIMITS)).filter(({ name }) => name === (breakage.subscription ?? "scores"));
  const serve = async (name: string) => {
    const plans = loadPlans(plansPath);
    const guard = createGuard({ store: shared, plans, clock: guardClock, log });
    const callFeed = new CallFeed(clock);
    const accountRpc = createAccountRpc({
      store,
      plans,
      clock,
      randomness: systemRandomness,
      unspent: () => 0,
      callFeed,
      serverState: noServerState,
    });
    const callWatch = { watched: callFeed.accounts, passOn() {}, logCalls() {} };
    const own = { config, tls: undefined, plans, accountRpc, callWatch, clock, log };
    const tools = { ...own, randomness: systemRandomness, extraHeaders: {}, canAdmit: () => true };
    const gatewayServer = await createGatewayServer({ ...tools, guard: breakage.guard?.(guard) ?? guard, callers: guard });
    const { port } = await gatewayServer.listener.listen("127.0.0.1", 0);
    const close = async (): Promise<void> => {
      await gatewayServer.close();
      await guard.close();
      await gatewayServer.closeServices();
    };
    return { name, client: new NodeClient(port), close };
  };
  const nodes = [await serve("a"), await serve("b")];
  const events = nodes.map(({ name: node }): Event => ({ kind: "node started", node, atMs: systemClock.monotonicMs() }));
  const callers = new Callers();
  const random = seeded(1);
  const call = async (node: Callee, customer: Customer): Promise<void> => {
    for (let calls = 0; !customer.usedUp && calls < CALLS_PER_SECOND; calls++) {
      await callers.call(random, node, customer, customer.lastInput);
    }
    await (customer.usedUp ? callers.useUp(random, node, customer, CALLERS, 20) : undefined);
  };
  await Promise.all(nodes.flatMap((node) => customers.map((customer) => call(node, customer))));
  for (const { client, close } of nodes) {
    client.cut();
    await close();
  }
  const calls = isClockStopped ? callers.calls.map((created) => ({ ...created, startMs: 0, endMs: 0 })) : callers.calls;
  const record = { subscriptions: customers, sharedRate: true, callersPerNode: CALLERS, calls, events };
  const wrong = check({ ...record, ...(await storedOf(store, customers)), lastMonth: "2026-11" });
  return [...new Set(wrong.map((sentence) => sentence.slice(0, sentence.indexOf(":"))))];
}

test("the real guard passes", async () => {
  expect(await wrongWith({})).toEqual([]);
});

test("a guard that counts after the response is detected", async () => {
  expect(await wrongWith({ guard: countAfterResponse })).toContain("over the quota");
});

test("a store that leases without a transaction is detected", async () => {
  expect(await wrongWith({ store: leaseWithoutTransaction })).toContain("over the quota");
});

test("nodes that do not share the rate are detected", async () => {
  expect(await wrongWith({ subscription: "rated" })).toEqual(["over the rate"]);
});
