// The session as a cookie, for pages of this server. A browser sends a cookie with whatever page's call, so it counts only where the page
// is the server's own. https://www.rfc-editor.org/rfc/rfc6265 https://www.w3.org/TR/fetch-metadata/
import type { Exchange } from "../server/exchange.ts";

const NAME = "quintet_session";
// The longest that browsers keep one. The server decides when the session is over; use prolongs it.
const SECONDS_MAX = 400 * 86_400;

/** The value of a `set-cookie` header that holds a session's token. */
export function sessionCookie(token: string, isSecure: boolean): string {
  return `${NAME}=${token}; Path=/; Max-Age=${SECONDS_MAX}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** The value of a `set-cookie` header that takes the token back. */
export function endedCookie(isSecure: boolean): string {
  return `${NAME}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** The token in a `cookie` header; undefined when there is none. */
export function cookieToken(header: string | undefined): string | undefined {
  const pairs = header?.split(";").map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
}

/** Whether a page of another origin than the server's makes the call. Who is no browser is no page. */
export function isForeignPage({ headers, isSecure }: Pick<Exchange, "headers" | "isSecure">): boolean {
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

/** Whether the cookie may go over secure connections alone: where this one is, or the page that asks for it. */
export function isSecurePage({ headers, isSecure }: Pick<Exchange, "headers" | "isSecure">): boolean {
  return isSecure || headers.origin?.startsWith("https:") === true;
}
