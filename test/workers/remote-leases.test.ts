// Where a worker finds its leases, when something changes while it asks.
import { expect, test } from "vitest";
import type { AccountOffice } from "../../src/account/office/office.ts";
import { defaultGuardLimits as limits } from "../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../src/guard/lease-owner.ts";
import { Desk } from "../../src/workers/desk.ts";
import type { MainPort } from "../../src/workers/main-port.ts";
import type { FromWorker, Question } from "../../src/workers/protocol.ts";
import { RemoteLeases } from "../../src/workers/remote-leases.ts";
import { MemoryStore } from "../guard/memory-store.ts";
import { createMemoryLog, noonMs, plansOf, radioPlan, settled } from "../guard/scene.ts";
import { createManualClock } from "../manual-clock.ts";

const small = radioPlan("small", 50);
const large = radioPlan("large", 1000);

test("a plan is in force from the second call on, also where something else changed while the lease was being found", async () => {
  const clock = createManualClock({ nowMs: noonMs });
  const store = new MemoryStore();
  const plans = plansOf([small, large]);
  const owner = createLeaseOwner({ store, clock, log: createMemoryLog(), limits, threads: 1 });
  const desk = new Desk({ store, owner, plans, office: {} as AccountOffice, clock, limits });
  await owner.allowances.of("acme radio", "sub-1", large)?.learn();
  // The plan is another one now, and something else is changed before the main thread reads the worker's first question.
  owner.epoch.bump();
  let knownEpoch = owner.epoch.now();
  const others = [() => owner.epoch.bump()];
  const port = {
    tell: (message: FromWorker) => message.kind === "tend" && desk.tend(message.key),
    ask(about: Question["about"], asked: never) {
      others.shift()?.();
      return desk.answer({ about, asked } as Question);
    },
  } as unknown as MainPort;
  const { slots: words } = owner.memory;
  const { calendar, epoch, underWay } = owner;
  const dying = new AbortController().signal;
  const leases = new RemoteLeases({ port, thread: 0, words, underWay, epoch, calendar, clock, dying }, () => knownEpoch, 10);
  let admitted = 0;
  for (let call = 0; call < 100; call++) {
    const lease = await leases.of("acme radio", "sub-1", small);
    knownEpoch = owner.epoch.now();
    const spent = lease?.spend(calendar.today()) ?? (await lease?.spendLater());
    admitted += typeof spent === "object" ? 1 : 0;
    await settled();
  }
  expect(admitted).toBe(50);
});
