// Turns a logo's address, as lists write it, into an https URL that a browser can load, or into nothing.

// https://docs.ipfs.tech/concepts/ipfs-gateway/
const IPFS_GATEWAY = "https://ipfs.io";
const URL_CHARACTERS_MAX = 2048;

/** An https URL; undefined where the address is none that a page could show safely. */
export function logoUrl(address: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed === "" || trimmed.length > URL_CHARACTERS_MAX) {
    return undefined;
  }
  const content = /^(ipfs|ipns):\/\/(?:ip[fn]s\/)?([^/?#\s][^?#\s]*)$/i.exec(trimmed);
  const [, scheme = "", path = ""] = content ?? [];
  const root = content === null ? "/" : `/${scheme.toLowerCase()}/`;
  const url = URL.parse(content === null ? trimmed : `${IPFS_GATEWAY}${root}${path}`);
  const safe =
    url !== null && url.protocol === "https:" && url.username === "" && url.password === "" && url.pathname.startsWith(root);
  return safe ? url.href : undefined;
}
