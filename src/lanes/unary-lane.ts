// The unary lane: read the body whole, decode, call, encode, answer. One pipeline for all protocols; what differs is the codec.
// Every admitted call is settled exactly once, with the outcome that the caller saw.
import type { OutgoingHttpHeaders } from "node:http";
import type { Clock } from "../clock.ts";
import type { Admitted } from "../guard/guard.ts";
import type { Log } from "../log.ts";
import { type Problem, problemOf } from "../problem/problem.ts";
import type { Exchange } from "../server/exchange.ts";
import type { Codec, MessageLimits } from "./codec.ts";
import type { Invoke } from "./invoke.ts";
import type { Method } from "./method.ts";
import { UnaryCall } from "./unary-call.ts";

/** What the lane works with. */
export interface UnaryLaneOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: MessageLimits;
  /** The longest that a call may take; a caller's later deadline is brought forward to it. */
  readonly callTimeoutMsMax: number;
}

/** A call on its way: the front's findings and the guard's yes. */
export interface AdmittedCall {
  readonly exchange: Exchange;
  readonly method: Method;
  readonly invoke: Invoke;
  readonly codec: Codec;
  readonly admitted: Admitted;
  /** Headers for the answer, whatever it is. */
  readonly headers: OutgoingHttpHeaders;
}

const CANCELLED: Problem = { reason: "CANCELLED", message: "The caller went away." };

/** Runs admitted calls. It answers each one and never throws or rejects. */
export type UnaryLane = (admittedCall: AdmittedCall) => void;

/** Makes the lane. */
export function createUnaryLane({ clock, log, limits, callTimeoutMsMax }: UnaryLaneOptions): UnaryLane {
  return (admittedCall) => {
    run(admittedCall).catch((thrown) =>
      log.error({ err: thrown, method: admittedCall.method.fullName }, "answering a call failed"),
    );
  };

  async function run({ exchange, method, invoke, codec, admitted, headers }: AdmittedCall): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    let call: UnaryCall | undefined;
    let ended = false;
    const fail = (problem: Problem): void => {
      if (ended) {
        return;
      }
      ended = true;
      call?.abort(problem);
      if (problem.reason === "INTERNAL") {
        log.error({ err: problem.cause, method: method.fullName, request_id: exchange.requestId }, "a call failed by a defect");
      }
      admitted.settle(problem.reason);
      codec.fail(exchange, problem, headers, call);
    };
    exchange.onEnd((completed) => {
      if (!completed) {
        fail(CANCELLED);
      }
    });
    let cancelTimer: (() => void) | undefined;
    try {
      const timeoutMs = Math.min(codec.timeoutMs(exchange) ?? callTimeoutMsMax, callTimeoutMsMax);
      cancelTimer = clock.after(timeoutMs, () =>
        fail({
          reason: "DEADLINE_EXCEEDED",
          message: `The call took longer than its deadline of ${timeoutMs} ms; it was not counted.`,
        }),
      );
      const message = await codec.read(exchange, limits);
      call = new UnaryCall(exchange, method, admitted.principal, codec.protocolName, message, () =>
        Math.max(0, startedAtMs + timeoutMs - clock.monotonicMs()),
      );
      if (ended) {
        return;
      }
      const output = await invoke(call);
      if (ended) {
        return;
      }
      await codec.write(call, output, headers);
      if (!ended) {
        ended = true;
        admitted.settle("OK");
      }
    } catch (thrown) {
      fail(problemOf(thrown));
    } finally {
      cancelTimer?.();
    }
  }
}
