// The unary pipeline: read the body whole, decode, validate, call, encode, settle, answer. It is the same for all protocols; what differs is
// the codec.
import type { Message } from "@bufbuild/protobuf";
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
  return (operation) => new UnaryCall(operation, options).run();
}

/**
 * One admitted call, from the reading of its body to its answer. It waits for nothing that is there already: a call whose body came with its
 * head, and whose handler answers at once, is answered before the next one is read, without a promise or a timer.
 */
class UnaryCall extends CallLifecycle<UnaryOperation> {
  readonly #options: UnaryPipelineOptions;
  #context: CallContext | undefined;
  #timeoutMs = 0;
  #untilMs: number | undefined;
  #isTimed = false;

  constructor(operation: UnaryOperation, options: UnaryPipelineOptions) {
    super(operation, options);
    this.#options = options;
  }

  run(): void {
    if (!this.begin()) {
      return;
    }
    const { limits, callTimeoutMsMax } = this.#options;
    const { exchange, method, codec } = this.operation;
    this.#step(() => {
      const callerMs = codec.timeoutMs(exchange);
      this.#timeoutMs = callerMs === undefined ? callTimeoutMsMax : Math.min(callerMs, callTimeoutMsMax);
      this.#untilMs = callerMs === undefined ? undefined : this.clock.monotonicMs() + this.#timeoutMs;
      if (this.#timeoutMs === 0) {
        this.#startDeadline();
      } else {
        this.#goOn(codec.read(exchange, method.accessCheck.messageLimits ?? limits), (message) => this.#call(message));
      }
    });
  }

  #call(message: Message): void {
    const { exchange, method, invoke, codec, headers } = this.operation;
    this.#options.validate(method.desc.input, message);
    if (this.operation.isDryRun) {
      this.complete();
      this.#send(codec.writeDryRun(exchange, headers));
      return;
    }
    const context = new CallContext(this.operation, this.clock, this.#untilMs);
    this.#context = context;
    this.#goOn(invoke(message, context), (output) =>
      // What the handler has found often is in memory anyway; the bytes of the answer are not, before there is room for them.
      this.#goOn(exchange.whenRoom(), () => this.#answer(output, context)),
    );
  }

  #answer(output: Message, context: CallContext): void {
    const { exchange, codec, headers } = this.operation;
    const response = codec.write(exchange, output, headers, context);
    this.complete();
    this.#send(response);
  }

  // Takes the next step with a value: at once, or when it is there, unless the call has ended then.
  #goOn<Value>(value: Value | Promise<Value>, next: (value: Value) => void): void {
    if (!(value instanceof Promise)) {
      if (!this.ended) {
        next(value);
      }
      return;
    }
    this.#startDeadline();
    value.then(
      (settled) => {
        if (!this.ended) {
          this.#step(() => next(settled));
        }
      },
      (thrown) => this.fail(problemOfThrown(thrown)),
    );
  }

  #step(take: () => void): void {
    try {
      take();
    } catch (thrown) {
      this.fail(problemOfThrown(thrown));
    }
  }

  // Not before there is something to wait for.
  #startDeadline(): void {
    if (!this.#isTimed) {
      this.#isTimed = true;
      this.startDeadline(this.#timeoutMs, deadlineExceeded);
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
