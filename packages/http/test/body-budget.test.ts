// The memory budget for bodies being read: what fits, what is refused, which body is evicted, and that all memory is returned.
import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RequestHandler } from "../src/exchange.ts";
import { STREAM_WINDOW_BYTES } from "../src/h2/protocol.ts";
import { BodyBudget, type BodyRoom, withinRoom } from "../src/request-body.ts";
import type { TransportError } from "../src/transport-fault.ts";
import { createManualClock } from "./fixtures/manual-clock.ts";
import { dialHttp2, listening } from "./listening.ts";

describe("a budget of 100 bytes", () => {
  const clock = createManualClock({ nowMs: 0 });

  test("has room until it is full, and again after some is returned", () => {
    const budget = new BodyBudget(100, { clock, evictableAfterMs: 1000 });
    const first = budget.reserve(60);
    expect([budget.reserve(41), budget.usedBytes]).toEqual([undefined, 60]);
    const second = budget.reserve(40);
    expect([second?.grow(40), second?.grow(41), budget.usedBytes]).toEqual([true, false, 100]);
    first?.release();
    first?.release();
    expect([second?.grow(100), second?.grow(50), budget.usedBytes]).toEqual([true, true, 100]);
    second?.release();
    expect(budget.usedBytes).toBe(0);
  });

  test("has room for a larger body if it is the only one", () => {
    const budget = new BodyBudget(100, { clock, evictableAfterMs: 1000 });
    const room = budget.reserve(10);
    expect([room?.grow(1000), budget.reserve(1)]).toEqual([true, undefined]);
    room?.release();
    expect([budget.usedBytes, budget.reserve(100)?.grow(100)]).toEqual([0, true]);
  });

  test("for unknown callers, evicts the oldest bodies, but none for a body that is growing", () => {
    const budget = new BodyBudget(100, { clock, evictableAfterMs: 0 });
    const gone: number[] = [];
    const rooms = [1, 2, 3].map((number) => {
      const room = budget.reserve(30);
      if (room !== undefined) {
        room.giveUp = () => {
          gone.push(number);
          room.release();
        };
      }
      return room;
    });
    expect([budget.reserve(50)?.grow(50), gone, budget.usedBytes]).toEqual([true, [1, 2], 80]);
    expect([rooms[2]?.grow(60), gone]).toEqual([false, [1, 2]]);
  });

  test("evicts bodies that have been arriving for too long, the oldest first, and no newer ones", () => {
    const budget = new BodyBudget(100, { clock, evictableAfterMs: 1000 });
    const gone: number[] = [];
    for (const number of [1, 2, 3]) {
      const room = budget.reserve(30);
      if (room !== undefined) {
        room.giveUp = () => {
          gone.push(number);
          room.release();
        };
      }
      clock.advance(500);
    }
    expect([budget.reserve(30)?.grow(30), budget.reserve(60), gone, budget.usedBytes]).toEqual([true, undefined, [1, 2], 60]);
  });

  test("stops reading an evicted body, even while it waits for more bytes", async () => {
    const budget = new BodyBudget(100, { clock, evictableAfterMs: 1000 });
    const room = budget.reserve(10) as BodyRoom;
    const never = new Promise<never>(() => {});
    async function* keptBack(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(60);
      yield await never;
    }
    const pieces = withinRoom(keptBack(), room);
    expect((await pieces.next()).value).toEqual(new Uint8Array(60));
    const next = pieces.next();
    clock.advance(1000);
    expect(budget.reserve(100)?.grow(100)).toBe(true);
    await expect(next).rejects.toMatchObject({ fault: { reason: "SERVER_BUSY" } });
    expect(budget.usedBytes).toBe(100);
  });
});

const MANY_BYTES = 4096;
// Unknown callers have room for four bodies of MANY_BYTES, and all others for 64.
const limits = { bodiesBytesMax: 64 * MANY_BYTES };

const reading =
  (isCallerKnown: boolean): RequestHandler =>
  (exchange) => {
    Promise.resolve(exchange.readBody(MANY_BYTES, isCallerKnown)).then(
      (body) => exchange.respond(200, {}, `${body.byteLength} bytes`),
      ({ fault }: TransportError) => exchange.respond(503, {}, `${fault.reason} in ${fault.retryAfterMs} ms`),
    );
  };

