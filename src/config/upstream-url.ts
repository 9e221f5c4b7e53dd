// Checks the URLs of upstreams that an operator sets. Any part that our requests would not send, such as a password, is a fault.

/**
 * What is wrong with the URL of one document; undefined if nothing is. `shown` is how the text refers to it; a password is never shown.
 */
export function documentUrlFault(text: string, shown = text): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/?#]/.test(text)) {
    return `"${shown}" is not one`;
  }
  return url.username + url.password === ""
    ? undefined
    : `the URL at ${url.host} has a user name or password, which would not be sent`;
}

/** What is wrong with a URL to which paths are appended; undefined if nothing is. `shown` is as in `documentUrlFault`. */
export const baseUrlFault = (text: string, shown = text): string | undefined =>
  documentUrlFault(text, shown) ??
  (/[?#]/.test(text) ? `"${shown}" has a query or fragment, but paths are appended to it` : undefined);
