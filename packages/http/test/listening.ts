// A listener on its own port for one test, and peers that send it plain bytes.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { connect as dialSocket, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { NO_PROXIES, type ProxyTrust } from "../src/client/trusted-proxies.ts";
import type { Exchange, RequestHandler } from "../src/exchange.ts";
import type { ServerLimits } from "../src/limits.ts";
import { createServer, type Server } from "../src/server.ts";
import type { TlsMaterial } from "../src/tls.ts";
import { FAULT_STATUS } from "../src/transport-fault.ts";
import { createManualClock, type ManualClock } from "./fixtures/manual-clock.ts";

/** What a test may choose. */
export interface ListeningOptions {
  readonly limits?: Partial<ServerLimits>;
  readonly tls?: TlsMaterial;
  readonly proxies?: ProxyTrust;
  /** The clock's initial time. */
  readonly nowMs?: number;
  /** Replaces the clock's monotonic time, which stands still. */
  readonly monotonicMs?: () => number;
  /** Shared with other listeners; 0, and not shared, when left out. */
  readonly sharedPort?: number;
}

/** A running listener, closed when the test ends. */
export interface Listening {
  readonly listener: Server;
  readonly port: number;
  readonly clock: ManualClock;
}

/** Listens on a free port of 127.0.0.1. The response to a transport failure is its reason and message as a string. */
export async function listening(
  handle: RequestHandler,
  { limits, tls, proxies = NO_PROXIES, nowMs = Date.UTC(2026, 0, 1), monotonicMs, sharedPort }: ListeningOptions = {},
): Promise<Listening> {
  const clock = createManualClock({ nowMs });
  const listener = createServer({
    ...(limits && { limits }),
    tls,
    proxies,
    clock: monotonicMs === undefined ? clock : { ...clock, monotonicMs },
    handle,
    handleFault: (exchange, { reason, message }) =>
      exchange.respond(FAULT_STATUS[reason], { "content-type": "text/plain" }, `${reason}: ${message}`),
  });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", sharedPort ?? 0, { reusePort: sharedPort !== undefined });
  return { listener, port, clock };
}

/** Responds with the request line, and with the body if there is one. */
export const echo: RequestHandler = (exchange) => {
  const line = `${exchange.httpVersion} ${exchange.method} ${exchange.path} ${exchange.query}`;
  responseAfterBody(exchange, 1_000_000, (body) => (body === "" ? line : `${line} ${body}`));
};

/** Reads the body and responds with a string made from it, or with status 422 and the reason of the failure. */
export function responseAfterBody(exchange: Exchange, bodyBytesMax: number, text: (body: string) => string): void {
  Promise.resolve(exchange.readBody(bodyBytesMax, true)).then(
    (body) => exchange.respond(200, { "content-type": "text/plain" }, text(Buffer.from(body).toString())),
    (failure) => exchange.respond(422, { "content-type": "text/plain" }, failure.fault.reason),
  );
}

/** Reads the first piece of the body, and responds with `enough` in pieces without waiting for the rest. */
export async function responseHalfRead(exchange: Exchange): Promise<void> {
  await exchange.bodyChunks()[Symbol.asyncIterator]().next();
  const response = exchange.openResponse(200, {});
  await response.write("enough");
  await exchange.discardBody();
  response.end();
}

/** Reads the first piece of the body, discards the rest, and then begins its response. */
export async function responseDismissed(exchange: Exchange): Promise<void> {
  await exchange.bodyChunks()[Symbol.asyncIterator]().next();
  await exchange.discardBody();
  exchange.openResponse(200, {}).end("enough");
}

/** The server's ends of the connections accepted from now on, in order. */
export function acceptedSockets(): readonly Socket[] {
  const sockets: Socket[] = [];
  const add = (message: unknown): void => {
    sockets.push((message as { socket: Socket }).socket);
  };
  subscribe("net.server.socket", add);
  onTestFinished(() => {
    unsubscribe("net.server.socket", add);
  });
  return sockets;
}

