// The unary pipeline: read the body whole, decode, call, encode, answer. One pipeline for all protocols; what differs is the codec.
// Every admitted call is settled exactly once, with the outcome that the caller is about to hear: a thread that dies in between has charged
// for an answer that nobody heard, and never given one away.
import type { OutgoingHttpHeaders } from "node:http";
import type { Admitted } from "../../guard/guard.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { problemOfThrown } from "../transport-problem.ts";
import type { Codec, EncodedResponse, MessageLimits } from "./codec.ts";
import type { Invoke } from "./invoke.ts";
import type { Method } from "./method.ts";
import { UnaryCall } from "./unary-call.ts";
import type { Validate } from "./validation.ts";

/** What the pipeline works with. */
export interface UnaryPipelineOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: MessageLimits;
  readonly validate: Validate;
  /** The longest that a call may take; a caller's later deadline is brought forward to it. */
  readonly callTimeoutMsMax: number;
}

/** A call on its way: the dispatcher's findings and the guard's yes. */
interface AdmittedCall {
  readonly exchange: Exchange;
  readonly method: Method;
  readonly invoke: Invoke;
  readonly codec: Codec;
  readonly admitted: Admitted;
  /** Headers for the answer, whatever it is. */
  readonly headers: OutgoingHttpHeaders;
}

const CANCELLED: Problem = { reason: "CANCELLED", message: "The caller went away." };
const UNSENDABLE: Problem = { reason: "INTERNAL", message: "Something went wrong on our side while the call was answered." };

/** Runs admitted calls. It answers each one and never throws or rejects. */
export type UnaryPipeline = (admittedCall: AdmittedCall) => void;

/** Makes the pipeline. */
export function createUnaryPipeline(options: UnaryPipelineOptions): UnaryPipeline {
  return (admittedCall) => {
    // It never rejects: there is nobody to tell.
    new Run(options, admittedCall).run();
  };
}

/** One admitted call, from the reading of its body to its answer. */
class Run {
  readonly #options: UnaryPipelineOptions;
  readonly #admittedCall: AdmittedCall;
  #call: UnaryCall | undefined;
  /** Whether the call is settled: from then on nothing that happens to it matters. */
  #ended = false;

  constructor(options: UnaryPipelineOptions, admittedCall: AdmittedCall) {
    this.#options = options;
    this.#admittedCall = admittedCall;
  }

  async run(): Promise<void> {
    const { clock, limits, validate, callTimeoutMsMax } = this.#options;
    const { exchange, method, invoke, codec, admitted, headers } = this.#admittedCall;
    exchange.onEnd((completed) => {
      if (!completed) {
        this.#fail(CANCELLED);
      }
    });
    if (this.#ended) {
      // The caller went away while the guard was asked.
      return;
    }
    let cancelTimer: (() => void) | undefined;
    try {
      const callerMs = codec.timeoutMs(exchange);
      const timeoutMs = callerMs === undefined ? callTimeoutMsMax : Math.min(callerMs, callTimeoutMsMax);
      if (timeoutMs === 0) {
        // Whether it were reached would be a matter of luck.
        this.#fail(deadlineExceeded(timeoutMs));
        return;
      }
      const untilMs = callerMs === undefined ? undefined : clock.monotonicMs() + timeoutMs;
      cancelTimer = clock.after(timeoutMs, () => this.#fail(deadlineExceeded(timeoutMs)));
      const message = await codec.read(exchange, method.accessCheck.messageLimits ?? limits);
      if (this.#ended) {
        return;
      }
      validate(method.desc.input, message);
      const call = new UnaryCall(exchange, method, admitted, codec.protocolName, message, { clock, untilMs });
      this.#call = call;
      const output = await invoke(call);
      if (!this.#ended) {
        const answer = codec.write(exchange, output, headers, call);
        this.#settle("OK");
        this.#send(answer);
      }
    } catch (thrown) {
      this.#fail(problemOfThrown(thrown));
    } finally {
      cancelTimer?.();
    }
  }

  #settle(outcome: Parameters<Admitted["settle"]>[0]): void {
    this.#ended = true;
    this.#admittedCall.admitted.settle(outcome);
  }

  // What can be wrong with an answer was found when it was written. Should Node refuse its head all the same, nothing of it is out; the
  // call stays settled as OK, and counted: what could be settled again could be refunded after its answer was heard.
  #send({ status, headers, body, trailers }: EncodedResponse): void {
    const { exchange, codec } = this.#admittedCall;
    try {
      exchange.respond(status, headers, body, trailers);
    } catch (thrown) {
      this.#logFault(thrown, "an answer could not be sent");
      codec.fail(exchange, UNSENDABLE, {});
    }
  }

  #fail(problem: Problem): void {
    if (this.#ended) {
      return;
    }
    const { exchange, codec, headers } = this.#admittedCall;
    this.#settle(problem.reason);
    this.#call?.abort(problem);
    if (problem.reason === "INTERNAL") {
      this.#logFault(problem.cause, "a call failed by a defect");
    }
    try {
      codec.fail(exchange, problem, headers, this.#call);
    } catch (thrown) {
      // What a handler set, or threw, can not be sent. Without that the answer goes out.
      this.#logFault(thrown, "answering with a handler's headers failed");
      const { reason, message } = problem;
      codec.fail(exchange, { reason, message }, headers);
    }
  }

  #logFault(err: unknown, text: string): void {
    const { exchange, method } = this.#admittedCall;
    this.#options.log.error({ err, method: method.fullName, request_id: exchange.requestId }, text);
  }
}

const deadlineExceeded = (timeoutMs: number): Problem => ({
  reason: "DEADLINE_EXCEEDED",
  message: `The call took longer than its deadline of ${timeoutMs} ms; it was not counted.`,
});
