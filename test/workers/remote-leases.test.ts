// Which leases a worker gets if something changes during its request.
import { expect, test } from "vitest";
import type { AccountRpc } from "../../src/account/rpc/account-rpc.ts";
import { CallFeed } from "../../src/account/watch/call-feed.ts";
import { DEFAULT_GUARD_LIMITS as limits } from "../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../src/guard/lease-owner.ts";
import { RefillRound } from "../../src/guard/quota/refill-round.ts";
import type { MainThreadClient } from "../../src/workers/main-thread-client.ts";
import { MainThreadServer } from "../../src/workers/main-thread-server.ts";
import type { MainThreadRequest, MessageFromWorker } from "../../src/workers/messages.ts";
import { RemoteLeases } from "../../src/workers/remote-sources.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { MemoryStore } from "../guard/memory-store.ts";
import { createMemoryLog, NOON_MS, radioPlan, settled } from "../guard/scene.ts";

const small = radioPlan("small", 50);
const large = radioPlan("large", 1000);
const key = "acme/radio";

/** A main thread, and a worker's leases. */
function createThreads() {
  const clock = createManualClock({ nowMs: NOON_MS });
  const store = new MemoryStore();
  const owner = createLeaseOwner({ store, clock, log: createMemoryLog(), limits, threads: 1 });
  const mainThreadServer = new MainThreadServer({
    store,
    leaseOwner: owner,
    accountRpc: {} as AccountRpc,
    callFeed: new CallFeed(clock),
    callLog: { add() {} },
    clock,
    limits,
  });
  const { calendar, epoch, inFlight, allowances } = owner;
  let epochKnown = epoch.of("acme");
  // What happens before the main thread reads the worker's next requests.
  const before: (() => void)[] = [];
  const mainThread = {
    send: (message: MessageFromWorker) => message.kind === "refill" && mainThreadServer.refill(message.keys),
    request(request: MainThreadRequest) {
      before.shift()?.();
      return mainThreadServer.respond(request, 0);
    },
  } as unknown as MainThreadClient;
  const words = owner.memory.slots;
  const endSignal = new AbortController().signal;
  const refills = new RefillRound<string>(clock, (keys) => mainThread.send({ kind: "refill", keys }));
  const leases = new RemoteLeases({ mainThread, thread: 0, words, inFlight, epoch, calendar, clock, refills, endSignal }, 10);
  /** Another call, which makes the worker receive all changes. */
  const catchUp = (): void => {
    epochKnown = epoch.of("acme");
  };
  return { leases, allowances, epoch, calendar, before, catchUp, known: () => epochKnown };
}

test("a new plan applies from the second call on, even if something else changed while the lease was looked up", async () => {
  const { leases, allowances, epoch, calendar, before, catchUp, known } = createThreads();
  await allowances.of(key, "sub-1", large)?.awaitStatus();
  epoch.bump("acme");
  catchUp();
  before.push(() => epoch.bump("acme"));
  let admitted = 0;
  for (let call = 0; call < 100; call++) {
    const lease = await leases.of(key, "sub-1", small, known());
    catchUp();
    const spent = lease?.spend(calendar.today()) ?? (await lease?.spendLater());
    admitted += typeof spent === "object" ? 1 : 0;
    await settled();
  }
  expect(admitted).toBe(50);
});

test("a call from before a change of plan does not bring back the old plan", async () => {
  const { leases, allowances, epoch, catchUp, known } = createThreads();
  const lease = await leases.of(key, "sub-1", large, known());
  epoch.bump("acme");
  catchUp();
  const inForce = allowances.of(key, "sub-1", small)?.generation;
  await lease?.spendLater();
  expect(allowances.current(key)?.generation).toBe(inForce);
});
