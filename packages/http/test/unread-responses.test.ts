// Unread responses: part of each must leave within a timeout, and the waiting bytes are limited per connection and per listener.
import { once } from "node:events";
import { constants } from "node:http2";
import { describe, expect, test } from "vitest";
import type { Exchange, RequestHandler } from "../src/exchange.ts";
import { PEER_REACTION_MS } from "../src/linger.ts";
import type { ResponseStream } from "../src/response-stream.ts";
import { UNSENT_RESPONSE_OVERHEAD_BYTES } from "../src/unsent-responses.ts";
import { dial, dialHttp2, frame, framesOf, getFrame, listening, type Peer, resetFrame, turns, until } from "./listening.ts";

const STALL_MS = 7777;
// More than the kernel holds between two ends of the loopback.
const LONG = Buffer.alloc(32 * 1024 * 1024, "x");

/** A client's first bytes with windows that admit no byte of a response. */
const NO_WINDOW = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, [0, 4, 0, 0, 0, 0])]);

/** The same with windows that admit any number of bytes. */
const WIDE_WINDOW = Buffer.concat([
  NO_WINDOW.subarray(0, 24),
  frame(4, 0, 0, [0, 4, 0x7f, 0xff, 0xff, 0xff]),
  frame(8, 0, 0, [0x7f, 0xfe, 0, 0]),
]);

const resetsOf = (peer: Peer): unknown[] => framesOf(peer).filter(({ type }) => type === 3);

const responses: Readonly<Record<string, RequestHandler>> = {
  "a short response": (exchange) => exchange.respond(401, {}, "no key"),
  "a long response": (exchange) => exchange.respond(200, {}, LONG.subarray(0, 400_000)),
  "a response with trailers": (exchange) => exchange.respond(200, {}, "data", { "grpc-status": "0" }),
  "a stream's first message": (exchange) => {
    void exchange.openResponse(200, {}).write("one");
  },
  "a stream's messages": async (exchange) => {
    const response = exchange.openResponse(200, {});
    for (let message = 0; message < 1000; message += 1) {
      await response.write("m".repeat(1000));
    }
  },
  "a stream's end": (exchange) => exchange.openResponse(200, {}).end("all"),
};

describe("over HTTP/2, a stream on which nothing is read", () => {
  test.each(Object.entries(responses))(
    "of %s is reset after the stall timeout, and the connection stays open",
    async (_, handle) => {
      const completed: boolean[] = [];
      const { port, clock } = await listening(
        (exchange) => {
          exchange.onEnd((whole) => completed.push(whole));
          handle(exchange);
        },
        { limits: { stallTimeoutMs: STALL_MS } },
      );
      const peer = await dial(port);
      peer.send(Buffer.concat([NO_WINDOW, getFrame(1), getFrame(3)]));
      await until(() => framesOf(peer).filter(({ type }) => type === 1).length === 2);
      clock.advance(STALL_MS - 1);
      expect(resetsOf(peer)).toEqual([]);
      clock.advance(1);
      await until(() => completed.length === 2);
      await until(() => resetsOf(peer).length === 2);
      const ping = frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]);
      peer.send(ping);
      await until(() => framesOf(peer).some(({ type }) => type === 6));
      expect({ completed, resets: resetsOf(peer) }).toEqual({
        completed: [false, false],
        resets: [1, 3].map((stream) => ({ type: 3, stream, code: constants.NGHTTP2_CANCEL })),
      });
      clock.advance(PEER_REACTION_MS);
      expect(peer.socket.destroyed).toBe(false);
    },
  );

  test("stays open as long as something is sent", async () => {
    const { port, clock } = await listening((exchange) => exchange.respond(200, {}, LONG.subarray(0, 1_000_000)), {
      limits: { stallTimeoutMs: STALL_MS },
    });
    const stream = dialHttp2(port).request({ ":path": "/" });
    let received = 0;
    await once(stream, "response");
    stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
      // Each chunk takes 50 ms.
      clock.advance(50);
    });
    await once(stream, "end");
    expect(received).toBe(1_000_000);
  });

  test("ends the connection too if the peer does not even read the reset", async () => {
    const { port, clock } = await listening((exchange) => exchange.respond(200, {}, LONG), {
      limits: { stallTimeoutMs: STALL_MS },
    });
    const peer = await dial(port);
    peer.socket.pause();
    peer.send(Buffer.concat([WIDE_WINDOW, getFrame(1)]));
    await until(() => clock.hasAlarmIn(STALL_MS));
    await turns(2000);
    clock.advance(STALL_MS);
    await turns(10);
    clock.advance(PEER_REACTION_MS);
    peer.socket.resume();
    await peer.closed();
  });
});

