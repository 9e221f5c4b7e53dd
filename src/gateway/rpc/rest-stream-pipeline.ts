// REST's pipeline for methods that answer with a stream: read and bind the input, call, and write each message as it comes. What fails before
// the first message is an answer like any other; what fails later is the stream's last word. Every admitted call is settled exactly once.
import type { OutgoingHttpHeaders } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import type { Admitted } from "../../guard/guard.ts";
import type { Exchange } from "../../http/exchange.ts";
import { openResponseStream, type ResponseStream } from "../../http/response-stream.ts";
import { problemOf } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { writeProblem } from "../rest/respond.ts";
import { problemOfThrown } from "../transport-problem.ts";
import type { Codec, MessageLimits } from "./codec.ts";
import type { InvokeStream } from "./invoke.ts";
import type { Method } from "./method.ts";
import { responseHeaders } from "./response-metadata.ts";
import type { StreamFormat } from "./stream-format.ts";
import { StreamLifecycle } from "./stream-lifecycle.ts";
import { UnaryCall } from "./unary-call.ts";
import type { Validate } from "./validation.ts";

/** Shorter than what most proxies take for a dead connection. */
const HEARTBEAT_MS = 15_000;

/** What the pipeline works with. */
export interface RestStreamPipelineOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: MessageLimits;
  readonly validate: Validate;
  /** Aborts when the server begins to shut down. */
  readonly draining: AbortSignal;
}

/** A call on its way: the dispatcher's findings and the guard's yes. */
export interface AdmittedRestStream {
  readonly exchange: Exchange;
  readonly method: Method;
  readonly invoke: InvokeStream;
  /** Reads the input, and answers what fails before the first message. */
  readonly codec: Pick<Codec, "protocolName" | "timeoutMs" | "read" | "fail">;
  readonly format: StreamFormat;
  /** Writes one message as JSON, in one line. */
  readonly writeData: (output: Message) => string;
  readonly admitted: Admitted;
  /** Headers for the answer, whatever it is. */
  readonly headers: OutgoingHttpHeaders;
}

const CANCELLED: Problem = { reason: "CANCELLED", message: "The caller went away." };

/** Runs admitted calls. It answers each one and never throws or rejects. */
export type RestStreamPipeline = (stream: AdmittedRestStream) => void;

/** Makes the pipeline. */
export function createRestStreamPipeline(options: RestStreamPipelineOptions): RestStreamPipeline {
  return (stream) => {
    // It never rejects: there is nobody to tell.
    new Run(options, stream).run();
  };
}

/** One admitted stream, from the reading of its input to its end. */
class Run {
  readonly #options: RestStreamPipelineOptions;
  readonly #stream: AdmittedRestStream;
  readonly #life: StreamLifecycle;
  #call: UnaryCall | undefined;
  #answer: ResponseStream | undefined;
  #cancelHeartbeat: () => void = () => {};

  constructor(options: RestStreamPipelineOptions, stream: AdmittedRestStream) {
    this.#options = options;
    this.#stream = stream;
    this.#life = new StreamLifecycle(stream.admitted, options.clock, options.draining);
  }

  async run(): Promise<void> {
    const life = this.#life;
    const { exchange, codec } = this.#stream;
    exchange.onEnd((completed) => {
      if (!completed) {
        life.end(CANCELLED);
      }
    });
    let cancelDeadline: (() => void) | undefined;
    try {
      const timeoutMs = codec.timeoutMs(exchange);
      if (timeoutMs === 0) {
        life.end(deadlineReached(timeoutMs));
      } else if (timeoutMs !== undefined) {
        cancelDeadline = this.#options.clock.after(timeoutMs, () => life.end(deadlineReached(timeoutMs)));
      }
      await this.#pass(timeoutMs);
      // Settled before its end is heard: who dies in between has given nothing away.
      life.settle("OK", true);
      this.#answer?.end();
    } catch (thrown) {
      this.#fail(life.problem ?? problemOfThrown(thrown));
    } finally {
      cancelDeadline?.();
      this.#cancelHeartbeat();
    }
  }

  // Passes the messages on until there are no more.
  async #pass(timeoutMs: number | undefined): Promise<void> {
    const { clock, limits, validate } = this.#options;
    const { exchange, method, invoke, codec, format, writeData, admitted } = this.#stream;
    const untilMs = timeoutMs === undefined ? undefined : clock.monotonicMs() + timeoutMs;
    const { signal } = this.#life;
    signal.throwIfAborted();
    const message = await codec.read(exchange, limits);
    signal.throwIfAborted();
    validate(method.desc.input, message);
    const call = new UnaryCall(exchange, method, admitted, codec.protocolName, message, { clock, untilMs });
    this.#call = call;
    signal.addEventListener("abort", () => call.abort(problemOf(signal.reason)), { once: true });
    for await (const output of invoke(call)) {
      this.#answer ??= this.#open();
      if (exchange.method === "HEAD") {
        break;
      }
      await this.#answer.write(format.message(writeData(output)));
      // Not every handler listens.
      signal.throwIfAborted();
    }
    this.#answer ??= this.#open();
  }

  #open(): ResponseStream {
    const { exchange, format, headers } = this.#stream;
    const own = { "content-type": format.contentType, "cache-control": "no-store", vary: "accept" };
    const answer = openResponseStream(exchange, 200, responseHeaders(own, headers, this.#call?.headersSet), this.#life.signal);
    this.#beat(answer);
    return answer;
  }

  #beat(answer: ResponseStream): void {
    const { heartbeat } = this.#stream.format;
    if (heartbeat !== undefined) {
      this.#cancelHeartbeat = this.#options.clock.after(HEARTBEAT_MS, () => {
        answer.write(heartbeat).then(() => {
          if (!answer.ended) {
            this.#beat(answer);
          }
        });
      });
    }
  }

  #fail(problem: Problem): void {
    const { log, clock } = this.#options;
    const { exchange, method, codec, format, headers } = this.#stream;
    const answer = this.#answer;
    this.#life.end(problem);
    this.#life.settle(problem.reason, answer !== undefined);
    if (problem.reason === "INTERNAL") {
      log.error({ err: problem.cause, method: method.fullName, request_id: exchange.requestId }, "a call failed by a defect");
    }
    if (answer === undefined) {
      codec.fail(exchange, problem, headers, this.#call);
    } else {
      const { body } = writeProblem(problem, { nowMs: clock.nowMs(), requestId: exchange.requestId });
      answer.end(format.failure(body));
    }
  }
}

const deadlineReached = (timeoutMs: number): Problem => ({
  reason: "DEADLINE_EXCEEDED",
  message: `The stream has reached its deadline of ${timeoutMs} ms.`,
});
