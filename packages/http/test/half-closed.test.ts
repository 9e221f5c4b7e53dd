// HTTP/1.1 peers that end their side after a request: some wait for the response, others are gone, and a server cannot tell which.
import { describe, expect, test } from "vitest";
import type { Exchange } from "../src/exchange.ts";
import { PEER_REACTION_MS } from "../src/linger.ts";
import { acceptedSockets, dial, listening, type Peer, until } from "./listening.ts";

const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/** A peer that has sent these bytes and ended its side, seen by the server, with the requests that arrived. */
async function halfClosed(
  bytes: string,
): Promise<{ peer: Peer; requested: Exchange[]; ends: boolean[]; advance(ms: number): void }> {
  const sockets = acceptedSockets();
  const requested: Exchange[] = [];
  const ends: boolean[] = [];
  const { port, clock } = await listening((exchange) => {
    requested.push(exchange);
    exchange.onEnd((isWhole) => ends.push(isWhole));
    if (exchange.path === "/stream") {
      void exchange.openResponse(200, {}).write("first");
    }
  });
  const peer = await dial(port);
  peer.socket.end(bytes);
  await until(() => sockets[0]?.readableEnded === true || sockets[0]?.destroyed === true);
  return { peer, requested, ends, advance: (ms) => clock.advance(ms) };
}

describe("a peer that ends its side after a whole request", () => {
  test.each([
    { what: "a request", bytes: GET, count: 1 },
    { what: "several requests", bytes: GET + GET, count: 2 },
    { what: "a request with a body", bytes: "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nbody", count: 1 },
  ])("gets the response to $what, and then the connection is closed", async ({ bytes, count }) => {
    const { peer, requested, ends, advance } = await halfClosed(bytes);
    advance(PEER_REACTION_MS - 1);
    for (const [number, exchange] of requested.entries()) {
      exchange.respond(200, {}, `response ${number}`);
    }
    const received = await peer.closed();
    expect(received.match(/response \d/g)).toEqual(Array.from({ length: count }, (_, number) => `response ${number}`));
    expect(received).toMatch(/connection: close/i);
    expect(ends).toEqual(Array(count).fill(true));
  });

  test("is considered gone if its call takes more than a second", async () => {
    const { peer, ends, advance } = await halfClosed(GET);
    advance(PEER_REACTION_MS - 1);
    expect(ends).toEqual([]);
    advance(1);
    expect(await peer.closed()).toBe("");
    expect(ends).toEqual([false]);
  });

  test("gets a long response that was sent in time, however long reading it takes", async () => {
    const { peer, requested, advance } = await halfClosed(GET);
    peer.socket.pause();
    requested[0]?.respond(200, {}, Buffer.alloc(16 * 1024 * 1024, "x"));
    advance(2 * PEER_REACTION_MS);
    peer.socket.resume();
    expect((await peer.closed()).length).toBeGreaterThan(16 * 1024 * 1024);
  });
});

test.each([
  { what: "within a body", bytes: "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nbody" },
  { what: "on a stream", bytes: "GET /stream HTTP/1.1\r\nhost: a\r\n\r\n" },
])("a peer that ends its side $what is considered gone at once", async ({ bytes }) => {
  const { peer, ends } = await halfClosed(bytes);
  await peer.closed();
  expect(ends).toEqual([false]);
});
