// Calls WatchPrices with real clients of every protocol. Each yields the messages in the same form, REST's JSON.
import { once } from "node:events";
import { connect } from "node:http2";
import { Readable } from "node:stream";
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { type ClientOptions, credentials, Client as GrpcClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import {
  TokenPriceService,
  WatchPricesRequestSchema,
  type WatchPricesResponse,
  WatchPricesResponseSchema,
} from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { detailsOfStatus } from "../matrix/details.ts";

/** What to watch, and how. */
export interface Watch {
  readonly origin: string;
  readonly key: string;
  readonly tokens: readonly string[];
  readonly intervalSeconds: number;
  /** The caller's deadline, which it sends for the server to enforce. */
  readonly deadlineMs?: number;
  /** Aborts the call on the caller's side. */
  readonly signal: AbortSignal;
}

/** Thrown if the server ends the stream with a failure. */
class Ended extends Error {
  readonly reason: unknown;

  /** `message` is the server's message. */
  constructor(reason: unknown, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** One client. Throws `Ended` if the server refuses the stream or ends it with a failure. */
export interface WatchClient {
  readonly name: string;
  watch(watch: Watch): AsyncGenerator<unknown>;
}

// Messages that a caller skips.
const isHeartbeat = (message: unknown): boolean => (message as { heartbeat?: boolean }).heartbeat === true;

/** The same client without heartbeats. */
export const withoutHeartbeats = async function* (messages: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const message of messages) {
    if (!isHeartbeat(message)) {
      yield message;
    }
  }
};

const jsonOf = (message: WatchPricesResponse): unknown =>
  toJson(WatchPricesResponseSchema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });

type Headers = Readonly<Record<string, string>>;

const ofConnect = ({ deadlineMs }: Watch): Headers =>
  deadlineMs === undefined ? {} : { "connect-timeout-ms": String(deadlineMs) };
const ofGrpc = ({ deadlineMs }: Watch): Headers => (deadlineMs === undefined ? {} : { "grpc-timeout": `${deadlineMs}m` });
const ofRest = ({ deadlineMs }: Watch): Headers =>
  deadlineMs === undefined ? {} : { "x-server-timeout": String(deadlineMs / 1000) };

const overTransport = (name: string, deadlineOf: (watch: Watch) => Headers, make: (origin: string) => Transport): WatchClient => ({
  name,
  async *watch(watch) {
    const { origin, key, tokens, intervalSeconds, signal } = watch;
    const client = createClient(TokenPriceService, make(origin));
    try {
      const headers = { "x-gateway-key": key, ...deadlineOf(watch) };
      for await (const message of client.watchPrices({ tokens: [...tokens], intervalSeconds }, { headers, signal })) {
        yield jsonOf(message);
      }
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      throw new Ended(error.findDetails(ErrorInfoSchema)[0]?.reason, error.rawMessage);
    }
  },
});

const overGrpc = (name: string, options?: ClientOptions): WatchClient => ({
  name,
  async *watch(watch) {
    const { origin, key, tokens, intervalSeconds, signal } = watch;
    const client = new GrpcClient(new URL(origin).host, credentials.createInsecure(), options);
    const metadata = new Metadata();
    for (const [header, value] of Object.entries({ "x-gateway-key": key, ...ofGrpc(watch) })) {
      metadata.set(header, value);
    }
    const request = create(WatchPricesRequestSchema, { tokens: [...tokens], intervalSeconds });
    const call = client.makeServerStreamRequest(
      "/quintet.tokenprice.v1.TokenPriceService/WatchPrices",
      () => Buffer.from(toBinary(WatchPricesRequestSchema, request)),
      (bytes: Buffer) => jsonOf(fromBinary(WatchPricesResponseSchema, bytes)),
      undefined,
      metadata,
    );
    signal.addEventListener("abort", () => call.cancel());
    try {
      yield* call;
    } catch (thrown) {
      const { metadata: trailers, details } = thrown as ServiceError;
      const [status] = trailers.get("grpc-status-details-bin");
      const [info] = status === undefined ? [] : (detailsOfStatus(status as Buffer) as { reason: string }[]);
      throw new Ended(info?.reason, details);
    } finally {
      client.close();
    }
  },
});

type Response = AsyncIterable<Uint8Array>;

async function* texts(received: Response, separator: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of received) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.split(separator);
    text = whole.pop() ?? "";
    yield* whole;
  }
}

// The failure in an envelope; undefined for a message of the stream.
function endOf(json: string): Ended | undefined {
  const { error, message } = JSON.parse(json);
  return error === undefined ? undefined : new Ended(error.reason, message);
}

async function* ndjsonMessages(received: Response): AsyncGenerator<unknown> {
  for await (const line of texts(received, "\n")) {
    const end = endOf(line);
    if (end !== undefined) {
      throw end;
    }
    yield JSON.parse(line);
  }
}

async function* eventMessages(received: Response): AsyncGenerator<unknown> {
  for await (const event of texts(received, "\n\n")) {
    const fields = new Map(event.split("\n").map((line) => line.split(/: (.*)/, 2) as [string, string]));
    const data = fields.get("data");
    if (fields.get("event") === "error") {
      throw endOf(data ?? "");
    }
    if (data !== undefined) {
      yield JSON.parse(data);
    }
  }
}

