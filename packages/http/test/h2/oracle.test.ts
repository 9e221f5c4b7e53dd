// HTTP/2 compared with node:http2: the same bytes, whole, cut anywhere or one at a time, make a handler see the same requests, and get the
// same responses, resets and GOAWAYs. Differences are listed with their reasons.
import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { TransportError } from "../../src/transport-fault.ts";
import { listening } from "../listening.ts";
import { DIFFERENCES } from "./differences.ts";
import { FLAG, FRAME, frame } from "./frames.ts";
import { type Connection, connections, LAST_STEPS, type Step } from "./odd-connections.ts";
import type { Outcome } from "./outcome.ts";
import { type H2Peer, openPeer } from "./peer.ts";

/** What a handler saw of a request, which is its response. */
function seen(method: string, path: string, headers: NodeJS.Dict<unknown>, body: Uint8Array): string {
  const fields = Object.entries(headers)
    .filter(([name]) => !name.startsWith(":"))
    .map(([name, value]) => `${name}: ${String(value)}`)
    .toSorted();
  return JSON.stringify({ method, path, fields, body: Buffer.from(body).toString("hex") });
}

/** A plain server of Node's. */
async function startNode(): Promise<number> {
  const server = createServer({ settings: { maxConcurrentStreams: 100 } });
  server.on("session", (session) => session.on("error", () => {}));
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      if (!stream.destroyed && !stream.closed) {
        stream.respond({ ":status": 200 });
        stream.end(seen(headers[":method"] ?? "", headers[":path"] ?? "", headers, Buffer.concat(chunks)));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Our listener. */
async function startOurs(): Promise<number> {
  const { port } = await listening((exchange) => {
    const { method, path, headers } = exchange;
    Promise.resolve(exchange.readBody(1_000_000, true)).then(
      (body) => exchange.respond(200, {}, seen(method, path, headers, body)),
      ({ fault }: TransportError) => exchange.respond(400, {}, `${fault.reason}: ${fault.message}`),
    );
  });
  return port;
}

/** Sends bytes in pieces of these lengths, in turn. */
async function sendCut(peer: H2Peer, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  let at = 0;
  for (let turn = 0; at < bytes.length && !peer.isClosed; turn += 1) {
    const length = cuts.length === 0 ? bytes.length : (cuts[turn % cuts.length] ?? 1);
    peer.send(bytes.subarray(at, at + length));
    at += length;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends a connection's bytes, and returns the outcome. */
async function outcomeOf(port: number, { steps, last, cuts }: Connection): Promise<Outcome> {
  const peer = await openPeer(port);
  await sendCut(peer, Buffer.concat([frame(FRAME.SETTINGS, FLAG.ACK, 0), ...steps.map((step) => step.bytes)]), cuts);
  const requested = steps.flatMap(({ stream }) => stream ?? []);
  await Promise.all(requested.map((stream) => peer.ended(stream)));
  // In one piece: between two pieces, a handler might or might not respond.
  peer.send(last?.bytes ?? Buffer.alloc(0));
  // The handler's response comes after the first acknowledgement.
  await peer.settled();
  await peer.settled();
  peer.socket.destroy();
  const streams = [...new Set(peer.frames.map(({ stream }) => stream))].filter((stream) => stream !== 0).toSorted((a, b) => a - b);
  return {
    streams: streams.map((stream) => ({
      stream,
      status: peer.headsOf(stream)[0]?.[0],
      body: peer.hasEnded(stream) ? peer.bodyOf(stream).toString() : undefined,
      reset: peer.resetOf(stream),
    })),
    goaway: peer.goaway?.code,
  };
}

test("the same bytes have the same outcome as with node:http2, however they are cut", async () => {
  const [node, ours] = [await startNode(), await startOurs()];
  await fc.assert(
    fc.asyncProperty(connections, async (connection) => {
      const [theirs, own] = await Promise.all([outcomeOf(node, connection), outcomeOf(ours, connection)]);
      expect(own).toEqual(expectedOf(connection.last, theirs));
    }),
    { numRuns: 200 },
  );
});

test.each(LAST_STEPS)("$what has the same outcome as with node:http2, or a listed difference", async (last) => {
  const [node, ours] = [await startNode(), await startOurs()];
  const connection = { steps: [], last, cuts: [] };
  const [theirs, own] = await Promise.all([outcomeOf(node, connection), outcomeOf(ours, connection)]);
  expect(own).toEqual(expectedOf(last, theirs));
});

const expectedOf = (last: Step | undefined, theirs: Outcome): Outcome =>
  (last && DIFFERENCES.get(last.what)?.expected(theirs)) ?? theirs;
