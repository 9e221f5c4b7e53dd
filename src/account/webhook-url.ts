// Checks the URLs to which customers want alerts to be sent.

import { hasControlCharacter } from "../runtime/control-characters.ts";
import { isPrivateHost } from "../runtime/public-address.ts";

/** What is wrong with a URL; undefined if nothing is. `allowsPrivate`: whether http and private hosts are allowed. */
export function webhookUrlFault(text: string, { allowsPrivate }: { readonly allowsPrivate: boolean }): string | undefined {
  // The URL parser ignores most of these characters.
  if (/\s/.test(text) || hasControlCharacter(text)) {
    return "must not contain spaces or control characters";
  }
  const url = URL.parse(text);
  const scheme = allowsPrivate ? "an https or http URL" : "an https URL";
  if (url === null || url.hostname === "" || !(url.protocol === "https:" || (allowsPrivate && url.protocol === "http:"))) {
    return `must be ${scheme}, such as https://example.com/webhooks`;
  }
  if (url.username !== "" || url.password !== "") {
    return "must not contain a user name or password; requests are signed instead";
  }
  if (url.hash !== "") {
    return "must not have a fragment: leave out # and what follows it";
  }
  return !allowsPrivate && isPrivateHost(url.hostname) ? "must name a host on the public internet" : undefined;
}
