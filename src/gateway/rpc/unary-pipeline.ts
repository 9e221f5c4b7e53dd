// The unary pipeline: read the body whole, decode, validate, call, encode, settle, answer. It is the same for all protocols; what differs is
// the codec.

import type { Problem } from "../../problem/problem.ts";
import type { UnaryOperation } from "../operation.ts";
import { problemOfThrown } from "../transport-problem.ts";
import { CallContext } from "./call-context.ts";
import { CallLifecycle, type LifecycleDependencies } from "./call-lifecycle.ts";
import type { EncodedResponse, MessageLimits } from "./codec.ts";
import type { Validate } from "./validation.ts";

/** What the pipeline works with. */
export interface UnaryPipelineOptions extends LifecycleDependencies {
  readonly limits: MessageLimits;
  readonly validate: Validate;
  /** The longest that a call may take. A caller's deadline that is later than this is brought forward to it. */
  readonly callTimeoutMsMax: number;
}

/** Runs admitted calls. It answers each one and never throws or rejects. */
export type UnaryPipeline = (operation: UnaryOperation) => void;

const UNSENDABLE: Problem = { reason: "INTERNAL", message: "Something went wrong on our side while the call was answered." };

/** Makes the pipeline. */
export function createUnaryPipeline(options: UnaryPipelineOptions): UnaryPipeline {
  return (operation) => {
    // Its promise never rejects.
    new UnaryCall(operation, options).run();
  };
}

/** One admitted call, from the reading of its body to its answer. */
class UnaryCall extends CallLifecycle<UnaryOperation> {
  readonly #options: UnaryPipelineOptions;
  #context: CallContext | undefined;

  constructor(operation: UnaryOperation, options: UnaryPipelineOptions) {
    super(operation, options);
    this.#options = options;
  }

  async run(): Promise<void> {
    if (!this.begin()) {
      return;
    }
    const { limits, validate, callTimeoutMsMax } = this.#options;
    const { exchange, method, invoke, codec, headers } = this.operation;
    try {
      const callerMs = codec.timeoutMs(exchange);
      const timeoutMs = callerMs === undefined ? callTimeoutMsMax : Math.min(callerMs, callTimeoutMsMax);
      const untilMs = callerMs === undefined ? undefined : this.clock.monotonicMs() + timeoutMs;
      this.startDeadline(timeoutMs, deadlineExceeded);
      if (this.ended) {
        return;
      }
      const message = await codec.read(exchange, method.accessCheck.messageLimits ?? limits);
      if (this.ended) {
        return;
      }
      validate(method.desc.input, message);
      const context = new CallContext(this.operation, this.clock, untilMs);
      this.#context = context;
      const output = await invoke(message, context);
      if (!this.ended) {
        const response = codec.write(exchange, output, headers, context);
        this.complete();
        this.#send(response);
      }
    } catch (thrown) {
      this.fail(problemOfThrown(thrown));
    }
  }

  // The response was checked when it was written. If the transport refuses its head all the same, nothing of it has been sent. The call stays
  // settled as OK, and counted: if it could be settled again, it could be refunded after its answer was heard.
  #send({ status, headers, body, trailers }: EncodedResponse): void {
    const { exchange, codec } = this.operation;
    try {
      exchange.respond(status, headers, body, trailers);
    } catch (thrown) {
      this.logDefect(thrown, "an answer could not be sent");
      codec.fail(exchange, UNSENDABLE, {});
    }
  }

  protected override answerFailure(problem: Problem): void {
    this.#context?.abort(problem);
    this.sendFailure(problem, this.#context);
  }
}

const deadlineExceeded = (timeoutMs: number): Problem => ({
  reason: "DEADLINE_EXCEEDED",
  message: `The call took longer than its deadline of ${timeoutMs} ms; it was not counted.`,
});
