// Calls WatchPrices with real clients of every protocol. Each yields the messages in the same form, REST's JSON.
import { once } from "node:events";
import { connect } from "node:http2";
import { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
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
  /** Aborts the call on the caller's side. */
  readonly signal: AbortSignal;
}

/** Thrown when the server has ended the stream with a failure. */
class Ended extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super(`ended with ${reason}`);
    this.reason = reason;
  }
}

/** One client. Throws `Ended` where the server has refused the stream, or ended it with a failure. */
export interface WatchClient {
  readonly name: string;
  watch(watch: Watch): AsyncGenerator<unknown>;
}

// What a caller passes over.
const isHeartbeat = (message: unknown): boolean => isDeepStrictEqual(message, { count: 0, results: [], missing: [] });

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

const overTransport = (name: string, make: (origin: string) => Transport): WatchClient => ({
  name,
  async *watch({ origin, key, tokens, intervalSeconds, signal }) {
    const client = createClient(TokenPriceService, make(origin));
    try {
      const headers = { "x-gateway-key": key };
      for await (const message of client.watchPrices({ tokens: [...tokens], intervalSeconds }, { headers, signal })) {
        yield jsonOf(message);
      }
    } catch (thrown) {
      throw new Ended(ConnectError.from(thrown).findDetails(ErrorInfoSchema)[0]?.reason);
    }
  },
});

const overGrpc = (name: string, options?: ClientOptions): WatchClient => ({
  name,
  async *watch({ origin, key, tokens, intervalSeconds, signal }) {
    const client = new GrpcClient(new URL(origin).host, credentials.createInsecure(), options);
    const metadata = new Metadata();
    metadata.set("x-gateway-key", key);
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
      const [status] = (thrown as ServiceError).metadata.get("grpc-status-details-bin");
      const [info] = status === undefined ? [] : (detailsOfStatus(status as Buffer) as { reason: string }[]);
      throw new Ended(info?.reason);
    } finally {
      client.close();
    }
  },
});

type Answer = AsyncIterable<Uint8Array>;

async function* texts(answer: Answer, separator: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.split(separator);
    text = whole.pop() ?? "";
    yield* whole;
  }
}

const envelopeReason = (json: string): unknown => JSON.parse(json).error?.reason;

async function* ndjsonMessages(answer: Answer): AsyncGenerator<unknown> {
  for await (const line of texts(answer, "\n")) {
    if (envelopeReason(line) !== undefined) {
      throw new Ended(envelopeReason(line));
    }
    yield JSON.parse(line);
  }
}

async function* eventMessages(answer: Answer): AsyncGenerator<unknown> {
  for await (const event of texts(answer, "\n\n")) {
    const fields = new Map(event.split("\n").map((line) => line.split(/: (.*)/, 2) as [string, string]));
    const data = fields.get("data");
    if (fields.get("event") === "error") {
      throw new Ended(envelopeReason(data ?? ""));
    }
    if (data !== undefined) {
      yield JSON.parse(data);
    }
  }
}

const queryOf = ({ tokens, intervalSeconds }: Watch): string =>
  `/token-price/v1/watch?tokens=${tokens.join()}&interval_seconds=${intervalSeconds}`;

const overFetch = (name: string, accept: string, read: (answer: Answer) => AsyncGenerator<unknown>): WatchClient => ({
  name,
  async *watch(watch) {
    const headers = { "x-gateway-key": watch.key, accept };
    const response = await fetch(watch.origin + queryOf(watch), { headers, signal: watch.signal });
    if (response.status !== 200) {
      throw new Ended(envelopeReason(await response.text()));
    }
    yield* read(response.body as unknown as Answer);
  },
});

const ndjsonOverHttp2: WatchClient = {
  name: "REST, NDJSON over HTTP/2",
  async *watch(watch) {
    const session = connect(watch.origin);
    const stream = session.request({ ":path": queryOf(watch), "x-gateway-key": watch.key }, { signal: watch.signal });
    try {
      const [{ ":status": status }] = await once(stream, "response");
      if (status !== 200) {
        throw new Ended(envelopeReason((await Readable.from(stream).toArray()).join("")));
      }
      yield* ndjsonMessages(stream);
    } finally {
      session.destroy();
    }
  },
};

// The bytes of base64 texts in a row, as they come.
async function* bytesOfText(answer: Answer): AsyncGenerator<Buffer> {
  let rest = "";
  for await (const chunk of answer) {
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

async function* frames(answer: AsyncIterable<Buffer>): AsyncGenerator<{ readonly flags: number; readonly data: Buffer }> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of answer) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.byteLength >= 5 && bytes.byteLength >= 5 + bytes.readUInt32BE(1)) {
      const end = 5 + bytes.readUInt32BE(1);
      yield { flags: bytes.readUInt8(0), data: bytes.subarray(5, end) };
      bytes = bytes.subarray(end);
    }
  }
}

const reasonOf = (detailsBin: string | null | undefined): unknown =>
  (detailsOfStatus(Buffer.from(detailsBin ?? "", "base64")) as { reason: string }[])[0]?.reason;

// The request is cut where no base64 text ends, as a network may cut it.
const grpcWebText: WatchClient = {
  name: "gRPC-Web as text",
  async *watch({ origin, key, tokens, intervalSeconds, signal }) {
    const request = create(WatchPricesRequestSchema, { tokens: [...tokens], intervalSeconds });
    const message = toBinary(WatchPricesRequestSchema, request);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.byteLength, 1);
    const text = Buffer.from(Buffer.concat([head, message]).toString("base64"));
    const type = "application/grpc-web-text";
    const response = await fetch(`${origin}/quintet.tokenprice.v1.TokenPriceService/WatchPrices`, {
      method: "POST",
      headers: { "x-gateway-key": key, "content-type": type, accept: type, "x-grpc-web": "1" },
      body: Readable.toWeb(Readable.from([text.subarray(0, 9), text.subarray(9)])) as never,
      duplex: "half",
      signal,
    } as RequestInit);
    if (response.headers.has("grpc-status")) {
      throw new Ended(reasonOf(response.headers.get("grpc-status-details-bin")));
    }
    for await (const { flags, data } of frames(bytesOfText(response.body as unknown as Answer))) {
      if ((flags & 0x80) === 0) {
        yield jsonOf(fromBinary(WatchPricesResponseSchema, data));
      } else if (!/^grpc-status: ?0\r$/m.test(data.toString())) {
        throw new Ended(reasonOf(/^grpc-status-details-bin: ?(.*)\r$/m.exec(data.toString())?.[1]));
      }
    }
  },
};

/** All clients. */
export const WATCH_CLIENTS: readonly WatchClient[] = [
  overTransport("Connect over HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })),
  overTransport("Connect over HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })),
  overTransport("gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl })),
  grpcWebText,
  overGrpc("gRPC"),
  overFetch("REST, server-sent events", "text/event-stream", eventMessages),
  overFetch("REST, NDJSON", "application/x-ndjson", ndjsonMessages),
  ndjsonOverHttp2,
];

/** Names all addresses that it was given in `:authority`, and connects to one, as gRPC's C++ library does. */
export const CLIENT_OF_SEVERAL_ADDRESSES: WatchClient = overGrpc("gRPC with several addresses", {
  "grpc.default_authority": "127.0.0.1:1,[::1]:2",
});