const queryOf = ({ tokens, intervalSeconds }: Watch): string =>
  `/token-price/v1/watch?tokens=${tokens.join()}&interval_seconds=${intervalSeconds}`;

const overFetch = (name: string, accept: string, read: (received: Response) => AsyncGenerator<unknown>): WatchClient => ({
  name,
  async *watch(watch) {
    const headers = { "x-gateway-key": watch.key, accept, ...ofRest(watch) };
    const response = await fetch(watch.origin + queryOf(watch), { headers, signal: watch.signal });
    if (response.status !== 200) {
      throw endOf(await response.text());
    }
    yield* read(response.body as unknown as Response);
  },
});

const ndjsonOverHttp2: WatchClient = {
  name: "REST, NDJSON over HTTP/2",
  async *watch(watch) {
    const session = connect(watch.origin);
    const stream = session.request(
      { ":path": queryOf(watch), "x-gateway-key": watch.key, ...ofRest(watch) },
      { signal: watch.signal },
    );
    try {
      const [{ ":status": status }] = await once(stream, "response");
      if (status !== 200) {
        throw endOf((await Readable.from(stream).toArray()).join(""));
      }
      yield* ndjsonMessages(stream);
    } finally {
      session.destroy();
    }
  },
};

// Decodes a sequence of base64 strings as they arrive.
async function* bytesOfText(received: Response): AsyncGenerator<Buffer> {
  let rest = "";
  for await (const chunk of received) {
    const text = rest + Buffer.from(chunk).toString("latin1");
    const whole = text.length - (text.length % 4);
    rest = text.slice(whole);
    const parts = text.slice(0, whole).match(/[^=]+=*/g) ?? [];
    yield Buffer.concat(parts.map((part) => Buffer.from(part, "base64")));
  }
  if (rest !== "") {
    throw new Error("the text is cut short");
  }
}

async function* frames(received: AsyncIterable<Buffer>): AsyncGenerator<{ readonly flags: number; readonly data: Buffer }> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of received) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.byteLength >= 5 && bytes.byteLength >= 5 + bytes.readUInt32BE(1)) {
      const end = 5 + bytes.readUInt32BE(1);
      yield { flags: bytes.readUInt8(0), data: bytes.subarray(5, end) };
      bytes = bytes.subarray(end);
    }
  }
}

const endOfStatus = (detailsBin: string | null | undefined, message: string | null | undefined): Ended => {
  const [info] = detailsOfStatus(Buffer.from(detailsBin ?? "", "base64")) as { reason: string }[];
  return new Ended(info?.reason, decodeURIComponent(message ?? ""));
};

// The request is cut where no base64 text ends, as a network may cut it.
const grpcWebText: WatchClient = {
  name: "gRPC-Web as a string",
  async *watch(watch) {
    const { origin, key, tokens, intervalSeconds, signal } = watch;
    const request = create(WatchPricesRequestSchema, { tokens: [...tokens], intervalSeconds });
    const message = toBinary(WatchPricesRequestSchema, request);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.byteLength, 1);
    const text = Buffer.from(Buffer.concat([head, message]).toString("base64"));
    const type = "application/grpc-web-text";
    const response = await fetch(`${origin}/quintet.tokenprice.v1.TokenPriceService/WatchPrices`, {
      method: "POST",
      headers: { "x-gateway-key": key, "content-type": type, accept: type, "x-grpc-web": "1", ...ofGrpc(watch) },
      body: Readable.toWeb(Readable.from([text.subarray(0, 9), text.subarray(9)])) as never,
      duplex: "half",
      signal,
    } as RequestInit);
    if (response.headers.has("grpc-status")) {
      throw endOfStatus(response.headers.get("grpc-status-details-bin"), response.headers.get("grpc-message"));
    }
    for await (const { flags, data } of frames(bytesOfText(response.body as unknown as Response))) {
      if ((flags & 0x80) === 0) {
        yield jsonOf(fromBinary(WatchPricesResponseSchema, data));
      } else if (!/^grpc-status: ?0\r$/m.test(data.toString())) {
        const trailer = (name: string) => new RegExp(`^${name}: ?(.*)\\r$`, "m").exec(data.toString())?.[1];
        throw endOfStatus(trailer("grpc-status-details-bin"), trailer("grpc-message"));
      }
    }
  },
};

/** All clients. */
export const WATCH_CLIENTS: readonly WatchClient[] = [
  overTransport("Connect over HTTP/1.1", ofConnect, (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })),
  overTransport("Connect over HTTP/2", ofConnect, (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })),
  overTransport("gRPC-Web", ofGrpc, (baseUrl) => createGrpcWebTransport({ baseUrl })),
  grpcWebText,
  overGrpc("gRPC"),
  overFetch("REST, server-sent events", "text/event-stream", eventMessages),
  overFetch("REST, NDJSON", "application/x-ndjson", ndjsonMessages),
  ndjsonOverHttp2,
];

/** Puts all its addresses into `:authority` and connects to one of them, like gRPC's C++ library. */
export const CLIENT_OF_SEVERAL_ADDRESSES: WatchClient = overGrpc("gRPC with several addresses", {
  "grpc.default_authority": "127.0.0.1:1,[::1]:2",
});
