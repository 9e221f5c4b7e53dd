import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { Exchange, ResponseStream } from "@quintet/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { dialHttp2, fetchHttp2 } from "../../../packages/http/test/listening.ts";
import type { Guard } from "../../../src/guard/guard.ts";
import type { DataService } from "../../../src/services/service.ts";
import { createStack } from "../../fixtures/stack.ts";
import { createScene, credentialOf, radioPlan } from "../../guard/scene.ts";
import { settledBy } from "../../guard/settled-by.ts";

// Returns a message or throws. It may set headers on `context`.
type Handler = (context: HandlerContext) => object;

interface Outcome {
  readonly status: number;
  readonly reason: string;
  /** The calls left this month, as the response's headers say. */
  readonly left: number;
}

interface Stack {
  readonly port: number;
  readonly key: string;
  /** How each call was settled, and whether its response had ended by then. */
  readonly settled: { readonly outcome: string; readonly answered: boolean }[];
  /** How many of the month's calls are left. */
  monthRemaining(): Promise<number>;
}

const CALLS = 100;

interface StackChanges {
  readonly throughConnect?: boolean;
  /** Receives each exchange first. */
  seen?(exchange: Exchange): void;
}

async function serve(handler: Handler, { throughConnect = false, seen }: StackChanges = {}): Promise<Stack> {
  const scene = createScene({ plans: [{ ...radioPlan("free", CALLS), service: "token-price" }] });
  scene.change(credentialOf({ subscription: { service: "token-price" } }));
  const settled: Stack["settled"] = [];
  let exchange: Exchange;
  let inPieces: ResponseStream | undefined;
  const guard: Guard = {
    async admit(admissionRequest) {
      const decision = await scene.guard.admit(admissionRequest);
      return decision.admitted
        ? settledBy(decision, (outcome) => {
            settled.push({
              outcome,
              answered: !throughConnect && isUnary(exchange) ? exchange.responded : (inPieces?.ended ?? exchange.responded),
            });
            decision.settle(outcome);
          })
        : decision;
    },
  };
  const service: DataService<typeof TokenPriceService> = {
    name: "token-price",
    desc: TokenPriceService,
    implementation: {
      getPrices: (_: unknown, context: HandlerContext) => handler(context),
      async *watchPrices(_: unknown, context: HandlerContext) {
        yield handler(context);
      },
    } as never,
    close: async () => {},
  };
  const { clock, log } = scene;
  const listener = createStack({
    services: [service],
    guard,
    clock,
    log,
    throughConnect,
    before: (next) => (started) => {
      exchange = started;
      const openResponse = started.openResponse.bind(started);
      Object.assign(started, {
        openResponse(...head: Parameters<typeof openResponse>) {
          inPieces = openResponse(...head);
          return inPieces;
        },
      });
      seen?.(started);
      next(started);
    },
  });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", 0);
  const monthRemaining = async (): Promise<number> => {
    const decision = await scene.admit({ service: "token-price" });
    return decision.admitted && decision.limits !== undefined ? decision.limits.monthRemaining + 1 : 0;
  };
  return { port, key: scene.key.secret, settled, monthRemaining };
}

// The head of any other response is sent before it is known how the call ends.
const isUnary = ({ path }: Exchange): boolean => path === UNARY || path === UNARY_REST;

const REQUEST = '{"tokens":["coingecko:bitcoin"]}';
const MESSAGE = Buffer.from([0, 0, 0, 0, 19, 10, 17, ...Buffer.from("coingecko:bitcoin")]);
const UNARY_REST = "/token-price/v1/price";
const UNARY = "/quintet.tokenprice.v1.TokenPriceService/GetPrices";
const STREAM_REST = "/token-price/v1/watch";
const STREAM = "/quintet.tokenprice.v1.TokenPriceService/WatchPrices";
const INTERNAL = "INTERNAL";

const leftOf = (ratelimit: unknown): number => Number(/"month";r=(\d+)/.exec(String(ratelimit))?.[1]);

const reasonOf = (body: string): string => (JSON.parse(body) as { error?: { reason: string } }).error?.reason ?? "OK";

async function overHttp1({ port, key }: Stack, path: string): Promise<Outcome> {
  const response = await fetch(`http://127.0.0.1:${port}${path}?tokens=coingecko:bitcoin`, { headers: { "x-gateway-key": key } });
  return {
    status: response.status,
    reason: reasonOf(await response.text()),
    left: leftOf(response.headers.get("ratelimit")),
  };
}

async function overHttp2({ port, key }: Stack, path: string, type: string, body: string | Uint8Array): Promise<Outcome> {
  const fields = { ":method": "POST", ":path": path, "content-type": type, "x-gateway-key": key };
  const received = await fetchHttp2(dialHttp2(port), fields, body);
  const status =
    received.trailers?.["grpc-status"] ?? received.headers["grpc-status"] ?? /grpc-status: (\d+)/.exec(received.body)?.[1];
  const isOk = status === undefined ? received.status === 200 : status === "0";
  return { status: received.status, reason: isOk ? "OK" : INTERNAL, left: leftOf(received.headers.ratelimit) };
}

const CALLERS: Readonly<Record<string, (stack: Stack) => Promise<Outcome>>> = {
  "REST over HTTP/1.1": (stack) => overHttp1(stack, UNARY_REST),
  Connect: (stack) => overHttp2(stack, UNARY, "application/json", REQUEST),
  gRPC: (stack) => overHttp2(stack, UNARY, "application/grpc+proto", MESSAGE),
  "gRPC-Web": (stack) => overHttp2(stack, UNARY, "application/grpc-web+proto", MESSAGE),
};

