import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RequestHandler } from "../src/exchange.ts";
import { copyOf, takeBytes } from "../src/paced-input.ts";
import { dial, dialHttp2, fetchHttp2, listening, type Peer, responseAfterBody, turns, until } from "./listening.ts";

/** Both ends of a connection. */
async function connected(): Promise<{ readonly accepted: Socket; readonly peer: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const peer = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [accepted] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    peer.destroy();
    accepted.destroy();
    server.close();
  });
  return { accepted, peer };
}

describe("what arrives on a socket", () => {
  test("is all read into one buffer", async () => {
    const pairs = [await connected(), await connected()];
    const buffers = new Set<ArrayBufferLike>();
    const texts: string[] = [];
    for (const [index, { accepted, peer }] of pairs.entries()) {
      takeBytes(accepted, (bytes) => {
        buffers.add(bytes.buffer);
        texts.push(bytes.toString());
      });
      peer.write(`read ${index}`);
      await until(() => texts.length === index + 1);
    }
    expect({ texts, buffers: buffers.size }).toEqual({ texts: ["read 0", "read 1"], buffers: 1 });
  });

  test("arrives as `data` events if a socket has no slot for a buffer", async () => {
    const socket = new PassThrough() as unknown as Socket;
    const texts: string[] = [];
    takeBytes(socket, (bytes) => texts.push(bytes.toString()));
    socket.write("from the stream");
    await until(() => texts.length > 0);
    expect(texts).toEqual(["from the stream"]);
  });

  test("arrives as `data` events if Node no longer accepts a buffer", async () => {
    const { accepted, peer } = await connected();
    Object.defineProperty((accepted as unknown as { _handle: object })._handle, "useUserBuffer", { value: undefined });
    const texts: string[] = [];
    takeBytes(accepted, (bytes) => texts.push(bytes.toString()));
    peer.write("as before");
    await until(() => texts.length > 0);
    expect(texts).toEqual(["as before"]);
  });

  test("stays in order if some of it was read before", async () => {
    const { accepted, peer } = await connected();
    accepted.read(0);
    peer.write("first ");
    await until(() => accepted.readableLength > 0);
    let text = "";
    takeBytes(accepted, (bytes) => {
      text += bytes.toString();
    });
    peer.write("second");
    await until(() => text.length === 12);
    expect(text).toBe("first second");
  });

  test("ends when the peer ends", async () => {
    const { accepted, peer } = await connected();
    let text = "";
    takeBytes(accepted, (bytes) => {
      text += bytes.toString();
    });
    peer.end("all");
    await once(accepted, "end");
    expect(text).toBe("all");
  });
});

const post = (path: string, body: string, sent = body): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${sent}`;

/** A peer that already got a response: the bytes that reveal its HTTP version are read in another way. */
async function dialKnown(port: number): Promise<Peer> {
  const peer = await dial(port);
  peer.send(post("/", "known"));
  await peer.until("<known>");
  return peer;
}

describe("borrowed bytes", () => {
  test.each([1, 4096, 4097, 65_536])("keep their length in a copy of %d", (length) => {
    const lent = Buffer.alloc(length + 2, "x");
    const copy = copyOf(lent, 1, length + 1);
    lent.fill("y");
    expect(copy.equals(Buffer.alloc(length, "x"))).toBe(true);
  });

  test("are not mixed with the next connection's if a body has arrived only in part", async () => {
    const { port } = await listening((exchange) => responseAfterBody(exchange, 1000, (body) => `<${body}>`));
    const [first, second] = [await dialKnown(port), await dialKnown(port)];
    first.send(post("/", "aaaabbbb", "aaaa"));
    await turns(5);
    second.send(post("/", "cccccccc"));
    await second.until("<cccccccc>");
    first.send("bbbb");
    expect(await first.until("bbbb>")).toContain("<aaaabbbb>");
  });

  test("are not mixed with the next connection's while a body is not being read", async () => {
    const letGo = Promise.withResolvers<void>();
    const reads: RequestHandler = (exchange) => responseAfterBody(exchange, 1000, (body) => `<${body}>`);
    const { port } = await listening((exchange) => {
      if (exchange.path === "/late") {
        letGo.promise.then(() => reads(exchange));
      } else {
        reads(exchange);
      }
    });
    const [first, second] = [await dialKnown(port), await dialKnown(port)];
    first.send(post("/late", "aaaaaaaa"));
    await turns(5);
    second.send(post("/soon", "cccccccc"));
    await second.until("<cccccccc>");
    letGo.resolve();
    expect(await first.until("aa>")).toContain("<aaaaaaaa>");
  });

  test.each([8, 8192])("are not mixed with the next connection's if %d bytes of a body wait over HTTP/2", async (length) => {
    const letGo = Promise.withResolvers<void>();
    const { port } = await listening((exchange) => {
      Promise.resolve(exchange.path === "/late" ? letGo.promise : undefined).then(() =>
        responseAfterBody(exchange, 10_000, (body) => body),
      );
    });
    const [first, second] = [dialHttp2(port), dialHttp2(port)];
    for (const session of [first, second]) {
      await fetchHttp2(session, { ":method": "POST", ":path": "/" }, "known");
    }
    const late = fetchHttp2(first, { ":method": "POST", ":path": "/late" }, "a".repeat(length));
    await turns(5);
    const soon = await fetchHttp2(second, { ":method": "POST", ":path": "/soon" }, "c".repeat(length));
    letGo.resolve();
    expect([(await late).body, soon.body]).toEqual(["a".repeat(length), "c".repeat(length)]);
  });
});