test("an HTTP/2 stream is reset if its peer reads its response byte by byte", async () => {
  const completed: boolean[] = [];
  const { port, clock } = await listening(
    (exchange) => {
      exchange.onEnd((whole) => completed.push(whole));
      exchange.respond(200, {}, LONG.subarray(0, 400_000));
    },
    { limits: { stallTimeoutMs: STALL_MS } },
  );
  const peer = await dial(port);
  peer.send(Buffer.concat([NO_WINDOW, getFrame(1)]));
  const taken = (): number => peer.received().split("x").length - 1;
  await until(() => framesOf(peer).some(({ type }) => type === 1));
  const before = taken();
  for (let byte = 1; byte < 10; byte += 1) {
    clock.advance(700);
    peer.send(frame(8, 0, 1, [0, 0, 0, 1]));
    await until(() => taken() === before + byte);
  }
  expect(completed).toEqual([]);
  clock.advance(STALL_MS - 9 * 700);
  await until(() => completed.length === 1);
  await until(() => resetsOf(peer).length === 1);
  expect(completed).toEqual([false]);
});

test("an ended HTTP/2 stream is cut too if the peer reads nothing more, not even its end", async () => {
  const opened: ResponseStream[] = [];
  const completed: boolean[] = [];
  const { port, clock } = await listening(
    (exchange) => {
      exchange.onEnd((whole) => completed.push(whole));
      if (opened.length === 0) {
        const response = exchange.openResponse(200, {});
        opened.push(response);
        void response.write("one");
      } else {
        exchange.respond(200, {}, LONG);
      }
    },
    { limits: { stallTimeoutMs: STALL_MS } },
  );
  const peer = await dial(port);
  peer.send(Buffer.concat([WIDE_WINDOW, getFrame(1)]));
  await peer.until("one");
  peer.socket.pause();
  peer.send(getFrame(3));
  await until(() => clock.hasAlarmIn(STALL_MS));
  // Until the kernel buffers no more; then the long response is aborted, but its half-sent frame still blocks the connection.
  await turns(2000);
  peer.send(resetFrame(3, constants.NGHTTP2_CANCEL));
  await until(() => completed.length === 1);
  opened[0]?.end();
  await turns(100);
  expect(completed).toEqual([false]);
  clock.advance(STALL_MS);
  await turns(10);
  clock.advance(PEER_REACTION_MS);
  await until(() => completed.length === 2);
  expect(completed).toEqual([false, false]);
});

describe("over HTTP/1.1, a response that is not read", () => {
  const long: Readonly<Record<string, RequestHandler>> = {
    "a long response": (exchange) => exchange.respond(200, {}, LONG),
    "a stream": async (exchange) => {
      const response = exchange.openResponse(200, {});
      while (!response.ended) {
        await response.write("m".repeat(60_000));
      }
    },
  };

  test.each(Object.entries(long))("%s is cut off after the stall timeout, not after twice that", async (_, handle) => {
    let completed: boolean | undefined;
    const { port, clock } = await listening(
      (exchange) => {
        exchange.onEnd((whole) => {
          completed = whole;
        });
        handle(exchange);
      },
      { limits: { stallTimeoutMs: STALL_MS } },
    );
    const peer = await dial(port);
    peer.socket.pause();
    peer.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    await until(() => clock.hasAlarmIn(STALL_MS));
    // Until the kernel buffers no more.
    await turns(2000);
    clock.advance(STALL_MS - 1);
    await turns(1);
    expect(completed).toBeUndefined();
    clock.advance(1);
    await until(() => completed === false);
  });

  test("a response that waits behind a stream being read is not cut", async () => {
    const { port, clock } = await listening(
      (exchange) => {
        if (exchange.path === "/stream") {
          void exchange.openResponse(200, {}).write("one");
        } else {
          exchange.respond(200, {}, "behind");
        }
      },
      { limits: { stallTimeoutMs: STALL_MS } },
    );
    const peer = await dial(port);
    peer.send("GET /stream HTTP/1.1\r\nhost: a\r\n\r\nGET /behind HTTP/1.1\r\nhost: a\r\n\r\n");
    await peer.until("one");
    await until(() => clock.hasAlarmIn(STALL_MS));
    clock.advance(3 * STALL_MS);
    await turns(1);
    expect(peer.socket.destroyed).toBe(false);
  });
});

