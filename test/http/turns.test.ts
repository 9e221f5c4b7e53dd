// One peer that has hundreds of requests read at once does not keep the event loop from all others: they are begun in turns.
import { describe, expect, test } from "vitest";
import type { RequestHandler } from "../../src/http/exchange.ts";
import { dial, getFrame, listening, PREFACE, until } from "./listening.ts";

const REQUESTS = 100;

/** The most requests that were begun between two turns of the loop, and how many in all. */
interface Begun {
  most: number;
  all: number;
}

async function served(requestMs: number): Promise<{ port: number; begun: Begun }> {
  const begun: Begun = { most: 0, all: 0 };
  let inTurn = 0;
  const handle: RequestHandler = (exchange) => {
    clock.advance(requestMs);
    begun.all += 1;
    if (inTurn === 0) {
      setImmediate(() => {
        inTurn = 0;
      });
    }
    inTurn += 1;
    begun.most = Math.max(begun.most, inTurn);
    exchange.respond(200, {}, "<done>");
  };
  const { port, clock } = await listening(handle);
  return { port, begun };
}

const PIPELINED = Buffer.from("GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(REQUESTS));
const MULTIPLEXED = Buffer.concat([PREFACE, ...Array.from({ length: REQUESTS }, (_, index) => getFrame(2 * index + 1))]);

describe("a hundred requests that come at once", () => {
  test.each([
    { over: "HTTP/1.1", bytes: PIPELINED, requestMs: 1, most: 40 },
    { over: "HTTP/1.1", bytes: PIPELINED, requestMs: 0, most: 64 },
    { over: "HTTP/2", bytes: MULTIPLEXED, requestMs: 1, most: 40 },
    { over: "HTTP/2", bytes: MULTIPLEXED, requestMs: 0, most: REQUESTS },
  ])("over $over that take $requestMs ms each are begun in turns, and all are answered", async ({ bytes, requestMs, most }) => {
    const { port, begun } = await served(requestMs);
    const peer = await dial(port);
    peer.send(bytes);
    await until(() => (peer.received().match(/<done>/g) ?? []).length === REQUESTS);
    expect(begun.all).toBe(REQUESTS);
    expect(begun.most).toBeLessThanOrEqual(most);
  });

  test.each([
    { over: "HTTP/1.1", bytes: PIPELINED },
    { over: "HTTP/2", bytes: MULTIPLEXED },
  ])("over $over do not keep a newcomer waiting until all of them are answered", async ({ bytes }) => {
    const order: string[] = [];
    const { port, clock } = await listening((exchange) => {
      clock.advance(1);
      order.push(exchange.path);
      exchange.respond(200, {}, "<done>");
    });
    const busy = await Promise.all(Array.from({ length: 10 }, () => dial(port)));
    for (const peer of busy) {
      peer.send(bytes);
    }
    await until(() => order.length > 0);
    const newcomer = await dial(port);
    newcomer.send("GET /newcomer HTTP/1.1\r\nhost: a\r\n\r\n");
    await newcomer.until("<done>");
    expect(order.indexOf("/newcomer")).toBeLessThan((busy.length * REQUESTS) / 2);
  });
});
