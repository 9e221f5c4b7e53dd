// Finds out which page sends a call. A browser sends a cookie with calls from any page, so the page's origin has to be checked.
// https://www.w3.org/TR/fetch-metadata/ https://fetch.spec.whatwg.org/#origin-header
import type { Exchange } from "../../http/exchange.ts";

/** Whether a page from another origin makes the call. False for callers that are not browsers. */
export function isCrossOrigin({ headers, authority, client }: Pick<Exchange, "headers" | "authority" | "client">): boolean {
  const site = headers["sec-fetch-site"];
  // Unknown values are not trusted. `none`: the user has typed the address.
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return true;
  }
  const { origin } = headers;
  if (origin === undefined) {
    return false;
  }
  const page = origin.length > ORIGIN_CHARACTERS_MAX ? null : URL.parse(origin);
  if (page === null || page.host !== authority?.toLowerCase()) {
    return true;
  }
  // Pages of this server come over HTTP: any other scheme is foreign, whatever host it names. Behind an untrusted proxy that
  // terminates TLS, the page is on https although the connection is not encrypted.
  return page.protocol !== "https:" && (client.isSecure || page.protocol !== "http:");
}

// A scheme, a host name of at most 253 characters and a port.
const ORIGIN_CHARACTERS_MAX = 300;

/** Whether the caller uses TLS, to this server or to a proxy in front of it. */
export function isSecureOrigin({ headers, client }: Pick<Exchange, "headers" | "client">): boolean {
  return client.isSecure || headers.origin?.startsWith("https:") === true;
}
