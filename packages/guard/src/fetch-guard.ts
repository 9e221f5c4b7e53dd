// Guards fetch handlers, before a byte of a body is read.
import { limitHeaders } from "./limits.ts";
import { refusalResponse } from "./refusal-response.ts";
import { isRefunded, KEY_HEADER, keyIn, type ServerOptions } from "./server-options.ts";

type FetchHandler = (request: Request) => Response | Promise<Response>;

/** `addressOf`: the caller's IP address, if the server says it. */
export interface FetchOptions extends ServerOptions {
  readonly addressOf?: (request: Request) => string | undefined;
}

/**
 * The handler behind the guard. A response of 404, 405, or at least 500 is refunded to the month. Errors of gRPC have the status 200:
 * guardInterceptor refunds those.
 */
export function guardFetch(
  { guard, serviceOf, keyHeader = KEY_HEADER, addressOf }: FetchOptions,
  handler: FetchHandler,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { method, url, headers } = request;
    const header = (name: string): string | undefined => headers.get(name) ?? undefined;
    const service = serviceOf({ method, path: new URL(url).pathname });
    if (service === undefined) {
      return handler(request);
    }
    const decision = await guard.admit({ key: keyIn(header(keyHeader), keyHeader), service, address: addressOf?.(request) });
    if (!decision.admitted) {
      const refused = refusalResponse(decision, { url, header }, keyHeader);
      const body = method === "HEAD" ? null : (refused.body as ConstructorParameters<typeof Response>[0]);
      return new Response(body, { status: refused.status, headers: refused.headers });
    }
    let response: Response;
    try {
      response = await guard.current.run(decision, () => handler(request));
    } catch (error) {
      await decision.settle(false);
      throw error;
    }
    if (isRefunded(response.status)) {
      await decision.settle(false);
    }
    const all = new Headers(response.headers);
    for (const [name, value] of Object.entries(limitHeaders(decision.limits))) {
      all.set(name, value);
    }
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers: all });
  };
}
