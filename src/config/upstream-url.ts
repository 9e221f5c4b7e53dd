// Checks the URLs of upstreams that an operator sets. Any part that our requests would not send, such as a password, is a fault.

/** A URL, or what was given in place of one, without what may be a secret: everything before an `@`, and a query or fragment. */
export const withoutSecrets = (text: string): string => text.replace(/^.*@/s, "…@").replace(/([?#]).*$/s, "$1…");

/** What is wrong with the URL of one document; undefined if nothing is. `shown` is how the text refers to it, without secrets. */
export function documentUrlFault(text: string, shown = text): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/?#]/.test(text)) {
    return `"${withoutSecrets(shown)}" is not one`;
  }
  return url.username + url.password === ""
    ? undefined
    : `the URL at ${url.host} has a user name or password, which would not be sent`;
}

/** What is wrong with a URL to which paths are appended; undefined if nothing is. `shown` is as in `documentUrlFault`. */
export const baseUrlFault = (text: string, shown = text): string | undefined =>
  documentUrlFault(text, shown) ??
  (/[?#]/.test(text) ? `"${withoutSecrets(shown)}" has a query or fragment, but paths are appended to it` : undefined);