describe("unread output", () => {
  test("on one connection is bounded, and a response beyond that is aborted", async () => {
    const bytes = 400_000;
    const { port } = await listening((exchange) => exchange.respond(200, {}, LONG.subarray(0, bytes)), {
      limits: { unsentBytesPerConnectionMax: 3 * (bytes + UNSENT_RESPONSE_OVERHEAD_BYTES) },
    });
    const peer = await dial(port);
    peer.send(Buffer.concat([NO_WINDOW, ...[1, 3, 5, 7].map(getFrame)]));
    await until(() => resetsOf(peer).length > 0);
    const heads = framesOf(peer).filter(({ type }) => type === 1);
    expect({ heads: heads.map(({ stream }) => stream), resets: resetsOf(peer) }).toEqual({
      heads: [1, 3, 5],
      resets: [{ type: 3, stream: 7, code: constants.NGHTTP2_ENHANCE_YOUR_CALM }],
    });
  });

  test("may be one response of any length", async () => {
    const { port } = await listening((exchange) => exchange.respond(200, {}, LONG), {
      limits: { unsentBytesPerConnectionMax: 1000 },
    });
    const response = await fetch(`http://127.0.0.1:${port}`);
    expect((await response.bytes()).length).toBe(LONG.length);
  });

  test("in total is bounded, by cutting the connections that have read nothing for longest", async () => {
    const bytes = 400_000;
    const { port } = await listening((exchange: Exchange) => exchange.respond(200, {}, LONG.subarray(0, bytes)), {
      limits: { unsentBytesMax: 3 * (bytes + UNSENT_RESPONSE_OVERHEAD_BYTES) },
    });
    const peers: Peer[] = [];
    for (let count = 0; count < 5; count += 1) {
      const peer = await dial(port);
      peer.send(Buffer.concat([NO_WINDOW, getFrame(1)]));
      await until(() => framesOf(peer).some(({ type }) => type === 1));
      peers.push(peer);
    }
    await Promise.all(peers.slice(0, 2).map((peer) => peer.closed()));
    // A peer that reads is still served, and may push out one of the others in the meantime.
    const response = await fetch(`http://127.0.0.1:${port}`);
    expect({
      good: (await response.bytes()).length,
      cut: peers.map(({ socket }) => socket.destroyed),
    }).toEqual({ good: bytes, cut: [true, true, expect.any(Boolean), false, false] });
  });

  test("in total is bounded at the cost of the address with the most, not of a slower reader", async () => {
    const bytes = 400_000;
    const { port } = await listening((exchange: Exchange) => exchange.respond(200, {}, LONG.subarray(0, bytes)), {
      limits: { unsentBytesMax: 4 * (bytes + UNSENT_RESPONSE_OVERHEAD_BYTES) },
    });
    const requestWithoutReading = async (address: string): Promise<Peer> => {
      const peer = await dial(port, address);
      peer.send(Buffer.concat([NO_WINDOW, getFrame(1)]));
      await until(() => framesOf(peer).some(({ type }) => type === 1));
      return peer;
    };
    const slow = await requestWithoutReading("127.0.0.2");
    const hoarding: Peer[] = [];
    for (let count = 0; count < 6; count += 1) {
      hoarding.push(await requestWithoutReading("127.0.0.1"));
    }
    await Promise.all(hoarding.slice(0, 3).map((peer) => peer.closed()));
    expect([slow, ...hoarding].map(({ socket }) => socket.destroyed)).toEqual([false, true, true, true, false, false, false]);
  });
});
