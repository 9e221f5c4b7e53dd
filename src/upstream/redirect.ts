// Decides where a redirect may lead. An upstream's redirect is untrusted input: it could point into our own network.

import { isPrivateHost } from "../runtime/public-address.ts";
import { UpstreamFault } from "./fault.ts";

export const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The target of a redirect. `configured` is the upstream's own URL, `current` the one that returned `location`. Allows only http and https,
 * never from https to http, never with credentials, and never to a private address unless the configured URL is itself on one. Names are
 * not resolved here: the connection to another origin does that, with `publicLookup`. Throws an UpstreamFault "status".
 */
export function redirectTarget(configured: URL, current: URL, status: number, location: string | undefined): URL {
  const refuse = (why: string): never => {
    throw new UpstreamFault("status", `redirects ${why}`, { status });
  };
  const target = location === undefined || location.length > 4096 ? null : URL.parse(location, current);
  if (target === null) {
    return refuse("without a location");
  }
  if (target.protocol !== "https:" && !(target.protocol === "http:" && configured.protocol === "http:")) {
    return refuse("to a scheme that is not followed");
  }
  if (target.username !== "" || target.password !== "") {
    return refuse("to a URL with credentials");
  }
  if (isPrivateHost(target.hostname) && !isPrivateHost(configured.hostname)) {
    return refuse("to a private address");
  }
  target.hash = "";
  return target;
}