/** A peer that sends and receives bytes. */
export interface Peer {
  readonly socket: Socket;
  /** Everything it has received. */
  received(): string;
  /** Sends bytes. */
  send(bytes: string | Uint8Array): void;
  /** Waits until it has received the text, and returns everything received. */
  until(text: string): Promise<string>;
  /** Waits until the connection is closed, and returns everything received. A reset counts as closed. */
  closed(): Promise<string>;
}

/** Connects a peer, from this address of the loopback. */
export async function dial(port: number, localAddress = "127.0.0.1"): Promise<Peer> {
  const socket = dialSocket({ host: "127.0.0.1", port, localAddress, noDelay: true });
  onTestFinished(() => {
    socket.destroy();
  });
  let received = "";
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
  });
  // A server that cuts a connection may reset it.
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  await once(socket, "connect");
  return {
    socket,
    received: () => received,
    send: (bytes) => {
      socket.write(bytes);
    },
    async until(text) {
      await until(() => received.includes(text));
      return received;
    },
    closed: () => closed,
  };
}

/** Runs turns of the event loop until the condition holds. Only the test's own time limit ends it otherwise. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs this many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** One response over HTTP/2. */
export interface Http2Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly body: string;
  /** The code of the stream's closing. */
  readonly rstCode: number;
}

/** What an HTTP/2 client sends first: the preface, and empty SETTINGS. */
export const PREFACE = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, [])]);

/** One frame of HTTP/2. https://www.rfc-editor.org/rfc/rfc9113#section-4.1 */
export function frame(type: number, flags: number, stream: number, payload: readonly number[]): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** A frame that requests `GET /` from the host `a`. */
export const getFrame = (stream: number): Buffer => frame(1, 0x5, stream, [0x82, 0x86, 0x84, 0x41, 0x01, 0x61]);

/** The types and streams of the frames that a peer has received, and the codes of RST_STREAM and GOAWAY. */
export function framesOf(peer: Peer): { readonly type: number; readonly stream: number; readonly code: number | undefined }[] {
  const bytes = Buffer.from(peer.received(), "latin1");
  const frames = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const type = bytes.readUInt8(at + 3);
    const codeAt = type === 3 ? at + 9 : type === 7 ? at + 13 : undefined;
    const code = codeAt === undefined ? undefined : bytes.readUInt32BE(codeAt);
    frames.push({ type, stream: bytes.readUInt32BE(at + 5), code });
  }
  return frames;
}

/** A frame that begins `POST /` to the host `a` and leaves its body open. */
export const postFrame = (stream: number): Buffer => frame(1, 0x4, stream, [0x83, 0x86, 0x84, 0x41, 0x01, 0x61]);

/** A frame that resets a stream. */
export const resetFrame = (stream: number, code: number): Buffer => frame(3, 0, stream, [0, 0, 0, code]);

/** Connects with prior knowledge; the session is closed with the test. */
export function dialHttp2(port: number): ClientHttp2Session {
  // A test may send more at once than one of Node's sessions would hold.
  const session = connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 1000, maxSendHeaderBlockLength: 1_000_000 });
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

/** Makes one request and waits until its stream is closed. Without a `body`, the request's side stays open if `open` is set. */
export async function fetchHttp2(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string | Uint8Array,
  open = false,
): Promise<Http2Response> {
  const stream = session.request(headers, { endStream: body === undefined && !open });
  let text = "";
  let head: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders | undefined;
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
  });
  stream.on("response", (received) => {
    head = received;
  });
  stream.on("trailers", (received) => {
    trailers = received;
  });
  stream.on("error", () => undefined);
  if (body !== undefined) {
    stream.end(body);
  }
  await new Promise((resolve) => stream.once("close", resolve));
  return { status: Number(head[":status"]), headers: head, trailers, body: text, rstCode: stream.rstCode ?? -1 };
}
