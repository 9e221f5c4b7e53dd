// When a stream is charged, when it waits for its charge, and what ends it.

import type { Exchange } from "@quintet/http";
import { expect, test } from "vitest";
import { RpcStreamOperation } from "../../../src/gateway/operation.ts";
import type { Method } from "../../../src/gateway/rpc/method.ts";
import { StreamLifecycle } from "../../../src/gateway/rpc/stream-lifecycle.ts";
import type { Admitted, Refused } from "../../../src/guard/guard.ts";
import type { Problem } from "../../../src/problem/problem.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";

type Renewal = "admitted" | "RATE_LIMITED" | "LIMITS_UNAVAILABLE" | "QUOTA_EXCEEDED";

// A stream without a protocol: it keeps the problem that would be sent to its caller.
class BareStream extends StreamLifecycle {
  problem: Problem | undefined;

  start(): boolean {
    return this.begin();
  }

  protected override respondWithFailure(problem: Problem): void {
    super.respondWithFailure(problem);
    this.problem = problem;
  }
}

interface RunningStream {
  readonly clock: ManualClock;
  readonly stream: BareStream;
  readonly draining: AbortController;
  /** How each charge was settled, in order. */
  readonly settled: string[];
  /** The callbacks for when the caller loses access. */
  readonly watchers: ReadonlySet<(refused: Refused) => void>;
  /** Tells the stream that its exchange has ended. */
  endExchange(completed: boolean): void;
}

// A stream with these results of renewals, the last one repeated. It has not started.
function prepare(...renewals: Renewal[]): RunningStream {
  const settled: string[] = [];
  let requested = 0;
  const admitted = (name: number): Admitted =>
    ({ admitted: true, settle: (outcome: string) => settled.push(`${name} ${outcome}`), renew, watch }) as unknown as Admitted;
  const watchers = new Set<(refused: Refused) => void>();
  const watch: Admitted["watch"] = (onRefused) => {
    watchers.add(onRefused);
    return () => watchers.delete(onRefused);
  };
  const renew = (): Admitted | Refused => {
    const renewal = renewals[Math.min(requested, renewals.length - 1)] ?? "admitted";
    requested += 1;
    return renewal === "admitted" ? admitted(requested) : { admitted: false, problem: { reason: renewal, message: renewal } };
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

function start(...renewals: Renewal[]): RunningStream {
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

const CANCELLED: Problem = { reason: "CANCELLED", message: "The caller has disconnected." };

test("each minute is charged when it begins, and the one before it is settled then", async () => {
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
  "after %s the charge is tried again, and the next minute is due as if the charge had been in time",
  async (temporary) => {
    const { clock, stream, settled } = start(temporary, temporary, "admitted");
    await pass(clock, 62);
    expect({ settled, problem: stream.problem }).toEqual({ settled: ["0 OK"], problem: undefined });
    await pass(clock, 58);
    expect(settled).toEqual(["0 OK", "3 OK"]);
    stream.complete();
  },
);

test("the charge is retried for at most a minute", async () => {
  const { clock, stream } = start("RATE_LIMITED");
  await pass(clock, 119);
  expect(stream.problem).toBeUndefined();
  await pass(clock, 1);
  expect(stream.problem?.reason).toBe("RATE_LIMITED");
});

test("a refused charge ends the stream, and the past minute stays charged", async () => {
  const { clock, stream, settled } = start("QUOTA_EXCEEDED");
  await pass(clock, 60);
  expect({ reason: stream.problem?.reason, aborted: stream.signal.aborted, settled }).toEqual({
    reason: "QUOTA_EXCEEDED",
    aborted: true,
    settled: ["0 OK"],
  });
});

test("a drain ends the stream, and refunds its minute", () => {
  const { stream, draining, clock, settled } = start();
  draining.abort();
  expect({ reason: stream.problem?.reason, settled, pending: clock.pending }).toEqual({
    reason: "SHUTTING_DOWN",
    settled: ["0 SHUTTING_DOWN"],
    pending: 0,
  });
});

test("a stream that begins while the server drains ends at once", () => {
  const { stream, draining, clock, settled } = prepare();
  draining.abort();
  expect({ started: stream.start(), reason: stream.problem?.reason, settled, pending: clock.pending }).toEqual({
    started: false,
    reason: "SHUTTING_DOWN",
    settled: ["0 SHUTTING_DOWN"],
    pending: 0,
  });
});

test.each([
  { sent: true, settled: ["0 OK"] },
  { sent: false, settled: ["0 DEADLINE_EXCEEDED"] },
])("the caller's own deadline costs a minute if anything was sent: $sent", ({ sent, settled }) => {
  const charged = start();
  if (sent) {
    charged.stream.messageSent();
  }
  charged.stream.fail({ reason: "DEADLINE_EXCEEDED", message: "The time is up." });
  expect(charged.settled).toEqual(settled);
});

const AFTER_DEADLINE = "The call took longer than its deadline; ";
const NOT_COUNTED = `${AFTER_DEADLINE}it was not counted.`;
const MINUTE_COUNTED = `${AFTER_DEADLINE}the stream's last minute is counted.`;
const NO_RESPONSE = "The price source did not respond as it should; ";

test.each<{ name: string; seconds: number; sent: boolean; problem: Problem; said: string }>([
  {
    name: "before a message",
    seconds: 0,
    sent: false,
    problem: { reason: "DEADLINE_EXCEEDED", message: NOT_COUNTED },
    said: NOT_COUNTED,
  },
  {
    name: "after one",
    seconds: 0,
    sent: true,
    problem: { reason: "DEADLINE_EXCEEDED", message: NOT_COUNTED },
    said: MINUTE_COUNTED,
  },
  {
    name: "minutes later",
    seconds: 90,
    sent: true,
    problem: { reason: "DEADLINE_EXCEEDED", message: NOT_COUNTED },
    said: MINUTE_COUNTED,
  },
  {
    name: "in the first minute, for another reason",
    seconds: 0,
    sent: true,
    problem: { reason: "UPSTREAM_FAILED", message: `${NO_RESPONSE}the call was not counted.` },
    said: `${NO_RESPONSE}the call was not counted.`,
  },
  {
    name: "in a later minute, for another reason",
    seconds: 90,
    sent: true,
    problem: { reason: "UPSTREAM_FAILED", message: `${NO_RESPONSE}the call was not counted.` },
    said: `${NO_RESPONSE}the stream's last minute is not counted.`,
  },
])("the message of a stream that ends $name says what was counted", async ({ seconds, sent, problem, said }) => {
  const { clock, stream } = start();
  if (sent) {
    stream.messageSent();
  }
  await pass(clock, seconds);
  stream.fail(problem);
  expect(stream.problem?.message).toBe(said);
  // A second error made from the same problem, after the stream has ended, says the same.
  expect(stream.rewordForStream(problem).message).toBe(said);
});

test("a stream whose caller loses access ends at once, and its minute stays charged", () => {
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

test("access is no longer watched once a stream has ended", () => {
  const { stream, watchers } = start();
  expect(watchers.size).toBe(1);
  stream.complete();
  expect(watchers.size).toBe(0);
});

test("a caller that goes away ends the stream and aborts its signal", () => {
  const { stream, settled, endExchange, clock } = start();
  endExchange(false);
  expect({ settled, reason: stream.signal.reason.problem, pending: clock.pending }).toEqual({
    settled: ["0 CANCELLED"],
    reason: CANCELLED,
    pending: 0,
  });
});

test("sending the whole response does not end the stream; its pipeline does", () => {
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
