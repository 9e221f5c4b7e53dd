// Many calls on one connection with large responses that are ready immediately: all of them arrive, and no more of them are in memory than
// the limit allows. The connections are real.
import { describe, expect, onTestFinished, test } from "vitest";
import { bytesOf } from "../../../packages/http/src/response-body.ts";
import { dial, dialHttp2, fetchHttp2, turns, until } from "../../../packages/http/test/listening.ts";
import { createLog } from "../../../src/runtime/log.ts";
import type { DataService } from "../../../src/services/service.ts";
import { createStack } from "../../fixtures/stack.ts";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";
import { createScene } from "../../guard/scene.ts";

const MIB = 1024 * 1024;
const CALLS = 60;
const LONG = "x".repeat(MIB);
const LIMITS = { unsentBytesPerConnectionMax: 8 * MIB };

interface Stage {
  readonly port: number;
  readonly head: Record<string, string>;
  /** The most bytes of unsent responses at any time. */
  readonly mostBytes: () => number;
  /** How many calls have reached a handler. */
  readonly started: () => number;
  /** Lets the handlers of these calls respond, counted from 0 in the order of arrival, or those of all calls. */
  release(calls?: readonly number[]): void;
}

/** A server whose handlers each respond with a mebibyte, once they are released. */
async function serve(): Promise<Stage> {
  const scene = createScene();
  const handlers: PromiseWithResolvers<void>[] = [];
  let bytes = 0;
  let mostBytes = 0;
  const implementation = {
    async echo() {
      const handler = Promise.withResolvers<void>();
      handlers.push(handler);
      await handler.promise;
      return { stringValue: LONG };
    },
  };
  const service = { name: "radio", desc: LibraryService, implementation, close: async () => {} } as unknown as DataService;
  const listener = createStack({
    services: [service],
    guard: scene.guard,
    clock: scene.clock,
    log: createLog("silent"),
    serverLimits: LIMITS,
    before: (next) => (exchange) => {
      const respond = exchange.respond.bind(exchange);
      Object.assign(exchange, {
        respond(...response: Parameters<typeof respond>) {
          const { length } = bytesOf(response[2]);
          bytes += length;
          mostBytes = Math.max(mostBytes, bytes);
          exchange.onEnd(() => {
            bytes -= length;
          });
          respond(...response);
        },
      });
      next(exchange);
    },
  });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", 0);
  return {
    port,
    head: { "x-gateway-key": scene.key.secret },
    mostBytes: () => mostBytes,
    started: () => handlers.length,
    release(calls = [...handlers.keys()]) {
      for (const call of calls) {
        handlers[call]?.resolve();
      }
    },
  };
}

describe("large responses that are ready at once", () => {
  test("all arrive over HTTP/2, and only some of them are encoded before others have been sent", async () => {
    const { port, head, mostBytes, started, release } = await serve();
    const session = dialHttp2(port);
    const fields = { ":method": "POST", ":path": "/v1/echo", "content-type": "application/json", ...head };
    const responses = Array.from({ length: CALLS }, () => fetchHttp2(session, fields, "{}"));
    await until(() => started() === CALLS);
    release();
    const heard = (await Promise.all(responses)).map(({ status, body }) => [status, body.length > MIB]);
    expect(heard).toEqual(Array(CALLS).fill([200, true]));
    expect(mostBytes()).toBeLessThan(LIMITS.unsentBytesPerConnectionMax);
  });

  test("all arrive over HTTP/1.1 in order, even if the first is the last to be ready", async () => {
    const { port, head, mostBytes, started, release } = await serve();
    const peer = await dial(port);
    const request = `GET /v1/everything HTTP/1.1\r\nhost: a\r\nx-gateway-key: ${head["x-gateway-key"]}\r\n\r\n`;
    peer.send(request.repeat(CALLS));
    await until(() => started() === CALLS);
    release(Array.from({ length: CALLS - 1 }, (_, index) => index + 1));
    await turns(20);
    expect(mostBytes()).toBeLessThan(LIMITS.unsentBytesPerConnectionMax);
    release();
    await until(() => peer.received().length > CALLS * MIB);
    expect(peer.received().match(/HTTP\/1\.1 \d+/g)).toEqual(Array(CALLS).fill("HTTP/1.1 200"));
  });
});
