// Tells browsers to use only TLS with this host from now on. A response over plain HTTP must not have this header:
// https://www.rfc-editor.org/rfc/rfc6797#section-7.2
import type { Exchange, ResponseHeaders } from "@quintet/http";

/**
 * Adds `strict-transport-security` to the headers of a response if the caller uses TLS, to this server or to the trusted proxy
 * in front of it.
 */
export type AddTransportSecurity = (target: ResponseHeaders, exchange: Pick<Exchange, "client">) => void;

/** Returns the function that adds the header. With 0 seconds nothing is added: a proxy may add it, or it is not wanted. */
export function createTransportSecurity(maxAgeSeconds: number): AddTransportSecurity {
  const value = `max-age=${maxAgeSeconds}`;
  return maxAgeSeconds === 0
    ? () => {}
    : (target, { client }) => {
        if (client.isSecure) {
          target["strict-transport-security"] = value;
        }
      };
}
