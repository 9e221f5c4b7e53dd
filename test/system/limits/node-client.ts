// A caller's connections to one node: HTTP/1.1 for REST, HTTP/2 for the RPC protocols. They are opened when they are needed, and reopened
// when they break.
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import type { CallInput } from "./call-inputs.ts";
import type { CallRecord, Protocol } from "./history.ts";
import { type CallResponse, type Headers, monthOf, outcomeOf } from "./responses.ts";

/** The result of a call. */
export type CallResult = Pick<CallRecord, "outcome" | "month">;

// A call that takes longer counts as lost.
const RESPONSE_MS_MAX = 4000;

const LOST: CallResult = { outcome: "lost", month: undefined };

/** Connections to one node. */
export class NodeClient {
  readonly #port: number;
  #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  #session: ClientHttp2Session | undefined;
  readonly #neverConnected = new WeakSet<ClientHttp2Session>();

  constructor(port: number) {
    this.#port = port;
  }

  /** Makes a call. Undefined if nothing was listening. Rejects if the response breaks the protocol. */
  async call(protocol: Protocol, input: CallInput, key: string): Promise<CallResult | undefined> {
    const sent = protocol === "rest" ? this.#rest(input, key) : this.#rpc(protocol, input, key);
    const { promise: late, resolve } = Promise.withResolvers<"lost">();
    const timer = setTimeout(() => resolve("lost"), RESPONSE_MS_MAX);
    const answer = await Promise.race([sent, late]);
    clearTimeout(timer);
    return typeof answer === "object"
      ? { outcome: outcomeOf(protocol, answer), month: monthOf(answer) }
      : answer === "lost"
        ? LOST
        : undefined;
  }

  /** Cuts all connections, including the calls in progress on them. */
  cut(): void {
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64 });
    this.#session?.destroy();
    this.#session = undefined;
  }

  #rest({ rest }: CallInput, key: string): Promise<CallResponse | "lost" | "refused"> {
    const { promise, resolve } = Promise.withResolvers<CallResponse | "lost" | "refused">();
    const options = { host: "127.0.0.1", port: this.#port, path: rest, agent: this.#agent, headers: { "x-gateway-key": key } };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, trailers: {}, body: Buffer.concat(chunks) }),
      );
      response.on("error", () => resolve("lost"));
    });
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED" ? "refused" : "lost"));
    sent.end();
    return promise;
  }

  #rpc(protocol: Exclude<Protocol, "rest">, input: CallInput, key: string): Promise<CallResponse | "lost" | "refused"> {
    const { promise, resolve } = Promise.withResolvers<CallResponse | "lost" | "refused">();
    const session = this.#openSession();
    const stream = session.request(headersOf(protocol, input, key));
    const chunks: Buffer[] = [];
    let headers: Headers = {};
    let trailers: Headers = {};
    stream.on("response", (fields) => {
      headers = fields as Headers;
    });
    stream.on("trailers", (fields) => {
      trailers = fields as Headers;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", () => {});
    stream.on("end", () => {
      const body = Buffer.concat(chunks);
      const isWhole = Number(headers["content-length"] ?? body.length) === body.length;
      if (stream.rstCode === 0 && !session.destroyed && headers[":status"] !== undefined && isWhole) {
        resolve({ status: Number(headers[":status"]), headers, trailers, body });
      }
    });
    stream.on("close", () => resolve(this.#neverConnected.has(session) ? "refused" : "lost"));
    stream.end(bodyOf(protocol, input));
    return promise;
  }

  #openSession(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      const session = connect(`http://127.0.0.1:${this.#port}`);
      this.#neverConnected.add(session);
      session.on("connect", () => this.#neverConnected.delete(session));
      session.on("error", () => {});
      session.unref();
      this.#session = session;
      return session;
    }
    return this.#session;
  }
}

function headersOf(protocol: Exclude<Protocol, "rest">, { rpc }: CallInput, key: string): OutgoingHttpHeaders {
  const common = { ":method": "POST", ":path": rpc, "x-gateway-key": key };
  switch (protocol) {
    case "connect":
      return { ...common, "content-type": "application/json", "connect-protocol-version": "1" };
    case "grpc-web":
      return { ...common, "content-type": "application/grpc-web+proto" };
    case "grpc":
      return { ...common, "content-type": "application/grpc+proto", te: "trailers" };
  }
}

function bodyOf(protocol: Exclude<Protocol, "rest">, { json, proto }: CallInput): Buffer {
  if (protocol === "connect") {
    return Buffer.from(json);
  }
  const frame = Buffer.alloc(5 + proto.length);
  frame.writeUInt32BE(proto.length, 1);
  frame.set(proto, 5);
  return frame;
}
