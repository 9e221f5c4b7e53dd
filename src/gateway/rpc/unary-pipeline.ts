// The unary pipeline: read the whole body, decode, validate, call, encode, settle, send. It is the same for all protocols except
// for the codec.
import { create, type Message } from "@bufbuild/protobuf";
import type { Problem } from "../../problem/problem.ts";
import type { UnaryOperation } from "../operation.ts";
import { DRY_RUN_HEADERS } from "../operation.ts";
import { problemOfThrown } from "../transport-problem.ts";
import { CallContext } from "./call-context.ts";
import { CallLifecycle, type LifecycleOptions } from "./call-lifecycle.ts";
import type { EncodedResponse } from "./codec.ts";
import { NO_METADATA } from "./response-metadata.ts";
import type { Validate } from "./validation.ts";

interface UnaryPipelineOptions extends LifecycleOptions {
  readonly validate: Validate;
  /** The longest that a call may take. If the caller's deadline is later, it is shortened to this. */
  readonly callTimeoutMsMax: number;
}

/** Runs admitted calls. Responds to each one, and never throws or rejects. */
export type UnaryPipeline = (operation: UnaryOperation) => void;

const UNSENDABLE: Problem = { reason: "INTERNAL", message: "Something went wrong on our side while the response was sent." };

export function createUnaryPipeline(options: UnaryPipelineOptions): UnaryPipeline {
  return (operation) => new UnaryCall(operation, options).run();
}

/**
 * One admitted call, from the reading of its body to its response. It never awaits what has already arrived: if the body arrived
 * with the head and the handler returns at once, the response is sent before the next request is read, without a promise or a
 * timer.
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
    const { callTimeoutMsMax } = this.#options;
    const { exchange, method, codec } = this.operation;
    this.#step(() => {
      const callerMs = codec.timeoutMs(exchange);
      this.#timeoutMs = callerMs === undefined ? callTimeoutMsMax : Math.min(callerMs, callTimeoutMsMax);
      this.#untilMs = callerMs === undefined ? undefined : this.clock.monotonicMs() + this.#timeoutMs;
      if (this.#timeoutMs === 0) {
        this.#startDeadline();
      } else {
        this.#then(codec.read(exchange, method.messageLimits), (message) => this.#call(message));
      }
    });
  }

  #call(message: Message): void {
    const { exchange, method, invoke, codec, headers } = this.operation;
    this.operation.input = message;
    const { protocolName } = codec;
    this.#options.validate(method.desc.input, message, protocolName === "rest" || protocolName === "mcp" ? "short" : "full");
    if (this.operation.isDryRun) {
      this.complete();
      this.#send(
        codec.writeDryRun?.(exchange, headers) ??
          codec.write(exchange, create(method.desc.output), { ...headers, ...DRY_RUN_HEADERS }, NO_METADATA),
      );
      return;
    }
    const context = new CallContext(this.operation, this.clock, this.#untilMs);
    this.#context = context;
    this.#then(invoke(message, context), (output) =>
      // The handler's result is often in memory anyway; the response is not encoded before there is room for it.
      this.#then(exchange.whenRoom(), () => this.#respond(output, context)),
    );
  }

  #respond(output: Message, context: CallContext): void {
    const { exchange, codec, headers } = this.operation;
    const response = codec.write(exchange, output, headers, context);
    this.complete();
    this.#send(response);
  }

  // Takes the next step with a value, now or when it arrives, unless the call has ended by then.
  #then<Value>(value: Value | Promise<Value>, next: (value: Value) => void): void {
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

  // Started only when there is something to wait for.
  #startDeadline(): void {
    if (!this.#isTimed) {
      this.#isTimed = true;
      this.startDeadline(this.#timeoutMs, deadlineExceeded);
    }
  }

  // The response was checked when it was written. If the transport still refuses its head, nothing of it has been sent. The call
  // stays settled as OK, and counted: if it could be settled again, it could be refunded after its response was received.
  #send({ status, headers, body, trailers }: EncodedResponse): void {
    const { exchange, codec } = this.operation;
    try {
      exchange.respond(status, headers, body, trailers);
    } catch (thrown) {
      this.logDefect(thrown, "a response could not be sent");
      codec.fail(exchange, UNSENDABLE, {});
    }
  }

  protected override respondWithFailure(problem: Problem): void {
    this.#context?.abort(problem);
    this.sendFailure(problem, this.#context);
  }
}

const deadlineExceeded = (timeoutMs: number): Problem => ({
  reason: "DEADLINE_EXCEEDED",
  message: `The call took longer than its deadline of ${timeoutMs} ms; it was not counted.`,
});
