// The outermost interceptor of the Connect pipeline. It ends each call's lifecycle when connect-es ends the call, and replaces
// connect-es's errors with our own problems: for defects, deadlines, and faults in a stream's frames and messages.
import { Code, ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import { Failure, problemOf } from "../../problem/failure.ts";
import { internalProblem, type Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import { tooLarge } from "./compression.ts";
import { heartbeatsOf, withHeartbeats } from "./heartbeats.ts";
import { retryPushback } from "./retry-pushback.ts";
import type { StreamLifecycle } from "./stream-lifecycle.ts";

/** Where the interceptor finds the stream of a call. */
export const streamKey = createContextKey<StreamLifecycle | undefined>(undefined, { description: "the stream of a call" });

// The problems of a request's messages, by the codes of the errors that connect-es throws.
const STREAM_PROBLEMS: Partial<Record<Code, Problem>> = {
  [Code.InvalidArgument]: { reason: "MALFORMED_REQUEST", message: "The request's frames or messages are not well-formed." },
  [Code.Unimplemented]: {
    reason: "ENCODING_UNKNOWN",
    message: "The request's compression is not supported; use gzip, identity or none.",
  },
  [Code.Internal]: {
    reason: "COMPRESSION_UNNAMED",
    message: "A message of the request is marked as compressed, but no compression is named.",
  },
};
const DEADLINE_EXCEEDED: Problem = {
  reason: "DEADLINE_EXCEEDED",
  message: "The call took longer than its deadline; it was not counted.",
};
const UNWRITABLE: Problem = internalProblem(new Error("a message of the stream could not be written"));
const CANCELLED: Problem = { reason: "CANCELLED", message: "The caller has disconnected." };

async function* withOurProblems<Item>(messages: AsyncIterable<Item>, messageBytesMax: number): AsyncGenerator<Item> {
  try {
    yield* messages;
  } catch (thrown) {
    // Not `instanceof RefusedMessage`: ConnectError overrides it, so it would be true for any ConnectError.
    if (thrown instanceof ConnectError && "isRefusedMessage" in thrown) {
      throw thrown;
    }
    const code = thrown instanceof ConnectError ? thrown.code : undefined;
    const problem = code === Code.ResourceExhausted ? tooLarge(messageBytesMax) : code && STREAM_PROBLEMS[code];
    throw problem === undefined ? thrown : new Failure({ ...problem, cause: thrown });
  }
}

// Why a call was aborted: by a problem, its deadline, or its caller. Whatever the handler throws then is a consequence.
function problemOfSignal({ aborted, reason }: AbortSignal): Problem | undefined {
  if (!aborted) {
    return undefined;
  }
  if (reason instanceof ConnectError && "problem" in reason) {
    return problemOf(reason);
  }
  return reason instanceof ConnectError && reason.code === Code.DeadlineExceeded ? DEADLINE_EXCEEDED : CANCELLED;
}

// The problem as connect-es sends it. In gRPC and gRPC-Web, its metadata become trailers.
function errorOf(problem: Problem, requestHeader: Headers): ConnectError {
  const error = problem.originalError ?? new Failure(problem);
  if (requestHeader.get("content-type")?.startsWith("application/grpc")) {
    for (const [name, value] of Object.entries(retryPushback(problem))) {
      error.metadata.set(name, value);
    }
  }
  return error;
}

interface ConnectInterceptorOptions {
  /** The longest message that connect-es reads. */
  readonly messageBytesMax: number;
  /** Times the heartbeats. */
  readonly clock: Pick<Clock, "after">;
}

export function createConnectInterceptor({ messageBytesMax, clock }: ConnectInterceptorOptions): Interceptor {
  return (next) => async (request) => {
    const stream = request.contextValues.get(streamKey);
    const failed = (thrown: unknown): Error => {
      const ended = problemOfSignal(request.signal) ?? problemOf(thrown);
      const problem = stream?.rewordForStream(ended) ?? ended;
      stream?.fail(problem);
      return errorOf(problem, request.header);
    };
    try {
      const response = await next(
        request.stream ? { ...request, message: withOurProblems(request.message, messageBytesMax) } : request,
      );
      if (!response.stream) {
        stream?.complete();
        return response;
      }
      const messages = withHeartbeats(response.message, heartbeatsOf(request.method), clock);
      const recorded = (async function* () {
        try {
          for await (const message of messages) {
            // A handler may continue although its signal was aborted.
            if (stream?.ended) {
              throw request.signal.reason;
            }
            stream?.messageSent();
            yield message;
          }
          if (stream?.complete() === false) {
            throw request.signal.reason;
          }
        } catch (thrown) {
          throw failed(thrown);
        } finally {
          // connect-es stopped taking messages while the caller is still there: it could not write the last one.
          stream?.fail(UNWRITABLE);
        }
      })();
      return { ...response, message: recorded };
    } catch (thrown) {
      throw failed(thrown);
    }
  };
}
