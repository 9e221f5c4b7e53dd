// Guards servers that are built on Node's own, before a byte of a body is read: connect-node, Fastify, Express.
import { limitHeaders } from "./limits.ts";
import { refusalResponse } from "./refusal-response.ts";
import { isRefunded, KEY_HEADER, keyIn, type ServerOptions } from "./server-options.ts";

// As much of the requests and responses of node:http and node:http2 as is used. Their own types differ in what does not matter here.
interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly httpVersionMajor: number;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(body?: Uint8Array | string): unknown;
  once(event: string, run: () => void): unknown;
  destroy(): unknown;
}

/** Calls `next` if the request is admitted, and responds to it otherwise. */
export type NodeGuard = (request: NodeRequest, response: NodeResponse, next: () => void) => void;

/** `addressOf`: the caller's IP address; by default that of the socket, which behind a proxy is the proxy's. */
export interface NodeOptions extends ServerOptions {
  readonly addressOf?: (request: NodeRequest) => string | undefined;
}

/**
 * A middleware, which must come before whatever reads bodies. A response of 404, 405, or at least 500 is refunded to the month. Errors of
 * gRPC have the status 200: guardInterceptor refunds those.
 */
export function guardNode(options: NodeOptions): NodeGuard {
  const { guard, serviceOf, keyHeader = KEY_HEADER, addressOf = ({ socket }) => socket.remoteAddress } = options;
  const protect = async (request: NodeRequest, response: NodeResponse, next: () => void): Promise<void> => {
    const { method = "GET", url = "/", headers } = request;
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return value === undefined || typeof value === "string" ? value : value.join(", ");
    };
    const service = serviceOf({ method, path: url.split("?", 1)[0] as string });
    if (service === undefined) {
      next();
      return;
    }
    const decision = await guard.admit({ key: keyIn(header(keyHeader), keyHeader), service, address: addressOf(request) });
    if (decision.admitted) {
      setHeaders(response, Object.entries(limitHeaders(decision.limits)));
      response.once("close", () => {
        if (isRefunded(response.statusCode)) {
          void decision.settle(false);
        }
      });
      guard.current.run(decision, next);
      return;
    }
    const refused = refusalResponse(decision, { url, header }, keyHeader);
    const hasBody = Number(header("content-length") ?? 0) > 0 || header("transfer-encoding") !== undefined;
    if (hasBody && request.httpVersionMajor === 1) {
      // Otherwise Node would read the body to reach the next request. On HTTP/2 it resets the stream.
      refused.headers.set("connection", "close");
    }
    // Not writeHead: clients of gRPC read the status from the headers only if these end the stream.
    response.statusCode = refused.status;
    setHeaders(response, refused.headers);
    if (method === "HEAD" || refused.body === "") {
      response.end();
    } else {
      response.end(refused.body);
    }
  };
  // Servers do not wait for their listeners: what `next` throws, as connect-node does without a host, would end the process.
  return (request, response, next) => {
    protect(request, response, next).catch((error: unknown) => {
      guard.report(error);
      if (response.headersSent) {
        response.destroy();
      } else {
        response.statusCode = 500;
        response.end();
      }
    });
  };
}

function setHeaders(response: NodeResponse, headers: Iterable<readonly [string, string]>): void {
  for (const [name, value] of headers) {
    response.setHeader(name, value);
  }
}
