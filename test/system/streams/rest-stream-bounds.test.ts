// What limits a stream. A caller who does not read stops the handler, and is cut off after the stall timeout. A REST caller's deadline ends
// the stream. The handler belongs to the test, everything else is the product, and the test moves the clock.
import { once } from "node:events";
import { constants } from "node:http2";
import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { dial, dialHttp2, turns, until } from "../../../packages/http/test/listening.ts";
import type { Admitted, Guard } from "../../../src/guard/guard.ts";
import type { DataService } from "../../../src/services/service.ts";
import type { ManualClock } from "../../fixtures/manual-clock.ts";
import { createStack } from "../../fixtures/stack.ts";
import { createScene, credentialOf, radioPlan } from "../../guard/scene.ts";
import { settledBy } from "../../guard/settled-by.ts";

// No other timer has this length.
const STALL_MS = 7777;
const PIECE_BYTES = 64 * 1024;

interface Stage {
  readonly port: number;
  readonly key: string;
  readonly clock: ManualClock;
  readonly settled: string[];
  /** How many messages have been requested from the handler. */
  readonly sent: () => number;
  /** Whether the handler has been stopped. */
  readonly stopped: () => boolean;
}

type Messages = (context: HandlerContext, count: () => void) => AsyncGenerator<object>;

const message = { missing: ["m".repeat(PIECE_BYTES)] };

async function serve(messages: Messages, callsPerMonth = 100): Promise<Stage> {
  const scene = createScene({ plans: [{ ...radioPlan("free", callsPerMonth), service: "token-price" }] });
  scene.change(credentialOf({ subscription: { service: "token-price" } }));
  const settled: string[] = [];
  const guard: Guard = {
    async admit(admissionRequest) {
      const decision = (await scene.guard.admit(admissionRequest)) as Admitted;
      return settledBy(decision, (outcome) => {
        settled.push(outcome);
        decision.settle(outcome);
      });
    },
  };
  let sent = 0;
  let stopped = false;
  const implementation = {
    async *watchPrices(_: unknown, context: HandlerContext) {
      try {
        yield* messages(context, () => {
          sent += 1;
        });
      } finally {
        stopped = true;
      }
    },
  };
  const { clock, log } = scene;
  const service = { name: "token-price", desc: TokenPriceService, implementation, close: async () => {} };
  const listener = createStack({
    services: [service as unknown as DataService],
    guard,
    clock,
    log,
    serverLimits: { stallTimeoutMs: STALL_MS },
  });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", 0);
  return { port, key: scene.key.secret, clock, settled, sent: () => sent, stopped: () => stopped };
}

// Sends more than all buffers on the way to the caller can hold. Ignores the signal.
async function* endless(_: HandlerContext, count: () => void): AsyncGenerator<object> {
  for (;;) {
    count();
    yield message;
    await new Promise(setImmediate);
  }
}

/** Waits until nothing more is sent, and returns how many messages were sent. */
async function untilStill(stage: Stage): Promise<number> {
  for (;;) {
    const sent = stage.sent();
    await turns(50);
    if (stage.sent() === sent) {
      return sent;
    }
  }
}

const PATH = "/token-price/v1/watch?tokens=coingecko:bitcoin";

interface Caller {
  /** Starts reading. */
  read(): void;
  received(): string;
  /** Closes the connection, or resets the stream. */
  leave(): void;
  /** Resolves when the response has ended, in any way. */
  readonly ended: Promise<unknown>;
}

interface HeadersSent {
  readonly [name: string]: string;
}

