// Connections to other hosts: directly, or through the proxy of the network that the server is in.
import { isIP } from "node:net";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { publicLookup } from "./public-lookup.ts";

/** The proxies for http and https URLs, as URLs, and the hosts that are reached without one, separated by commas. */
export interface ProxyConfig {
  readonly http: string;
  readonly https: string;
  readonly none: string;
}

/** An agent for hosts that the operator has named. */
export const createAgent = (proxy: ProxyConfig | undefined, options: Agent.Options): Dispatcher =>
  proxy === undefined
    ? new Agent(options)
    : new EnvHttpProxyAgent({ ...options, httpProxy: proxy.http, httpsProxy: proxy.https, noProxy: proxy.none });

/**
 * An agent for hosts that a stranger has named: connections go only to public addresses. A proxy is given the address that was looked up
 * and checked here, never the name, because it might look up another.
 */
export const createGuardedAgent = (proxy: ProxyConfig | undefined, options: Agent.Options): Dispatcher =>
  proxy === undefined
    ? new Agent({ ...options, connect: { ...options.connect, lookup: publicLookup } })
    : createAgent(proxy, options).compose((dispatch) => (request, handler) => {
        const { protocol, host, hostname, port } = new URL(String(request.origin));
        if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) {
          return dispatch(request, handler);
        }
        publicLookup(hostname, { all: true }, (error, addresses) => {
          const [first] = Array.isArray(addresses) ? addresses : [];
          if (error !== null || first === undefined) {
            // undici's own interceptors have no controller at this point either.
            handler.onResponseError?.(null as never, error ?? new Error("the name has no address"));
            return;
          }
          const address = first.family === 6 ? `[${first.address}]` : first.address;
          const headers = { ...(request.headers as Record<string, string>), host };
          dispatch(
            { ...request, origin: `${protocol}//${address}:${port}`, servername: hostname, headers } as typeof request,
            handler,
          );
        });
        return true;
      });
