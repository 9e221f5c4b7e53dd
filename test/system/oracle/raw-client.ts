// A caller that sends any bytes over HTTP/1.1 and HTTP/2, and returns everything that it received. It uses no RPC library, so that a
// request can be wrong in any way that a test needs.
import { Agent, request as requestHttp1 } from "node:http";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";

/** Names and values, in the order in which they are sent; a name may be repeated. */
export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** A request. */
export interface RawRequest {
  readonly httpVersion: 1 | 2;
  readonly method: "GET" | "POST";
  /** The path with the query. */
  readonly path: string;
  readonly headers: RawHeaders;
  /** Undefined if the request ends with its head. */
  readonly body: Uint8Array | undefined;
}

/** Lower-case names; the values of a repeated one are joined. */
export type RawFields = Readonly<Record<string, string>>;

/** A whole response. */
export interface RawResponse {
  readonly status: number;
  readonly headers: RawFields;
  readonly trailers: RawFields;
  readonly body: Buffer;
  /** The code that closed the stream; 0 for none. Over HTTP/1.1, anything else means that the connection was cut. */
  readonly resetCode: number;
}

/** A caller with a connection over each HTTP version. */
export interface RawClient {
  send(request: RawRequest): Promise<RawResponse>;
  close(): void;
}

const fieldsOf = (fields: NodeJS.Dict<string | string[]>): RawFields => {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith(":") && value !== undefined) {
      all[name] = Array.isArray(value) ? value.join(", ") : value;
    }
  }
  return all;
};

/** Creates a caller of the server at the port of 127.0.0.1. */
export function createRawClient(port: number): RawClient {
  const agent = new Agent({ keepAlive: true });
  let session: ClientHttp2Session | undefined;

  function sendHttp1({ method, path, headers, body }: RawRequest): Promise<RawResponse> {
    const length: RawHeaders = body === undefined ? [] : [["content-length", String(body.byteLength)]];
    const flat = [["host", `127.0.0.1:${port}`], ...headers, ...length].flat() as string[];
    return new Promise((resolve) => {
      const cut = (): void => resolve({ status: 0, headers: {}, trailers: {}, body: Buffer.alloc(0), resetCode: 1 });
      const sent = requestHttp1({ host: "127.0.0.1", port, method, path, agent, setHost: false, headers: flat });
      sent.on("error", cut);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", cut);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: fieldsOf(response.headersDistinct),
            trailers: fieldsOf(response.trailersDistinct),
            body: Buffer.concat(chunks),
            resetCode: 0,
          }),
        );
      });
      sent.end(body);
    });
  }

  function requestHttp2({ method, path, headers, body }: RawRequest): Promise<RawResponse> {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`http://127.0.0.1:${port}`);
      session.on("error", () => {});
    }
    const pseudo: RawHeaders = [
      [":method", method],
      [":path", path],
      [":scheme", "http"],
      [":authority", `127.0.0.1:${port}`],
    ];
    const stream = session.request([...pseudo, ...headers].flat(), { endStream: body === undefined });
    let head: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("response", (received) => {
      head = received;
    });
    stream.on("trailers", (received) => {
      trailers = received;
    });
    // A reset has its own code.
    stream.on("error", () => {});
    if (body !== undefined) {
      stream.end(body);
    }
    return new Promise((resolve) =>
      stream.once("close", () =>
        resolve({
          status: Number(head[":status"] ?? 0),
          headers: fieldsOf(head),
          trailers: fieldsOf(trailers),
          body: Buffer.concat(chunks),
          resetCode: stream.rstCode ?? 0,
        }),
      ),
    );
  }

  return {
    send: (request) => (request.httpVersion === 1 ? sendHttp1(request) : requestHttp2(request)),
    close() {
      agent.destroy();
      session?.destroy();
    },
  };
}
