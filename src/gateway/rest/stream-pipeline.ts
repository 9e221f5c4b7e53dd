// REST's pipeline for server-streaming methods: read and bind the input, validate, call, and write each message as it is produced. A
// failure before the first message gets a normal error response. A later failure is the last item of the stream.
import type { ResponseStream } from "@quintet/http";
import type { Problem } from "../../problem/problem.ts";
import type { RestStreamOperation } from "../operation.ts";
import { CallContext } from "../rpc/call-context.ts";
import { heartbeatsOf, withHeartbeats } from "../rpc/heartbeats.ts";
import { responseHeaders } from "../rpc/response-metadata.ts";
import { STREAM_HEADERS } from "../rpc/stream-headers.ts";
import { StreamLifecycle, type StreamLifecycleOptions } from "../rpc/stream-lifecycle.ts";
import type { Validate } from "../rpc/validation.ts";
import { problemOfThrown } from "../transport-problem.ts";
import { writeProblem } from "./problem-envelope.ts";

interface RestStreamPipelineOptions extends StreamLifecycleOptions {
  readonly validate: Validate;
}

/** Runs admitted calls. Responds to each one, and never throws or rejects. */
export type RestStreamPipeline = (operation: RestStreamOperation) => void;

export function createRestStreamPipeline(options: RestStreamPipelineOptions): RestStreamPipeline {
  return (operation) => {
    // The promise of `run` never rejects.
    new RestStream(operation, options).run();
  };
}

/** One admitted stream, from the reading of its input to its end. */
class RestStream extends StreamLifecycle<RestStreamOperation> {
  readonly #options: RestStreamPipelineOptions;
  #context: CallContext | undefined;
  #response: ResponseStream | undefined;

  constructor(operation: RestStreamOperation, options: RestStreamPipelineOptions) {
    super(operation, options);
    this.#options = options;
  }

  async run(): Promise<void> {
    if (!this.begin()) {
      return;
    }
    const { validate } = this.#options;
    const { exchange, method, invoke, codec, format, writeData } = this.operation;
    try {
      const timeoutMs = codec.timeoutMs(exchange);
      const untilMs = timeoutMs === undefined ? undefined : this.clock.monotonicMs() + timeoutMs;
      if (timeoutMs !== undefined) {
        this.startDeadline(timeoutMs, deadlineReached);
      }
      if (this.ended) {
        return;
      }
      const message = await codec.read(exchange, method.messageLimits);
      if (this.ended) {
        return;
      }
      this.operation.input = message;
      validate(method.desc.input, message, "short");
      if (this.operation.isDryRun) {
        this.#respondToDryRun();
        return;
      }
      this.#context = new CallContext(this.operation, this.clock, untilMs);
      const heartbeats = heartbeatsOf(method.desc);
      for await (const output of withHeartbeats(invoke(message, this.#context), heartbeats, this.clock)) {
        // A handler may continue although its signal was aborted.
        if (this.ended) {
          return;
        }
        if (exchange.method === "HEAD") {
          break;
        }
        // Written before the head is sent: if the first message cannot be written, the call can still fail with its own status.
        const isComment = output === heartbeats?.message && format.heartbeat !== undefined;
        const text = isComment ? format.heartbeat : format.message(writeData(output));
        await this.#open().write(text);
        if (this.ended) {
          return;
        }
      }
      const response = this.#open();
      if (this.complete()) {
        response.end();
      }
    } catch (thrown) {
      this.fail(problemOfThrown(thrown));
    }
  }

  // No stream begins, so the response is the envelope, as for a call that fails before its first message.
  #respondToDryRun(): void {
    const { exchange, codec } = this.operation;
    const { status, headers, body } = codec.writeDryRun(exchange, this.operation.headers);
    if (this.complete()) {
      exchange.respond(status, headers, body);
    }
  }

  // Sends the head before the first message.
  #open(): ResponseStream {
    if (this.#response === undefined) {
      const { exchange, format, headers } = this.operation;
      const own = { "content-type": format.contentType, "x-content-type-options": "nosniff", vary: "accept", ...STREAM_HEADERS };
      const all = responseHeaders(own, headers, this.#context?.headersSet);
      this.#response = exchange.openResponse(200, all, this.signal);
      this.messageSent();
    }
    return this.#response;
  }

  protected override respondWithFailure(problem: Problem): void {
    const { exchange, format } = this.operation;
    super.respondWithFailure(problem);
    this.#context?.abort(problem);
    if (this.#response === undefined) {
      this.sendFailure(problem, this.#context);
    } else if (!this.#response.ended) {
      const { body } = writeProblem(problem, { nowMs: this.clock.nowMs(), requestId: exchange.requestId });
      this.#response.end(format.failure(body));
    }
  }
}

const deadlineReached = (timeoutMs: number): Problem => ({
  reason: "DEADLINE_EXCEEDED",
  message: `The stream has reached its deadline of ${timeoutMs} ms; it was not counted.`,
});
