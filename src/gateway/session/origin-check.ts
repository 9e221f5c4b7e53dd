// The page that makes a call, where one does. A browser sends a cookie with whatever page's call, so it has to be asked whose page that is.
// https://www.w3.org/TR/fetch-metadata/ https://fetch.spec.whatwg.org/#origin-header
import type { Exchange } from "../../http/exchange.ts";

/** Whether a page of another origin than the server's makes the call. Who is no browser is no page. */
export function isCrossOrigin({ headers, isSecure }: Pick<Exchange, "headers" | "isSecure">): boolean {
  const site = headers["sec-fetch-site"];
  if (site === "cross-site" || site === "same-site") {
    return true;
  }
  const { origin } = headers;
  if (origin === undefined) {
    return false;
  }
  const page = URL.parse(origin);
  const host = headers[":authority"] ?? headers.host;
  // Behind a proxy that ends TLS the page is secure and the connection is not.
  return page === null || page.host !== host?.toString().toLowerCase() || (isSecure && page.protocol !== "https:");
}

/** Whether the page is reached over a secure connection: over this one, or over one that a proxy ends. */
export function isSecureOrigin({ headers, isSecure }: Pick<Exchange, "headers" | "isSecure">): boolean {
  return isSecure || headers.origin?.startsWith("https:") === true;
}