const prices = { results: [] };
const UNSENDABLE = "\u0001";
// The first value is not valid in protobuf, the second one not in its JSON.
const UNWRITABLE = { decimals: 0.5, recordedAt: { seconds: 10n ** 15n } };

describe.each(Object.entries(CALLERS))("%s:", (name, call) => {
  const okStatus = 200;
  const failedStatus = name.startsWith("gRPC") ? okStatus : 500;

  test("a successful call is settled before its response is sent", async () => {
    const stack = await serve(() => prices);
    expect(await call(stack)).toEqual({ status: okStatus, reason: "OK", left: CALLS - 1 });
    expect(stack.settled).toEqual([{ outcome: "OK", answered: false }]);
    expect(await stack.monthRemaining()).toBe(CALLS - 1);
  });

  const failures: readonly (readonly [string, Handler])[] = [
    ["a message that cannot be written", () => ({ results: [UNWRITABLE] })],
    [
      "a header that cannot be sent",
      ({ responseHeader }) => {
        responseHeader.set("x-mark", UNSENDABLE);
        return prices;
      },
    ],
    [
      "an error with a header that cannot be sent",
      () => {
        throw new ConnectError("told", Code.DataLoss, { "x-mark": UNSENDABLE });
      },
    ],
  ];
  test.each(failures)("%s is a failure on our side, settled once and refunded", async (_, handler) => {
    const stack = await serve(handler);
    expect(await call(stack)).toEqual({ status: failedStatus, reason: INTERNAL, left: CALLS });
    expect(stack.settled).toEqual([{ outcome: INTERNAL, answered: false }]);
    expect(await stack.monthRemaining()).toBe(CALLS);
  });
});

const connectMessage = Buffer.concat([Buffer.from([0, 0, 0, 0, REQUEST.length]), Buffer.from(REQUEST)]);

describe("a call outside the unary pipeline is settled before its response ends:", () => {
  test.each<[string, (stack: Stack) => Promise<Outcome>]>([
    ["a stream of REST over HTTP/1.1", (stack) => overHttp1(stack, STREAM_REST)],
    ["a stream of Connect", (stack) => overHttp2(stack, STREAM, "application/connect+json", connectMessage)],
    ["a stream of gRPC", (stack) => overHttp2(stack, STREAM, "application/grpc+proto", MESSAGE)],
    ["a stream of gRPC-Web", (stack) => overHttp2(stack, STREAM, "application/grpc-web+proto", MESSAGE)],
    ["a unary call of Connect", (stack) => overHttp2(stack, UNARY, "application/json", REQUEST)],
    ["a unary call of gRPC", (stack) => overHttp2(stack, UNARY, "application/grpc+proto", MESSAGE)],
  ])("%s", async (_, call) => {
    const stack = await serve(() => prices, { throughConnect: true });
    expect(await call(stack)).toEqual({ status: 200, reason: "OK", left: CALLS - 1 });
    expect(stack.settled).toEqual([{ outcome: "OK", answered: false }]);
    expect(await stack.monthRemaining()).toBe(CALLS - 1);
  });

  test.each<[string, (stack: Stack) => Promise<Outcome>, Outcome]>([
    ["a stream", (stack) => overHttp1(stack, STREAM_REST), { status: 500, reason: INTERNAL, left: CALLS }],
    [
      "a unary call",
      (stack) => overHttp2(stack, UNARY, "application/grpc+proto", MESSAGE),
      { status: 200, reason: INTERNAL, left: CALLS },
    ],
  ])("%s that fails is settled once, with its reason", async (_, call, heard) => {
    const broken = (): never => {
      throw new Error("It is broken.");
    };
    const stack = await serve(broken, { throughConnect: true });
    expect(await call(stack)).toEqual(heard);
    expect(stack.settled).toEqual([{ outcome: INTERNAL, answered: false }]);
    expect(await stack.monthRemaining()).toBe(CALLS);
  });
});

describe("a stream that cannot be sent is a failure on our side, settled once and refunded:", () => {
  const unwritable: Handler = () => ({ results: [UNWRITABLE] });
  const unsendable: Handler = ({ responseHeader }) => {
    responseHeader.set("x-mark", UNSENDABLE);
    return prices;
  };
  test.each<[string, Handler, (stack: Stack) => Promise<Outcome>, number]>([
    ["a message over REST", unwritable, (stack) => overHttp1(stack, STREAM_REST), 500],
    ["a header over REST", unsendable, (stack) => overHttp1(stack, STREAM_REST), 500],
    ["a message over gRPC", unwritable, (stack) => overHttp2(stack, STREAM, "application/grpc+proto", MESSAGE), 200],
    ["a message over gRPC-Web", unwritable, (stack) => overHttp2(stack, STREAM, "application/grpc-web+proto", MESSAGE), 200],
  ])("%s", async (_, handler, call, status) => {
    const stack = await serve(handler);
    expect(await call(stack)).toEqual({ status, reason: INTERNAL, left: CALLS });
    expect(stack.settled).toEqual([{ outcome: INTERNAL, answered: false }]);
    expect(await stack.monthRemaining()).toBe(CALLS);
  });
});

test("if the transport refuses to send a settled response, the caller gets another, and the call stays settled as OK", async () => {
  const stack = await serve(() => prices, {
    seen(exchange) {
      const { respond } = exchange;
      Object.assign(exchange, {
        respond() {
          Object.assign(exchange, { respond });
          throw new TypeError("It is refused.");
        },
      });
    },
  });
  // Any of the headers may be the reason, so none is sent.
  expect(await overHttp1(stack, UNARY_REST)).toEqual({ status: 500, reason: INTERNAL, left: Number.NaN });
  expect(stack.settled).toEqual([{ outcome: "OK", answered: false }]);
  expect(await stack.monthRemaining()).toBe(CALLS - 1);
});
