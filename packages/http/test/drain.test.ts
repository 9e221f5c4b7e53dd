import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Exchange, RequestHandler } from "../src/exchange.ts";
import { PEER_REACTION_MS } from "../src/linger.ts";
import type { Server } from "../src/server.ts";
import { dial, dialHttp2, echo, fetchHttp2, listening, until } from "./listening.ts";

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;

/** A handler that keeps its exchanges for the test to respond to. */
function keepingHandler(): { handle: RequestHandler; waiting: Exchange[] } {
  const waiting: Exchange[] = [];
  return { waiting, handle: (exchange) => waiting.push(exchange) };
}

/** Begins a drain of ten seconds. Resolves when callers have been told; `ended` resolves when the drain has ended. */
async function draining(listener: Server): Promise<{ readonly ended: Promise<void> }> {
  const ended = listener.drain(10_000);
  await listener.closePort();
  return { ended };
}

describe("a drain", () => {
  test("refuses new connections, and closes silent and idle ones", async () => {
    const { listener, port, clock } = await listening(echo);
    const idle = await dial(port);
    idle.send(get("/"));
    await idle.until("1 GET /");
    const silent = await dial(port);
    // One timer each.
    await until(() => clock.pending === 2);
    const { ended: drained } = await draining(listener);
    clock.advance(PEER_REACTION_MS);
    await Promise.all([idle.closed(), silent.closed(), drained]);
    await expect(dial(port)).rejects.toThrow("ECONNREFUSED");
    expect(clock.pending).toBe(0);
  });

  test("serves connections that the kernel accepted before the port was closed, and closes the silent ones", async () => {
    const { listener, port, clock } = await listening(echo);
    // The connections are made at once, and wait for the server's next turn of the event loop.
    const [active, silent] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    active.write(get("/1"));
    const responded = once(active, "data") as Promise<[Buffer]>;
    const nothing = text(silent);
    const { ended: drained } = await draining(listener);
    const [received] = await responded;
    clock.advance(PEER_REACTION_MS);
    expect([received.toString().match(/1 GET [/a-z0-9]+/g), await nothing]).toEqual([["1 GET /1"], ""]);
    await drained;
    await expect(dial(port)).rejects.toThrow("ECONNREFUSED");
  });

  test.each([
    { turnMs: 0.125, turns: 1 },
    { turnMs: 0.25, turns: 30 },
  ])("closes the port after a short turn without new connections, or after 30 long ones: $turnMs ms", async ({ turnMs, turns }) => {
    let readings = 0;
    const monotonicMs = (): number => {
      readings += 1;
      return readings * turnMs;
    };
    const { listener } = await listening(echo, { monotonicMs });
    await listener.closePort();
    expect(readings).toBe(2 * turns);
  });

  test("still serves requests on idle HTTP/1.1 connections for a while, and tells their callers to close", async () => {
    const { listener, port, clock } = await listening(echo);
    const peers = await Promise.all([dial(port), dial(port), dial(port)]);
    const [idle, fresh, late] = peers;
    idle?.send(get("/before"));
    await idle?.until("1 GET /before");
    late?.send(get("/before"));
    await late?.until("1 GET /before");
    // The third has sent nothing yet.
    await until(() => clock.pending === 3);
    const { ended: drained } = await draining(listener);
    idle?.send(get("/1"));
    fresh?.send(get("/2"));
    const answers = await Promise.all([idle?.closed(), fresh?.closed()]);
    clock.advance(PEER_REACTION_MS - 1);
    late?.send(get("/3"));
    answers.push(await late?.closed());
    await drained;
    expect(answers.map((received) => received?.match(/connection: [a-z-]+|1 GET [/a-z0-9]+/g))).toEqual([
      ["connection: keep-alive", "1 GET /before", "connection: close", "1 GET /1"],
      ["connection: close", "1 GET /2"],
      ["connection: keep-alive", "1 GET /before", "connection: close", "1 GET /3"],
    ]);
  });

  test("lets all admitted pipelined calls end, and closes their connection with the last", async () => {
    const { handle, waiting } = keepingHandler();
    const { listener, port } = await listening(handle);
    const peer = await dial(port);
    peer.send(`${get("/1")}${get("/2")}${get("/3")}`);
    await until(() => waiting.length === 3);
    const { ended: drained } = await draining(listener);
    for (const exchange of waiting) {
      exchange.respond(200, {}, `<${exchange.path}>`);
    }
    const answers = await peer.closed();
    expect(answers.match(/<[^>]*>|connection: [a-z-]+/g)).toEqual([
      "connection: keep-alive",
      "</1>",
      "connection: keep-alive",
      "</2>",
      "connection: close",
      "</3>",
    ]);
    await drained;
  });

  test("lets an HTTP/1.1 call in progress end, and closes its connection with the response", async () => {
    const { handle, waiting } = keepingHandler();
    const { listener, port } = await listening(handle);
    const peer = await dial(port);
    peer.send(get("/"));
    await until(() => waiting.length === 1);
    const { ended: drained } = await draining(listener);
    waiting[0]?.respond(200, {}, "fine");
    expect(await peer.closed()).toMatch(/connection: close[\s\S]*fine$/i);
    await drained;
  });

  test("serves a request behind an HTTP/1.1 response that already said keep-alive, and then closes", async () => {
    const { handle, waiting } = keepingHandler();
    const { listener, port, clock } = await listening(handle);
    const [active, done] = await Promise.all([dial(port), dial(port)]);
    active.send(get("/1"));
    done.send(get("/2"));
    await until(() => waiting.length === 2);
    const responses = waiting.map((exchange) => exchange.openResponse(200, {}));
    const { ended: drained } = await draining(listener);
    // Longer than an idle connection may stay open.
    clock.advance(PEER_REACTION_MS + 1);
    for (const response of responses) {
      response.end("streamed");
    }
    await Promise.all([active.until("streamed"), done.until("streamed")]);
    active.send(get("/3"));
    await until(() => waiting.length === 3);
    waiting[2]?.respond(200, {}, "asked again");
    clock.advance(PEER_REACTION_MS - 1);
    const received = await active.closed();
    clock.advance(1);
    const nothingMore = await done.closed();
    await drained;
    const said = /connection: [a-z-]+|streamed|asked again/g;
    expect([received.match(said), nothingMore.match(said)]).toEqual([
      ["connection: keep-alive", "streamed", "connection: close", "asked again"],
      ["connection: keep-alive", "streamed"],
    ]);
  });

  test("closes the port before it tells anyone to reconnect", async () => {
    const { listener, port } = await listening(echo);
    const session = dialHttp2(port);
    await fetchHttp2(session, { ":path": "/" });
    const comingAgain = new Promise((resolve) => session.once("goaway", () => resolve(dial(port))));
    const { ended: drained } = await draining(listener);
    await expect(comingAgain).rejects.toThrow("ECONNREFUSED");
    await drained;
  });

  test("lets HTTP/2 calls in progress end, after a first GOAWAY that refuses nothing and a second that does", async () => {
    const { handle, waiting } = keepingHandler();
    const { listener, port } = await listening(handle);
    const session = dialHttp2(port);
    const goaways: number[] = [];
    session.on("goaway", (_code, lastStream) => goaways.push(lastStream));
    const received = fetchHttp2(session, { ":path": "/" });
    await until(() => waiting.length === 1);
    const { ended: drained } = await draining(listener);
    await until(() => goaways.length === 2);
    waiting[0]?.respond(200, {}, "fine");
    expect((await received).body).toBe("fine");
    await drained;
    // Node reports the second one again when the last call has ended.
    expect([...new Set(goaways)]).toEqual([2 ** 31 - 1, 1]);
  });

  test("does not wait forever for an HTTP/2 peer that acknowledges no ping", async () => {
    const { listener, port, clock } = await listening(echo);
    const session = dialHttp2(port);
    await fetchHttp2(session, { ":path": "/" });
    const { ended: drained } = await draining(listener);
    await once(session, "goaway");
    clock.advance(PEER_REACTION_MS);
    await drained;
    await until(() => clock.pending === 0);
  });

  test.each([1, 2])("cuts calls still in progress over HTTP/%i when its time is up", async (version) => {
    const { handle, waiting } = keepingHandler();
    const { listener, port, clock } = await listening(handle);
    const peer = await dial(port);
    const session = dialHttp2(port);
    const cut = version === 1 ? peer.closed() : once(session, "close");
    const ends: boolean[] = [];
    if (version === 1) {
      peer.send(get("/"));
    } else {
      session.request({ ":path": "/" }).on("error", () => undefined);
    }
    await until(() => waiting.length === 1);
    waiting[0]?.onEnd((completed) => ends.push(completed));
    const { ended: drained } = await draining(listener);
    clock.advance(9999);
    expect(ends).toEqual([]);
    clock.advance(1);
    await Promise.all([cut, drained]);
    expect(ends).toEqual([false]);
  });

  test("may be requested twice, and after closing", async () => {
    const { listener } = await listening(echo);
    await Promise.all([listener.drain(10_000), listener.drain(10_000)]);
    await listener.close();
    expect(await listener.drain(0)).toBeUndefined();
  });
});
