// Measures what counting usage and refusals adds to the CPU time of an admitted and a refused call: runs the guard with its counters, and
// with counters that do nothing. Writes bench/counting.md.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { AdmissionController } from "../src/guard/admission-controller.ts";
import { UsageCounter } from "../src/guard/batched-counts.ts";
import { DEFAULT_GUARD_LIMITS } from "../src/guard/guard-limits.ts";
import { KEY_REFUSALS } from "../src/guard/keys/access-refusals.ts";
import { Credentials } from "../src/guard/keys/credentials.ts";
import { generateKey } from "../src/guard/keys/key.ts";
import { createLeaseOwner } from "../src/guard/lease-owner.ts";
import { SharedBuckets } from "../src/guard/rate/bucket.ts";
import { RefusedSeconds } from "../src/guard/rate/refused-seconds.ts";
import { RefusalCounter } from "../src/guard/refusal-counter.ts";
import { systemClock as clock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { systemRandomness } from "../src/runtime/randomness.ts";
import { MemoryStore } from "../test/guard/memory-store.ts";
import { credentialOf, METHOD, plansOf, radioPlan } from "../test/guard/scene.ts";

const CALLS = 100_000;
const ROUNDS = 30;
const log = createLog("silent");
const limits = DEFAULT_GUARD_LIMITS;

// One call after another, each settled at once.
type Run = () => Promise<void>;

async function guardOf(requestsPerSecond: number, isOn: boolean): Promise<Run> {
  const store = new MemoryStore();
  const key = generateKey(systemRandomness);
  store.credentials.set(key.hash, credentialOf());
  const plans = plansOf([radioPlan("free", 1_000_000_000, requestsPerSecond)]);
  const { breaker, epoch, memory, allowances, calendar } = createLeaseOwner({ store, clock, log, limits, threads: 1 });
  const lookups = { store, breaker, epoch, plans, clock, log, refusalsFor: () => KEY_REFUSALS };
  const counted = { store, clock, randomness: systemRandomness, log, countsMax: limits.usageCountsMax, dropped: () => {} };
  const counters = {
    usage: new UsageCounter(counted),
    refusals: new RefusalCounter(counted),
    refusedSeconds: new RefusedSeconds(memory.slots),
  };
  if (!isOn) {
    counters.usage.count = () => {};
    counters.refusals.count = () => {};
    counters.refusedSeconds.count = () => 0;
  }
  const buckets = new SharedBuckets(memory.slots);
  const controller = new AdmissionController({
    ...counters,
    credentials: new Credentials(lookups, limits),
    principalCredentials: new Credentials(lookups, limits),
    rate: buckets,
    buckets,
    leases: allowances,
    nodeStatus: store.nodeStatus,
    calendar,
    clock,
    log,
  });
  const request = { key: key.secret, address: "127.0.0.1", service: "radio", method: METHOD } as const;
  await controller.admit(request);
  return async () => {
    for (let call = 0; call < CALLS; call++) {
      const decision = controller.admit(request);
      const decided = decision instanceof Promise ? await decision : decision;
      if (decided.admitted) {
        decided.settle("OK");
      }
    }
  };
}

async function cpuNsOf(run: Run): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / CALLS;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

// On and off in turn, so that both run under the same conditions.
async function compare(requestsPerSecond: number): Promise<readonly [on: number, off: number]> {
  const runs = [await guardOf(requestsPerSecond, true), await guardOf(requestsPerSecond, false)] as const;
  const took: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const index of [round % 2, 1 - (round % 2)] as (0 | 1)[]) {
      const ns = await cpuNsOf(runs[index]);
      // The first rounds are compiled while they run.
      if (round >= 5) {
        took[index].push(ns);
      }
    }
  }
  return [median(took[0]), median(took[1])];
}

const row = (name: string, [on, off]: readonly [number, number]): string =>
  `| ${name} | ${on.toFixed(0)} | ${off.toFixed(0)} | ${(on - off).toFixed(0)} |`;

const admitted = await compare(1_000_000_000);
const refused = await compare(1);
const text = `# What counting costs a call

Processor time of a call in the guard, in nanoseconds: the median of ${ROUNDS - 5} rounds of ${CALLS.toLocaleString("en")} calls, on and off in turn. \`node bench/counting.ts\` on ${cpus()[0]?.model.trim()},
Node ${process.version}.

| call | counted | not counted | difference |
| --- | --- | --- | --- |
${row("admitted: usage by the hour", admitted)}
${row("refused by the rate limit: reason, key, and the rate that would have been enough", refused)}

A difference of less than 150 ns, to either side, cannot be told from none, because the machine did other work meanwhile. Once a second, the counts are written: one row for each kind of call, however many calls there were.
`;
writeFileSync(new URL("counting.md", import.meta.url), text);
process.exit(0);
