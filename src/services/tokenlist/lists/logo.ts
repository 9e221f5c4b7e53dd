// Turns a logo's address in a list into a URL that a browser can load.

// https://docs.ipfs.tech/concepts/ipfs-gateway/
const IPFS_GATEWAY = "https://ipfs.io";
const URL_CHARACTERS_MAX = 2048;

/**
 * The https URL, or a URL at `listOrigin` if the list's own publisher serves lists and logos over http. Undefined if a page could
 * not safely load the address.
 */
export function logoUrl(address: string, listOrigin?: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed === "" || trimmed.length > URL_CHARACTERS_MAX) {
    return undefined;
  }
  const content = /^(ipfs|ipns):\/\/(?:ip[fn]s\/)?([^/?#\s][^?#\s]*)$/i.exec(trimmed);
  const [, scheme = "", path = ""] = content ?? [];
  const root = content === null ? "/" : `/${scheme.toLowerCase()}/`;
  const url = URL.parse(content === null ? trimmed : `${IPFS_GATEWAY}${root}${path}`);
  const safe =
    url !== null &&
    (url.protocol === "https:" || url.origin === listOrigin) &&
    url.username === "" &&
    url.password === "" &&
    url.pathname.startsWith(root);
  return safe ? url.href : undefined;
}
