// The server of every stand-in: real HTTP on a loopback port, which applies misbehaviour before the stand-in's own responses.
// Like real upstreams, it compresses bodies if the client accepts that.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Clock } from "../../runtime/clock.ts";
import type { Misbehaviour, StandIn } from "./stand-in.ts";

/** A stand-in's response to one request. */
export interface StandInResponse {
  readonly status: number;
  /** `content-type` defaults to `application/json`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is compressed if the client accepts that; bytes, which are audio, are sent as they are. */
  readonly body: string | Uint8Array;
}

export interface StandInOptions {
  readonly name: string;
  /** Responds to one request at once. The URL is absolute; a thrown error becomes a 500 with its message. */
  readonly handle: (url: URL, request: IncomingMessage) => StandInResponse;
  /** Measures the delay of a slow stand-in. */
  readonly clock: Clock;
}

/** Smaller bodies are not compressed. */
const COMPRESSED_FROM_BYTES = 1024;

/** Starts a stand-in on a free port of 127.0.0.1. */
export async function startStandIn({ name, handle, clock }: StandInOptions): Promise<StandIn> {
  let misbehaviour: Misbehaviour = { kind: "none" };
  let requestCount = 0;
  let origin = "";
  const server = createServer((request, response) => {
    requestCount += 1;
    request.resume();
    const respondNormally = (): StandInResponse => handled(handle, new URL(request.url ?? "/", origin), request);
    respond(misbehaviour, clock, respondNormally, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    name,
    origin,
    get misbehaviour() {
      return misbehaviour;
    },
    set misbehaviour(next) {
      misbehaviour = next;
    },
    get requestCount() {
      return requestCount;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function handled(handle: StandInOptions["handle"], url: URL, request: IncomingMessage): StandInResponse {
  try {
    return handle(url, request);
  } catch (error) {
    return plain(500, `stand-in failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): StandInResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  body,
});

const HTML_PAGE = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n";

function respond(
  misbehaviour: Misbehaviour,
  clock: Clock,
  respondNormally: () => StandInResponse,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  switch (misbehaviour.kind) {
    case "slow": {
      const cancel = clock.after(misbehaviour.delayMs, () => send(respondNormally(), request, response));
      response.once("close", cancel);
      break;
    }
    case "dead":
      request.socket.resetAndDestroy();
      break;
    case "truncated":
      sendHalf(respondNormally(), response);
      break;
    default:
      send(wholeResponse(misbehaviour, respondNormally), request, response);
  }
}

type WithWholeResponse = Exclude<Misbehaviour, { kind: "slow" | "dead" | "truncated" }>;

function wholeResponse(misbehaviour: WithWholeResponse, respondNormally: () => StandInResponse): StandInResponse {
  switch (misbehaviour.kind) {
    case "none":
      return respondNormally();
    case "limiting":
      return plain(429, "Too many requests", { "retry-after": String(misbehaviour.retryAfterSeconds) });
    case "html":
      return { status: 200, headers: { "content-type": "text/html" }, body: HTML_PAGE };
    case "failing":
      return plain(500, "Internal server error");
  }
}

function send({ status, headers, body }: StandInResponse, request: IncomingMessage, response: ServerResponse): void {
  const bytes = Buffer.from(body);
  const compressed =
    typeof body === "string" &&
    bytes.length >= COMPRESSED_FROM_BYTES &&
    /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const payload = compressed ? gzipSync(bytes, { level: 1 }) : bytes;
  // A 304 has no body, and a length would announce one.
  const framing = status === 304 ? {} : { "content-length": String(payload.length) };
  const encoding = compressed ? { "content-encoding": "gzip", vary: "accept-encoding" } : {};
  response.writeHead(status, { "content-type": "application/json", ...headers, ...framing, ...encoding });
  response.end(status === 304 || request.method === "HEAD" ? undefined : payload);
}

function sendHalf({ status, headers, body }: StandInResponse, response: ServerResponse): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { "content-type": "application/json", ...headers, "content-length": String(bytes.length) });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}
