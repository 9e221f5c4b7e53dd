// Sends the same bytes to our listener and to node:http, and records which requests a handler saw whole, and what came back.
import { once } from "node:events";
import { createServer as createNodesServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Exchange } from "../../../src/exchange.ts";
import { createServer } from "../../../src/server.ts";
import { TransportError } from "../../../src/transport-fault.ts";

/** A request that a handler saw to the end of its body. */
export interface Seen {
  readonly method: string;
  readonly target: string;
  /** Sorted by name. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** The outcome of the bytes of one connection. */
export interface Outcome {
  readonly seen: readonly Seen[];
  /** The final statuses in order, with the bodies of the handler's own responses. */
  readonly responses: readonly string[];
  /** What was wrong with the last request, in our words. */
  readonly fault: string | undefined;
}

/** A server under comparison. */
export interface Compared {
  readonly port: number;
  /** What its handler has seen since the last call. */
  take(): Seen[];
  close(): Promise<void>;
}

const sorted = (headers: Iterable<readonly [string, unknown]>): Seen["headers"] =>
  [...headers]
    // Node loses a header of this name.
    .filter(([name]) => name !== "__proto__")
    .map(([name, value]): readonly [string, string] => [name, Array.isArray(value) ? value.join(", ") : String(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1));

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** The body of the response to a request. */
export const responseTo = ({ method, target, body }: Seen): string => `${method} ${target} ${body.length}`;

/** Our own. It responds to every fault with 400 and the fault's message. */
export async function startOurs(): Promise<Compared> {
  let seen: Seen[] = [];
  const handle = async (exchange: Exchange): Promise<void> => {
    const body = await Promise.resolve(exchange.readBody(1_000_000, true)).catch((error) => error as TransportError);
    if (body instanceof TransportError) {
      exchange.respond(400, { "x-fault": body.fault.message }, "");
      return;
    }
    const { method, path, query, headers } = exchange;
    const one = {
      method,
      target: path + (query === "" ? "" : `?${query}`),
      headers: sorted(Object.entries(headers) as [string, string][]),
      body: text(body),
    };
    seen.push(one);
    exchange.respond(200, {}, responseTo(one));
  };
  const listener = createServer({
    handle,
    handleFault: (exchange, { message }) => exchange.respond(400, { "x-fault": message }, ""),
  });
  const { port } = await listener.listen("127.0.0.1", 0);
  const take = (): Seen[] => {
    const all = seen;
    seen = [];
    return all;
  };
  return { port, take, close: () => listener.close() };
}

/** Node's, at its strictest. */
export async function startNodes(): Promise<Compared> {
  let seen: Seen[] = [];
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      // We pass on the path of an absolute target, and no `?` without a query.
      const target = url
        .replace(/^https?:\/\/[^/?]*/i, "")
        .replace(/^([^?]*)\?$/, "$1")
        .replace(/^(?!\/|\*)/, "/");
      const one = { method, target, headers: sorted(Object.entries(request.headers)), body: text(Buffer.concat(chunks)) };
      seen.push(one);
      // By default, Node sends no length to HTTP/1.0 callers.
      response.setHeader("content-length", responseTo(one).length);
      response.end(responseTo(one));
    });
  };
  const server = createNodesServer({ maxHeaderSize: 100_000 }, serve);
  // Unknown expectations may be ignored, as we do; by default Node responds with 417.
  server.on("checkExpectation", serve);
  server.on("clientError", (_error, socket) => {
    if (socket.writable) {
      socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const take = (): Seen[] => {
    const all = seen;
    seen = [];
    return all;
  };
  return {
    port: (server.address() as AddressInfo).port,
    take,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sends the pieces one by one, ends, and returns the outcome. */
export async function outcomeOf(server: Compared, pieces: readonly Buffer[]): Promise<Outcome> {
  const socket: Socket = connect({ host: "127.0.0.1", port: server.port, noDelay: true });
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let received = "";
  socket.setEncoding("latin1").on("data", (piece: string) => {
    received += piece;
  });
  await once(socket, "connect");
  for (const piece of pieces) {
    if (!socket.writable) {
      break;
    }
    socket.write(piece);
    await turn();
  }
  // Until nothing has arrived for a while: neither server waits for anything else.
  for (let quietTurns = 0, known = received; quietTurns < 12; quietTurns += 1) {
    await turn();
    if (received !== known) {
      known = received;
      quietTurns = 0;
    }
  }
  socket.end();
  await closed;
  return { seen: server.take(), responses: responsesIn(received), fault: /\r\nx-fault: ([^\r]*)/.exec(received)?.[1] };
}

// Each final response: its status, and its body by its length; those to HEAD have none.
function responsesIn(received: string): string[] {
  const responses: string[] = [];
  let rest = received;
  for (;;) {
    const [head, status] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(rest) ?? [];
    if (head === undefined || status === undefined) {
      return rest === "" ? responses : [...responses, `and then ${JSON.stringify(rest)}`];
    }
    rest = rest.slice(head.length);
    if (status !== "100") {
      const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0);
      const body = /^(?!HTTP\/1\.1 )/.test(rest) && rest !== "" ? rest.slice(0, length) : "";
      rest = rest.slice(body.length);
      responses.push(`${status} ${body}`.trim());
    }
  }
}
