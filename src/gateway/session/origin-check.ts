// Finds out which page makes a call. A browser sends a cookie with the calls of any page, so the page's origin has to be checked.
// https://www.w3.org/TR/fetch-metadata/ https://fetch.spec.whatwg.org/#origin-header
import type { Exchange } from "../../http/exchange.ts";

/** Whether a page of another origin than the server's makes the call. False for a caller that is no browser. */
export function isCrossOrigin({ headers, authority, client }: Pick<Exchange, "headers" | "authority" | "client">): boolean {
  const site = headers["sec-fetch-site"];
  // A word that is not known is not trusted. `none`: the reader has typed the address.
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return true;
  }
  const { origin } = headers;
  if (origin === undefined) {
    return false;
  }
  const page = URL.parse(origin);
  // Behind a proxy that ends TLS and is not trusted, the page is on https and the connection is not encrypted.
  return page === null || page.host !== authority?.toLowerCase() || (client.isSecure && page.protocol !== "https:");
}

/** Whether the caller uses TLS, to this server or to a proxy before it. */
export function isSecureOrigin({ headers, client }: Pick<Exchange, "headers" | "client">): boolean {
  return client.isSecure || headers.origin?.startsWith("https:") === true;
}