// Callers that do not read before `read` is called.
const callers: Readonly<Record<string, (stage: Stage, headers?: HeadersSent) => Promise<Caller>>> = {
  async "HTTP/1.1"({ port, key }, headers = {}) {
    const { socket } = await dial(port);
    socket.pause();
    let received = "";
    socket.on("data", (text: string) => {
      received += text;
      if (text.endsWith("\r\n0\r\n\r\n")) {
        socket.end();
      }
    });
    socket.pause();
    const lines = Object.entries({ host: "a", "x-gateway-key": key, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${PATH} HTTP/1.1\r\n${lines.join("")}\r\n`);
    return {
      read: () => socket.resume(),
      received: () => received,
      leave: () => socket.destroy(),
      ended: new Promise((end) => socket.once("close", end)),
    };
  },
  async "HTTP/2"({ port, key }, headers = {}) {
    const stream = dialHttp2(port).request({ ":path": PATH, "x-gateway-key": key, ...headers });
    let received = "";
    stream.on("error", () => {});
    const ended = new Promise((end) => stream.once("close", end));
    await once(stream, "ready");
    return {
      read: () => stream.on("data", (chunk: Buffer) => (received += chunk)),
      received: () => received,
      leave: () => stream.close(constants.NGHTTP2_CANCEL),
      ended,
    };
  },
};

const RPC_PATH = "/quintet.tokenprice.v1.TokenPriceService/WatchPrices";
const REQUESTED = Buffer.from('{"tokens":["coingecko:bitcoin"]}');
const ENVELOPED = Buffer.concat([Buffer.from([0, 0, 0, 0, REQUESTED.length]), REQUESTED]);
const rpcOverHttp2 =
  (contentType: string) =>
  async ({ port, key }: Stage): Promise<Caller> => {
    const headers = { ":method": "POST", ":path": RPC_PATH, "x-gateway-key": key, "content-type": contentType, te: "trailers" };
    const stream = dialHttp2(port).request(headers);
    let received = "";
    stream.on("error", () => {});
    stream.end(ENVELOPED);
    const ended = new Promise((end) => stream.once("close", end));
    await once(stream, "ready");
    return {
      read: () => stream.on("data", (chunk: Buffer) => (received += chunk)),
      received: () => received,
      leave: () => stream.close(constants.NGHTTP2_CANCEL),
      ended,
    };
  };

const rpcOverHttp1 =
  (contentType: string) =>
  async ({ port, key }: Stage): Promise<Caller> => {
    const peer = await dial(port);
    peer.socket.pause();
    const head = [`POST ${RPC_PATH} HTTP/1.1`, "host: a", `x-gateway-key: ${key}`, `content-type: ${contentType}`];
    peer.send(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\ncontent-length: ${ENVELOPED.length}\r\n\r\n`), ENVELOPED]));
    return { read: () => peer.socket.resume(), received: peer.received, leave: () => peer.socket.destroy(), ended: peer.closed() };
  };

// The same stream as an RPC, which connect-es handles.
const rpcCallers: Readonly<Record<string, (stage: Stage) => Promise<Caller>>> = {
  "HTTP/1.1, by Connect": rpcOverHttp1("application/connect+json"),
  "HTTP/1.1, by gRPC-Web": rpcOverHttp1("application/grpc-web+json"),
  "HTTP/2, by Connect": rpcOverHttp2("application/connect+json"),
  "HTTP/2, by gRPC-Web": rpcOverHttp2("application/grpc-web+json"),
  "HTTP/2, by gRPC": rpcOverHttp2("application/grpc+json"),
};

describe.each(Object.entries({ ...callers, ...rpcCallers }))("over %s", (_, call) => {
  test("a caller who does not read stops the handler, and is cut off after the stall timeout", async () => {
    const stage = await serve(endless);
    const caller = await call(stage);
    await until(() => stage.clock.hasAlarmIn(STALL_MS));
    const sent = await untilStill(stage);
    stage.clock.advance(STALL_MS - 1);
    await turns(50);
    expect({ sent: stage.sent(), stopped: stage.stopped(), settled: stage.settled }).toEqual({ sent, stopped: false, settled: [] });
    stage.clock.advance(1);
    caller.read();
    await caller.ended;
    await until(() => stage.settled.length > 0 && stage.stopped());
    expect({ settled: stage.settled, waits: stage.clock.hasAlarmIn(STALL_MS) }).toEqual({ settled: ["CANCELLED"], waits: false });
  });
});