// Announces a body and sends only its first bytes; the test sends the rest later.
type BeginRequest = (port: number) => { readonly finish: () => void; readonly cut: () => void; readonly received: Promise<string> };

const overHttp1: BeginRequest = (port) => {
  const sent = request({ port, method: "POST", agent: false, headers: { "content-length": MANY_BYTES } });
  onTestFinished(() => {
    sent.destroy();
  });
  sent.write("x");
  sent.on("error", () => {});
  const received = once(sent, "response").then(async ([response]) => (await response.setEncoding("utf8").toArray()).join(""));
  received.catch(() => {});
  return { finish: () => sent.end("x".repeat(MANY_BYTES - 1)), cut: () => sent.destroy(), received };
};

const overHttp2: BeginRequest = (port) => {
  const stream = dialHttp2(port).request({ ":method": "POST" }, { endStream: false });
  stream.write("x".repeat(MANY_BYTES));
  stream.on("error", () => {});
  const received = once(stream, "response").then(async () => (await stream.setEncoding("utf8").toArray()).join(""));
  received.catch(() => {});
  return { finish: () => stream.end(), cut: () => stream.close(8), received };
};

const untilCount = async (count: () => number, wanted: number): Promise<void> => {
  await expect.poll(count).toBe(wanted);
};

describe.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
])("over %s", (_, begin) => {
  test("a body is refused at once if there is no room for it, and accepted when there is", async () => {
    let started = 0;
    let over = 0;
    const { port } = await listening(
      (exchange) => {
        started += 1;
        exchange.onEnd(() => {
          over += 1;
        });
        reading(true)(exchange);
      },
      { limits: { bodiesBytesMax: 2 * MANY_BYTES } },
    );
    const held = [begin(port), begin(port)];
    await untilCount(() => started, 2);
    const refused = begin(port);
    expect(await refused.received).toBe("SERVER_BUSY in 1000 ms");
    refused.cut();
    held[0]?.finish();
    expect(await held[0]?.received).toBe("4096 bytes");
    const next = begin(port);
    next.finish();
    expect(await next.received).toBe("4096 bytes");
    held[1]?.cut();
    await untilCount(() => over, 4);
    const [first, second] = [begin(port), begin(port)];
    first.finish();
    second.finish();
    expect(await Promise.all([first.received, second.received])).toEqual(["4096 bytes", "4096 bytes"]);
  });

  test("slow bodies are evicted for others after a second, even those of known callers", async () => {
    let started = 0;
    const { port, clock } = await listening(
      (exchange) => {
        started += 1;
        reading(true)(exchange);
      },
      { limits: { bodiesBytesMax: 2 * MANY_BYTES } },
    );
    const held = begin(port);
    await untilCount(() => started, 1);
    clock.advance(1000);
    const young = begin(port);
    await untilCount(() => started, 2);
    const quick = begin(port);
    quick.finish();
    expect(await Promise.all([held.received, quick.received])).toEqual(["SERVER_BUSY in 1000 ms", "4096 bytes"]);
    young.finish();
    expect(await young.received).toBe("4096 bytes");
  });

  test("unknown callers keep no other caller out: only the oldest of their own bodies are evicted", async () => {
    let started = 0;
    const { port } = await listening(
      (exchange) => {
        started += 1;
        reading(started === 1)(exchange);
      },
      { limits },
    );
    const known = begin(port);
    await untilCount(() => started, 1);
    const strangers = [];
    for (let count = 0; count < 8; count++) {
      strangers.push(begin(port));
      await untilCount(() => started, count + 2);
    }
    const refused = await Promise.all(strangers.slice(0, 4).map(({ received }) => received));
    expect(refused).toEqual(Array(4).fill("SERVER_BUSY in 1000 ms"));
    for (const { finish } of [known, ...strangers.slice(4)]) {
      finish();
    }
    const taken = await Promise.all([known, ...strangers.slice(4)].map(({ received }) => received));
    expect(taken).toEqual(Array(5).fill("4096 bytes"));
  });
});

test("HTTP/2 opens a window for the first bytes only until a body is read", async () => {
  const { port } = await listening(() => {});
  const session = dialHttp2(port);
  await once(session, "remoteSettings");
  expect(session.remoteSettings.initialWindowSize).toBe(STREAM_WINDOW_BYTES);
});
