// The Connect pipeline: connect-es's own handlers, for streaming methods and for whatever the unary pipeline does not take. It runs the same
// implementations after the same validation, and settles each call once, before the end of its answer can be heard.
import type { OutgoingHttpHeaders } from "node:http";
import { type ConnectRouter, createConnectRouter } from "@connectrpc/connect";
import { compressionGzip, universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { Admitted } from "../../guard/guard.ts";
import { type BodyRoom, noRoomForBody, withinRoom } from "../../http/body-budget.ts";
import type { Exchange } from "../../http/exchange.ts";
import { internalProblem, type Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Service } from "../../services/service.ts";
import type { Fail } from "../route-match.ts";
import { bodyWithFailures } from "../transport-problem.ts";
import type { MessageLimits } from "./codec.ts";
import { jsonOptionsOf } from "./method.ts";
import { type Outcome, outcomeKey, recordOutcome } from "./outcome.ts";
import { StreamLifecycle } from "./stream-lifecycle.ts";
import { capTimeouts } from "./timeout.ts";
import { CallValues, HIDDEN_HEADERS } from "./unary-call.ts";
import { type Validate, validationInterceptor } from "./validation.ts";

/** What the pipeline works with. */
export interface ConnectPipelineOptions {
  readonly services: readonly Service[];
  readonly validate: Validate;
  readonly limits: MessageLimits;
  readonly log: Log;
  readonly clock: Clock;
  /** Aborts when the server begins to shut down. */
  readonly draining: AbortSignal;
}

/** A call on its way, of any RPC protocol and any kind of method: the dispatcher's findings and the guard's yes. */
interface AdmittedStream {
  readonly exchange: Exchange;
  readonly admitted: Admitted;
  /** Headers for the answer, whatever it is. */
  readonly headers: OutgoingHttpHeaders;
  /** Answers where the handlers cannot even be asked. */
  readonly fail: Fail;
}

/** Runs admitted calls. It answers each one and never throws or rejects. */
export type ConnectPipeline = (stream: AdmittedStream) => void;

type Handler = ConnectRouter["handlers"][number];

const UNREADABLE: Problem = { reason: "MALFORMED_REQUEST", message: "The request's path and host do not make a URL." };

/** Makes the pipeline. */
export function createConnectPipeline({
  services,
  validate,
  limits,
  log,
  clock,
  draining,
}: ConnectPipelineOptions): ConnectPipeline {
  const router = createConnectRouter({
    interceptors: [recordOutcome(log), validationInterceptor(validate)],
    acceptCompression: [compressionGzip],
    readMaxBytes: limits.messageBytesMax,
    jsonOptions: jsonOptionsOf(services),
  });
  for (const service of services) {
    // No options here: they would replace the router's interceptors.
    router.service(service.desc, service.implementation);
  }
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  return (stream) => {
    const { exchange, admitted, headers, fail } = stream;
    const outcome: Outcome = { reason: undefined, begun: false };
    const handler = handlers.get(exchange.path);
    const isStream = handler !== undefined && handler.method.methodKind !== "unary";
    const life = isStream ? new StreamLifecycle(admitted, clock, draining) : undefined;
    let settled = false;
    const settle = (completed: boolean): void => {
      if (settled) {
        return;
      }
      settled = true;
      // No interceptor ran: the handler refused the request's head, frames or bytes before there was a call.
      const reason = outcome.reason ?? (completed ? "MALFORMED_REQUEST" : "CANCELLED");
      if (life === undefined) {
        admitted.settle(reason);
      } else {
        life.settle(reason, outcome.begun);
      }
    };
    let ended = false;
    exchange.onEnd((completed) => {
      ended = true;
      settle(completed);
    });
    if (ended) {
      // The caller went away while the guard was asked.
      return;
    }
    const room = exchange.reserveBody(limits.messageBytesMax, true);
    if (room === undefined) {
      outcome.reason = "SERVER_BUSY";
      settle(true);
      fail(exchange, noRoomForBody().fault, headers);
      return;
    }
    // Of a stream of messages each is let go of when the next comes.
    const body = handler?.method.methodKind === "server_streaming" ? room : undefined;
    exchange.onEnd(() => room.release());
    const request = handler && universalRequestOf(stream, outcome, life?.signal, body);
    if (handler === undefined || request === undefined) {
      settle(true);
      fail(exchange, UNREADABLE, headers);
      return;
    }
    answer(handler, request, stream, outcome, settle).catch((thrown) => {
      log.debug({ err: thrown, path: exchange.path }, "an answer could not be sent whole");
      if (exchange.responded) {
        exchange.response.destroy();
      } else {
        outcome.reason = "INTERNAL";
        settle(true);
        fail(exchange, internalProblem(thrown), headers);
      }
    });
  };
}

type UniversalRequest = ReturnType<typeof universalRequestFromNodeRequest>;

// `life` ends a stream, beside what ends its request. `room` is what its body has, where it is held whole.
function universalRequestOf(
  { exchange, admitted }: AdmittedStream,
  outcome: Outcome,
  life: AbortSignal | undefined,
  room: BodyRoom | undefined,
): UniversalRequest | undefined {
  const { request, response } = exchange;
  for (const name of HIDDEN_HEADERS) {
    delete request.headers[name];
  }
  capTimeouts(request.headers);
  try {
    const values = new CallValues(admitted).set(outcomeKey, outcome);
    // A request that is destroyed half-read takes its answer with it.
    const chunks: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
    const universal = {
      ...universalRequestFromNodeRequest(request, response, undefined, values),
      // connect-es refuses bidirectional streams over HTTP/1.1 by the version, although those that take turns work.
      httpVersion: "2",
      body: room === undefined ? chunks : bodyWithFailures(withinRoom(chunks, room)),
    };
    if (life === undefined) {
      return universal;
    }
    // Silence is part of a stream, and no reason to close the connection.
    response.setTimeout(0);
    return { ...universal, signal: AbortSignal.any([life, universal.signal]) };
  } catch {
    return undefined;
  }
}

async function answer(
  handler: Handler,
  request: UniversalRequest,
  { exchange, headers }: AdmittedStream,
  outcome: Outcome,
  settle: (completed: boolean) => void,
): Promise<void> {
  const { response } = exchange;
  const answered = await handler(request);
  response.setHeader("x-request-id", exchange.requestId);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) {
      response.setHeader(name, value);
    }
  }
  const body = thenTheBody(answered.body, exchange, outcome, settle);
  await universalResponseToNodeResponse({ ...answered, body }, response);
}

// Settles the call, and lets in what is left of the body, before the last of the answer, which is written once the outcome is known.
async function* thenTheBody(
  chunks: AsyncIterable<Uint8Array> | undefined,
  exchange: Exchange,
  outcome: Outcome,
  settle: (completed: boolean) => void,
): AsyncGenerator<Uint8Array> {
  let dismissed: Promise<void> | undefined;
  for await (const chunk of chunks ?? []) {
    if (outcome.reason !== undefined) {
      settle(true);
      dismissed ??= exchange.dismissBody();
      await dismissed;
    }
    yield chunk;
  }
  settle(true);
  await (dismissed ?? exchange.dismissBody());
}
