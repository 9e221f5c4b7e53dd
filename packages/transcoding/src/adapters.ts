// REST for servers of two kinds: Node's own, on which connect-node, Fastify and Express are built, and those that call a fetch handler.
import { Readable } from "node:stream";
import { createRestHandler, type RestOptions } from "./rest-handler.ts";

// As much of the requests and responses of node:http and node:http2 as is used. Their own types differ in what does not matter here.
interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly httpVersionMajor: number;
}

interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  write(text: string): boolean;
  end(text: string): unknown;
  once(event: string, run: () => void): unknown;
  destroy(): unknown;
}

/**
 * A request listener of node:http and node:http2. Give it to connectNodeAdapter as its `fallback`. Throws an Error that names the first
 * rule that cannot be served.
 */
export function restNodeAdapter(options: RestOptions): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const handle = createRestHandler(options);
  const serve = async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const ended = new AbortController();
    response.once("close", () => ended.abort());
    const [path = "", ...query] = (request.url ?? "/").split("?");
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (!name.startsWith(":") && value !== undefined) {
        headers.set(name, typeof value === "string" ? value : value.join(", "));
      }
    }
    const hasBody = headers.has("content-length") || headers.has("transfer-encoding") || request.httpVersionMajor === 2;
    const { signal } = ended;
    const answer = await handle({
      method: request.method ?? "GET",
      path,
      query: query.join("?"),
      headers,
      body: hasBody ? request : undefined,
      signal,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (request.method === "HEAD") {
      response.end("");
    } else if (typeof answer.body === "string") {
      response.end(answer.body);
    } else {
      for await (const line of answer.body) {
        if (!response.write(line) && !signal.aborted) {
          await new Promise<void>((resolve) => {
            response.once("drain", resolve);
            response.once("close", resolve);
          });
        }
      }
      response.end("");
    }
  };
  // Servers do not wait for their listeners, so nobody else would hear of a header or a message that cannot be sent.
  return (request, response) =>
    serve(request, response).catch(() => {
      if (response.headersSent) {
        response.destroy();
      } else {
        response.writeHead(500, { "content-type": "application/json" });
        response.end(JSON.stringify({ code: "internal", message: "the response cannot be sent" }));
      }
    });
}

/** A fetch handler. Throws an Error that names the first rule that cannot be served. */
export function restFetchHandler(options: RestOptions): (request: Request) => Promise<Response> {
  const handle = createRestHandler(options);
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers, signal } = request;
    const answer = await handle({
      method,
      path: pathname,
      query: search.slice(1),
      headers,
      body: request.body ?? undefined,
      signal,
    });
    const body =
      typeof answer.body === "string"
        ? answer.body
        : (Readable.toWeb(Readable.from(answer.body).map((line) => Buffer.from(line))) as ConstructorParameters<
            typeof Response
          >[0]);
    return new Response(method === "HEAD" ? null : body, { status: answer.status, headers: answer.headers });
  };
}
