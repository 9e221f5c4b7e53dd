// The way of a call, put together as the app does it, around services that a test brings: listener, front, both lanes, and whichever
// guard the test wants.
import type { Clock } from "../../src/clock.ts";
import type { Guard } from "../../src/guard/guard.ts";
import type { MessageLimits } from "../../src/lanes/codec.ts";
import { createConnectLane } from "../../src/lanes/connect-lane.ts";
import { collectMethods, type GatedService } from "../../src/lanes/method.ts";
import { createRestStreamLane } from "../../src/lanes/rest-stream-lane.ts";
import { createUnaryLane } from "../../src/lanes/unary-lane.ts";
import { createValidation } from "../../src/lanes/validation.ts";
import type { Log } from "../../src/log.ts";
import { systemRandomness } from "../../src/randomness.ts";
import { transportAnswer } from "../../src/rest/respond.ts";
import { compileRoutes } from "../../src/rest/routes.ts";
import type { Handle } from "../../src/server/exchange.ts";
import type { Found } from "../../src/server/found.ts";
import { createFront } from "../../src/server/front.ts";
import { createKeyGate } from "../../src/server/gate.ts";
import { defaultServerLimits, type ServerLimits } from "../../src/server/limits.ts";
import { createListener, type Listener } from "../../src/server/listener.ts";
import { createRestFront } from "../../src/server/rest-front.ts";
import { createRpcFront } from "../../src/server/rpc-front.ts";
import type { TlsFiles } from "../../src/server/tls.ts";
import type { DataService } from "../../src/services/service.ts";

/** What a stack is made of. */
export interface StackOptions {
  readonly services: readonly DataService[];
  /** Served beside them, each behind the gate that it brings. */
  readonly gatedServices?: readonly GatedService[];
  readonly guard: Guard;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends every RPC through connect-es, unary ones too, which the product does for streams alone. */
  readonly throughConnect?: boolean;
  readonly serverLimits?: Partial<ServerLimits>;
  readonly messageLimits?: MessageLimits;
  readonly callTimeoutMsMax?: number;
  readonly tls?: TlsFiles | undefined;
  /** Stands before the front: sees each exchange first, and hands it on. */
  readonly before?: (next: Handle) => Handle;
}

const overConnect = (found: Found): Found =>
  found.kind === "call" ? { kind: "stream", method: found.method, fail: found.codec.fail.bind(found.codec) } : found;

/** Makes the stack; it does not listen yet. */
export function createStack(options: StackOptions): Listener {
  const { guard, clock, log, throughConnect = false, callTimeoutMsMax = 20_000, before = (next) => next } = options;
  const serverLimits = { ...defaultServerLimits, ...options.serverLimits };
  const limits = options.messageLimits ?? {
    bodyBytesMax: serverLimits.bodyBytesMax,
    messageBytesMax: serverLimits.decompressedBytesMax,
    takesGzip: true,
    isCallerKnown: true,
  };
  const services: readonly GatedService[] = [
    ...options.services.map((service) => ({
      ...service,
      gate: createKeyGate({ guard, service: service.name, marks: {}, isSandbox: false }),
    })),
    ...(options.gatedServices ?? []),
  ];
  const validate = createValidation();
  const methods = collectMethods(services);
  const routed = services.flatMap(({ desc }) => desc.methods);
  const rest = createRestFront({ routes: compileRoutes(routed), methods, clock });
  const findRpc = createRpcFront(methods, rest.fail);
  const draining = new AbortController().signal;
  const front = createFront({
    find(exchange) {
      const rpc = findRpc(exchange);
      return (throughConnect && rpc !== undefined ? overConnect(rpc) : rpc) ?? rest.find(exchange);
    },
    unaryLane: createUnaryLane({ clock, log, limits, validate, callTimeoutMsMax }),
    connectLane: createConnectLane({ services, validate, limits, log, clock, draining }),
    restStreamLane: createRestStreamLane({ clock, log, limits, validate, draining }),
    documents: new Map(),
  });
  return createListener({
    limits: serverLimits,
    tls: options.tls,
    clock,
    randomness: systemRandomness,
    log,
    handle: before(front),
    transportAnswer: (problem, requestId) => transportAnswer(problem, { nowMs: clock.nowMs(), requestId }),
  });
}