describe.each(Object.entries(callers))("over %s", (_, call) => {
  test("a caller who resumes reading in time gets the whole stream", async () => {
    const count = 200;
    const stage = await serve(async function* (_context, counted) {
      for (let index = 0; index < count; index += 1) {
        counted();
        yield message;
      }
    });
    const caller = await call(stage);
    await until(() => stage.clock.hasAlarmIn(STALL_MS));
    expect(await untilStill(stage)).toBeLessThan(count);
    stage.clock.advance(STALL_MS - 1);
    caller.read();
    await until(() => stage.settled.length > 0);
    await caller.ended;
    expect({ settled: stage.settled, lines: caller.received().split('{"results":[]').length - 1 }).toEqual({
      settled: ["OK"],
      lines: count,
    });
  });

  test.each([
    { name: "ends a silent stream", header: "30", endsAfterMs: 30_000, first: true },
    { name: "ends a stream whose handler ignores its signal", header: "1.5", endsAfterMs: 1500, first: false },
  ])("a deadline $name", async ({ header, endsAfterMs, first }) => {
    const stage = await serve(
      first
        ? async function* ({ signal }, counted) {
            counted();
            yield {};
            await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          }
        : async function* (_context, counted) {
            for (;;) {
              counted();
              yield {};
              await new Promise(setImmediate);
            }
          },
    );
    const caller = await call(stage, { "x-server-timeout": header });
    caller.read();
    await until(() => stage.sent() > 0 && caller.received().includes('{"results":[]'));
    stage.clock.advance(endsAfterMs - 1);
    await turns(20);
    expect(stage.settled).toEqual([]);
    stage.clock.advance(1);
    await caller.ended;
    const last = caller.received().match(/\{"data":null.*\}/)?.[0] ?? "{}";
    expect({ settled: stage.settled, stopped: stage.stopped(), message: JSON.parse(last).message }).toEqual({
      // A message was sent, so the minute is paid.
      settled: ["OK"],
      stopped: true,
      message: `The stream has reached its deadline of ${endsAfterMs} ms; the stream's last minute is counted.`,
    });
  });
});

test.each([
  { header: "0", status: 504, reason: "DEADLINE_EXCEEDED" },
  { header: "0.000", status: 504, reason: "DEADLINE_EXCEEDED" },
  { header: "soon", status: 400, reason: "MALFORMED_REQUEST" },
  { header: "1.2345", status: 400, reason: "MALFORMED_REQUEST" },
])("a deadline of $header gets the status $status, and the handler is not called", async ({ header, status, reason }) => {
  const stage = await serve(endless);
  const headers = { "x-gateway-key": stage.key, "x-server-timeout": header };
  const response = await fetch(`http://127.0.0.1:${stage.port}${PATH}`, { headers });
  const { error } = (await response.json()) as { error: { reason: string } };
  expect({ status: response.status, reason: error.reason, settled: stage.settled, sent: stage.sent() }).toEqual({
    status,
    reason,
    settled: [reason],
    sent: 0,
  });
});

// Sends nothing, and ignores its signal.
async function* stuck(_: HandlerContext, count: () => void): AsyncGenerator<object> {
  count();
  await new Promise(() => {});
}

describe("a handler that ignores its signal", () => {
  test.each(Object.entries({ ...callers, ...rpcCallers }))(
    "does not keep a stream from being settled when its caller goes away, over %s",
    async (_, call) => {
      const stage = await serve(stuck);
      const caller = await call(stage);
      await until(() => stage.sent() === 1);
      caller.leave();
      await until(() => {
        // Over HTTP/1.1 a caller without any part of the response may still be waiting, and is only considered gone a second later.
        stage.clock.advance(20);
        return stage.settled.length > 0;
      });
      expect(stage.settled).toEqual(["CANCELLED"]);
    },
  );

  test.each(Object.entries({ ...callers, ...rpcCallers }))(
    "is stopped at its next message when a minute cannot be charged, over %s",
    async (_, call) => {
      const stage = await serve(async function* (_context, counted) {
        for (;;) {
          counted();
          yield {};
          await new Promise(setImmediate);
        }
      }, 1);
      const caller = await call(stage);
      caller.read();
      await until(() => stage.sent() > 0);
      stage.clock.advance(60_000);
      await until(() => stage.stopped());
      const sent = stage.sent();
      await turns(20);
      // The minute that is over is paid for.
      expect({ settled: stage.settled, sent: stage.sent() }).toEqual({ settled: ["OK"], sent });
    },
  );

  test("does not keep a REST caller waiting after their deadline", async () => {
    const stage = await serve(stuck);
    const headers = { "x-gateway-key": stage.key, "x-server-timeout": "5" };
    const result = fetch(`http://127.0.0.1:${stage.port}${PATH}`, { headers });
    await until(() => stage.sent() === 1);
    stage.clock.advance(5000);
    const response = await result;
    const { error } = (await response.json()) as { error: { reason: string } };
    expect({ status: response.status, reason: error.reason, settled: stage.settled }).toEqual({
      status: 504,
      reason: "DEADLINE_EXCEEDED",
      settled: ["DEADLINE_EXCEEDED"],
    });
  });
});
