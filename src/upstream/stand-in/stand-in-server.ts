// The server under every stand-in: real HTTP on a loopback port, with the misbehaviour applied before the stand-in's own answers
// are looked at. Bodies go out compressed where the client asks, as the real upstreams' do.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Clock } from "../../runtime/clock.ts";
import type { Misbehaviour, StandIn } from "./stand-in.ts";

/** What a stand-in answers to one request. */
export interface StandInAnswer {
  readonly status: number;
  /** `content-type` is `application/json` where none is given. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent compressed where the client takes that; bytes, which are sound or pictures, are sent as they are. */
  readonly body: string | Uint8Array;
}

/** What a stand-in is made from. */
export interface StandInOptions {
  readonly name: string;
  /** Answers one request at once. The URL is absolute; a thrown error is answered with 500 and its message. */
  readonly handle: (url: URL, request: IncomingMessage) => StandInAnswer;
  /** Measures the delay of a slow stand-in. */
  readonly clock: Clock;
}

/** Bodies under this size are sent as they are. */
const COMPRESSED_FROM_BYTES = 1024;

/** Starts a stand-in on a free port of 127.0.0.1. */
export async function startStandIn({ name, handle, clock }: StandInOptions): Promise<StandIn> {
  let misbehaviour: Misbehaviour = { kind: "none" };
  let requestCount = 0;
  let origin = "";
  const server = createServer((request, response) => {
    requestCount += 1;
    request.resume();
    const answer = (): StandInAnswer => answerOf(handle, new URL(request.url ?? "/", origin), request);
    respond(misbehaviour, clock, answer, request, response);
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

function answerOf(handle: StandInOptions["handle"], url: URL, request: IncomingMessage): StandInAnswer {
  try {
    return handle(url, request);
  } catch (error) {
    return plain(500, `stand-in failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): StandInAnswer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  body,
});

const HTML_PAGE = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n";

function respond(
  misbehaviour: Misbehaviour,
  clock: Clock,
  answer: () => StandInAnswer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  switch (misbehaviour.kind) {
    case "slow": {
      const cancel = clock.after(misbehaviour.delayMs, () => send(answer(), request, response));
      response.once("close", cancel);
      break;
    }
    case "dead":
      request.socket.resetAndDestroy();
      break;
    case "truncated":
      sendHalf(answer(), response);
      break;
    default:
      send(wholeAnswer(misbehaviour, answer), request, response);
  }
}

type AnsweredWhole = Exclude<Misbehaviour, { kind: "slow" | "dead" | "truncated" }>;

function wholeAnswer(misbehaviour: AnsweredWhole, answer: () => StandInAnswer): StandInAnswer {
  switch (misbehaviour.kind) {
    case "none":
      return answer();
    case "limiting":
      return plain(429, "Too many requests", { "retry-after": String(misbehaviour.retryAfterSeconds) });
    case "html":
      return { status: 200, headers: { "content-type": "text/html" }, body: HTML_PAGE };
    case "failing":
      return plain(500, "Internal server error");
  }
}

function send({ status, headers, body }: StandInAnswer, request: IncomingMessage, response: ServerResponse): void {
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

function sendHalf({ status, headers, body }: StandInAnswer, response: ServerResponse): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { "content-type": "application/json", ...headers, "content-length": String(bytes.length) });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}
