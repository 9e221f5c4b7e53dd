// When a stream is charged, waits for its charge, and ends.
import { expect, test } from "vitest";
import { StreamLifecycle } from "../../../src/gateway/rpc/stream-lifecycle.ts";
import type { Admitted, Refused } from "../../../src/guard/guard.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";

type Renewal = "admitted" | "RATE_LIMITED" | "LIMITS_UNAVAILABLE" | "QUOTA_EXCEEDED";

interface Charged {
  readonly clock: ManualClock;
  readonly life: StreamLifecycle;
  readonly draining: AbortController;
  /** How each charge was settled, in the order of settling. */
  readonly settled: string[];
  /** Who wants to know when the caller may not go on. */
  readonly watchers: ReadonlySet<(refused: Refused) => void>;
}

// A stream whose renewals come out as listed, the last one for ever.
function start(...renewals: Renewal[]): Charged {
  const settled: string[] = [];
  let asked = 0;
  const admitted = (name: number): Admitted =>
    ({ admitted: true, settle: (outcome: string) => settled.push(`${name} ${outcome}`), renew, watch }) as unknown as Admitted;
  const watchers = new Set<(refused: Refused) => void>();
  const watch: Admitted["watch"] = (onRefused) => {
    watchers.add(onRefused);
    return () => watchers.delete(onRefused);
  };
  const renew = (): Admitted | Refused => {
    const renewal = renewals[Math.min(asked, renewals.length - 1)] ?? "admitted";
    asked += 1;
    return renewal === "admitted" ? admitted(asked) : { admitted: false, problem: { reason: renewal, message: renewal } };
  };
  const clock = createManualClock({ nowMs: 0 });
  const draining = new AbortController();
  return { clock, draining, settled, watchers, life: new StreamLifecycle(admitted(0), clock, draining.signal) };
}

async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    clock.advance(1000);
    await new Promise(setImmediate);
  }
}

test("each minute is charged when it begins, and the one before is settled then", async () => {
  const { clock, life, settled } = start("admitted");
  await pass(clock, 59);
  expect(settled).toEqual([]);
  await pass(clock, 1);
  expect(settled).toEqual(["0 OK"]);
  await pass(clock, 60);
  life.settle("CANCELLED", true);
  expect({ settled, pending: clock.pending }).toEqual({ settled: ["0 OK", "1 OK", "2 CANCELLED"], pending: 0 });
});

test.each(["RATE_LIMITED", "LIMITS_UNAVAILABLE"] as const)(
  "%s is waited out, and the next minute is due all the same",
  async (passing) => {
    const { clock, life, settled } = start(passing, passing, "admitted");
    await pass(clock, 62);
    expect({ settled, problem: life.problem }).toEqual({ settled: ["0 OK"], problem: undefined });
    await pass(clock, 58);
    expect(settled).toEqual(["0 OK", "3 OK"]);
    life.settle("OK", true);
  },
);

test("but for a minute at most", async () => {
  const { clock, life } = start("RATE_LIMITED");
  await pass(clock, 119);
  expect(life.problem).toBeUndefined();
  await pass(clock, 1);
  expect(life.problem?.reason).toBe("RATE_LIMITED");
});

test("a refusal ends it, and the minute that is over stays paid", async () => {
  const { clock, life, settled } = start("QUOTA_EXCEEDED");
  await pass(clock, 60);
  expect({ reason: life.problem?.reason, aborted: life.signal.aborted, settled }).toEqual({
    reason: "QUOTA_EXCEEDED",
    aborted: true,
    settled: ["0 OK"],
  });
});

test("a drain ends it", () => {
  const { life, draining, clock } = start();
  draining.abort();
  expect({ reason: life.problem?.reason, pending: clock.pending }).toEqual({ reason: "SHUTTING_DOWN", pending: 0 });
});

test.each([
  { begun: true, settled: ["0 OK"] },
  { begun: false, settled: ["0 DEADLINE_EXCEEDED"] },
])("the caller's own deadline costs a minute where anything was sent: $begun", ({ begun, settled }) => {
  const stream = start();
  stream.life.settle("DEADLINE_EXCEEDED", begun);
  expect(stream.settled).toEqual(settled);
});

test("a stream whose caller may not go on ends at once, and its minute stays paid", () => {
  const { life, settled, watchers } = start();
  for (const refuse of watchers) {
    refuse({ admitted: false, problem: { reason: "KEY_REVOKED", message: "revoked" } });
  }
  expect(life.problem?.reason).toBe("KEY_REVOKED");
  life.settle("KEY_REVOKED", true);
  expect(settled[0]).toBe("0 OK");
  expect(watchers.size).toBe(0);
});

test("a stream that has ended is not watched any more", () => {
  const { life, watchers } = start();
  expect(watchers.size).toBe(1);
  life.settle("OK", true);
  expect(watchers.size).toBe(0);
});
