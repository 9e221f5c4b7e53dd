// One peer with hundreds of requests in one read does not block the event loop for others: the requests are started in turns.
import { describe, expect, test } from "vitest";
import type { RequestHandler } from "../src/exchange.ts";
import { TurnBudget, TurnShare } from "../src/turn-budget.ts";
import { createManualClock } from "./fixtures/manual-clock.ts";
import { dial, echo, getFrame, listening, PREFACE, until } from "./listening.ts";

const REQUESTS = 100;

/** The most requests started in one turn of the event loop, and how many in total. */
interface Started {
  most: number;
  all: number;
}

async function served(requestMs: number): Promise<{ port: number; started: Started }> {
  const started: Started = { most: 0, all: 0 };
  let inTurn = 0;
  const handle: RequestHandler = (exchange) => {
    clock.advance(requestMs);
    started.all += 1;
    if (inTurn === 0) {
      setImmediate(() => {
        inTurn = 0;
      });
    }
    inTurn += 1;
    started.most = Math.max(started.most, inTurn);
    exchange.respond(200, {}, "<done>");
  };
  const { port, clock } = await listening(handle);
  return { port, started };
}

const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const PIPELINED = Buffer.from(GET.repeat(REQUESTS));
const MULTIPLEXED = Buffer.concat([PREFACE, ...Array.from({ length: REQUESTS }, (_, index) => getFrame(2 * index + 1))]);

describe("a hundred simultaneous requests", () => {
  test.each([
    { over: "HTTP/1.1", bytes: PIPELINED, requestMs: 1, most: 40 },
    { over: "HTTP/1.1", bytes: PIPELINED, requestMs: 0, most: 64 },
    { over: "HTTP/2", bytes: MULTIPLEXED, requestMs: 1, most: 40 },
    { over: "HTTP/2", bytes: MULTIPLEXED, requestMs: 0, most: REQUESTS },
  ])("over $over that take $requestMs ms each are started in turns, and all get responses", async ({ bytes, requestMs, most }) => {
    const { port, started } = await served(requestMs);
    const peer = await dial(port);
    peer.send(bytes);
    await until(() => (peer.received().match(/<done>/g) ?? []).length === REQUESTS);
    expect(started.all).toBe(REQUESTS);
    expect(started.most).toBeLessThanOrEqual(most);
  });

  test.each([
    { over: "HTTP/1.1", bytes: PIPELINED },
    { over: "HTTP/2", bytes: MULTIPLEXED },
  ])("over $over do not keep a new caller waiting until all are served", async ({ bytes }) => {
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

describe("many connections of one address", () => {
  const CONNECTIONS = 100;
  const MOST = 40;

  test.each([
    { over: "HTTP/1.1", first: Buffer.from(GET), second: Buffer.from(GET) },
    { over: "HTTP/2", first: Buffer.concat([PREFACE, getFrame(1)]), second: getFrame(3) },
  ])("that each send a request over $over at once are served in turns", async ({ first, second }) => {
    const { port, started } = await served(1);
    const peers = await Promise.all(Array.from({ length: CONNECTIONS }, () => dial(port)));
    for (const bytes of [first, second]) {
      started.most = 0;
      started.all = 0;
      for (const peer of peers) {
        peer.send(bytes);
      }
      await until(() => started.all === CONNECTIONS);
    }
    expect(started.most).toBeLessThanOrEqual(MOST);
  });

  test("lose neither waiting bytes nor the end", async () => {
    const body = "b".repeat(50_000);
    const { port, clock } = await listening((exchange) => {
      clock.advance(1);
      return echo(exchange);
    });
    const peers = await Promise.all(Array.from({ length: CONNECTIONS }, () => dial(port)));
    for (const [number, peer] of peers.entries()) {
      peer.send(`GET /${number} HTTP/1.1\r\nhost: a\r\n\r\n`);
      peer.send(`POST /${number} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n`);
      peer.send(body);
      peer.socket.end();
    }
    await Promise.all(peers.map((peer) => peer.closed()));
    const responded = peers.map((peer) => [...peer.received().matchAll(/1 (?:GET|POST) \/\d+ {1,2}b*/g)].map(([line]) => line));
    expect(responded).toEqual(peers.map((_, number) => [`1 GET /${number} `, `1 POST /${number}  ${body}`]));
  });
});

describe("a turn's budget", () => {
  const STEPS = 100;
  const timed = () => {
    const clock = createManualClock({ nowMs: 0 });
    const turns = new TurnBudget(clock);
    turns.begin(STEPS * 256);
    return { clock, turns };
  };

  test("gives one address a millisecond, and another its own", () => {
    const { clock, turns } = timed();
    const [busy, newcomer] = [new TurnShare(), new TurnShare()];
    clock.advance(0.9);
    turns.end(busy);
    const before = turns.mayTake(busy);
    turns.begin(1);
    clock.advance(0.1);
    turns.end(busy);
    expect({ before, after: turns.mayTake(busy), newcomer: turns.mayTake(newcomer) }).toEqual({
      before: true,
      after: false,
      newcomer: true,
    });
  });

  test.each([
    { what: "gives all addresses together two milliseconds", accepts: false, most: 2 },
    { what: "gives them less while connections wait to be accepted", accepts: true, most: 1 },
  ])("$what", async ({ accepts, most }) => {
    const { clock, turns } = timed();
    turns.end(new TurnShare());
    if (accepts) {
      turns.accepted();
    }
    await new Promise((resolve) => setImmediate(resolve));
    let taken = 0;
    turns.begin(STEPS * 256);
    turns.end(new TurnShare());
    while (turns.mayTake(new TurnShare())) {
      taken += 1;
      clock.advance(1);
    }
    expect(taken).toBe(most);
  });

  test("gives one connection half a millisecond, and leaves the rest for later", () => {
    const { clock, turns } = timed();
    const before = turns.isSliceOver;
    clock.advance(0.5);
    expect([before, turns.isSliceOver]).toEqual([false, true]);
  });

  test("alternates between addresses, and within one between new and repeated work", async () => {
    const { clock, turns } = timed();
    const [one, other] = [new TurnShare(), new TurnShare()];
    const order: string[] = [];
    const wait = (share: TurnShare, name: string, isFresh: boolean) =>
      turns.wait(
        share,
        () => {
          clock.advance(2);
          order.push(name);
        },
        isFresh,
      );
    for (const name of ["again 1", "again 2", "again 3"]) {
      wait(one, name, false);
    }
    wait(one, "fresh 1", true);
    wait(one, "fresh 2", true);
    wait(other, "other", true);
    await until(() => order.length === 6);
    expect(order).toEqual(["other", "fresh 1", "again 1", "fresh 2", "again 2", "again 3"]);
  });
});
