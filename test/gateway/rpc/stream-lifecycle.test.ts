// When a stream is charged, when it waits for its charge, and what ends it.
import { expect, test } from "vitest";
import { RpcStreamOperation } from "../../../src/gateway/operation.ts";
import type { Method } from "../../../src/gateway/rpc/method.ts";
import { StreamLifecycle } from "../../../src/gateway/rpc/stream-lifecycle.ts";
import type { Admitted, Refused } from "../../../src/guard/guard.ts";
import type { Exchange } from "../../../src/http/exchange.ts";
import type { Problem } from "../../../src/problem/problem.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";

type Renewal = "admitted" | "RATE_LIMITED" | "LIMITS_UNAVAILABLE" | "QUOTA_EXCEEDED";

// A stream without a protocol: it keeps the problem that its caller would be told.
class BareStream extends StreamLifecycle {
  problem: Problem | undefined;

  start(): boolean {
    return this.begin();
  }

  protected override answerFailure(problem: Problem): void {
    super.answerFailure(problem);
    this.problem = problem;
  }
}

interface Charged {
  readonly clock: ManualClock;
  readonly stream: BareStream;
  readonly draining: AbortController;
  /** How each charge was settled, in the order of settling. */
  readonly settled: string[];
  /** Who wants to know when the caller may not go on. */
  readonly watchers: ReadonlySet<(refused: Refused) => void>;
  /** Tells the stream that its exchange has ended. */
  endExchange(completed: boolean): void;
}

// A stream whose renewals come out as listed, the last one again and again. It has not begun.
function prepare(...renewals: Renewal[]): Charged {
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
  let endExchange: (completed: boolean) => void = () => {};
  const exchange = {
    onEnd(callback: (completed: boolean) => void) {
      endExchange = callback;
    },
  };
  const operation = new RpcStreamOperation(exchange as Exchange, {} as Method, { protocolName: "grpc", fail: () => {} });
  operation.admitted = admitted(0);
  const stream = new BareStream(operation, { clock, log: createLog("silent"), draining: draining.signal });
  return { clock, draining, settled, watchers, stream, endExchange: (completed) => endExchange(completed) };
}

function start(...renewals: Renewal[]): Charged {
  const charged = prepare(...renewals);
  charged.stream.start();
  return charged;
}

async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    clock.advance(1000);
    await new Promise(setImmediate);
  }
}

const CANCELLED: Problem = { reason: "CANCELLED", message: "The caller went away." };

test("each minute is charged when it begins, and the one before is settled then", async () => {
  const { clock, stream, settled } = start("admitted");
  await pass(clock, 59);
  expect(settled).toEqual([]);
  await pass(clock, 1);
  expect(settled).toEqual(["0 OK"]);
  await pass(clock, 60);
  stream.fail(CANCELLED);
  expect({ settled, pending: clock.pending }).toEqual({ settled: ["0 OK", "1 OK", "2 CANCELLED"], pending: 0 });
});

test.each(["RATE_LIMITED", "LIMITS_UNAVAILABLE"] as const)(
  "after %s the charge is tried again, and the next minute is due as if it had come in time",
  async (temporary) => {
    const { clock, stream, settled } = start(temporary, temporary, "admitted");
    await pass(clock, 62);
    expect({ settled, problem: stream.problem }).toEqual({ settled: ["0 OK"], problem: undefined });
    await pass(clock, 58);
    expect(settled).toEqual(["0 OK", "3 OK"]);
    stream.complete();
  },
);

test("the charge is tried again for a minute at most", async () => {
  const { clock, stream } = start("RATE_LIMITED");
  await pass(clock, 119);
  expect(stream.problem).toBeUndefined();
  await pass(clock, 1);
  expect(stream.problem?.reason).toBe("RATE_LIMITED");
});

test("a refused charge ends it, and the minute that is over stays paid", async () => {
  const { clock, stream, settled } = start("QUOTA_EXCEEDED");
  await pass(clock, 60);
  expect({ reason: stream.problem?.reason, aborted: stream.signal.aborted, settled }).toEqual({
    reason: "QUOTA_EXCEEDED",
    aborted: true,
    settled: ["0 OK"],
  });
});

test("a drain ends it, and its minute is refunded", () => {
  const { stream, draining, clock, settled } = start();
  draining.abort();
  expect({ reason: stream.problem?.reason, settled, pending: clock.pending }).toEqual({
    reason: "SHUTTING_DOWN",
    settled: ["0 SHUTTING_DOWN"],
    pending: 0,
  });
});

test("one that begins while the server drains ends at once", () => {
  const { stream, draining, clock, settled } = prepare();
  draining.abort();
  expect({ begun: stream.start(), reason: stream.problem?.reason, settled, pending: clock.pending }).toEqual({
    begun: false,
    reason: "SHUTTING_DOWN",
    settled: ["0 SHUTTING_DOWN"],
    pending: 0,
  });
});

test.each([
  { sent: true, settled: ["0 OK"] },
  { sent: false, settled: ["0 DEADLINE_EXCEEDED"] },
])("the caller's own deadline costs a minute where anything was sent: $sent", ({ sent, settled }) => {
  const charged = start();
  if (sent) {
    charged.stream.messageSent();
  }
  charged.stream.fail({ reason: "DEADLINE_EXCEEDED", message: "The time is up." });
  expect(charged.settled).toEqual(settled);
});

test("a stream whose caller may not go on ends at once, and its minute stays paid", () => {
  const { stream, settled, watchers } = start();
  for (const refuse of watchers) {
    refuse({ admitted: false, problem: { reason: "KEY_REVOKED", message: "revoked" } });
  }
  expect({ reason: stream.problem?.reason, settled, watchers: watchers.size }).toEqual({
    reason: "KEY_REVOKED",
    settled: ["0 OK"],
    watchers: 0,
  });
});

test("a stream that has ended is not watched any more", () => {
  const { stream, watchers } = start();
  expect(watchers.size).toBe(1);
  stream.complete();
  expect(watchers.size).toBe(0);
});

test("a caller who goes away ends it, and its signal says so", () => {
  const { stream, settled, endExchange, clock } = start();
  endExchange(false);
  expect({ settled, reason: stream.signal.reason.problem, pending: clock.pending }).toEqual({
    settled: ["0 CANCELLED"],
    reason: CANCELLED,
    pending: 0,
  });
});

test("an answer that was sent whole ends nothing: its pipeline does", () => {
  const { stream, settled, endExchange } = start();
  endExchange(true);
  expect({ settled, ended: stream.ended }).toEqual({ settled: [], ended: false });
});

test("only the first end counts", () => {
  const { stream, settled } = start();
  expect([stream.complete(), stream.complete()]).toEqual([true, false]);
  stream.fail(CANCELLED);
  expect({ settled, problem: stream.problem, aborted: stream.signal.aborted }).toEqual({
    settled: ["0 OK"],
    problem: undefined,
    aborted: false,
  });
});
