// Turns a logo's address in a list into what a browser can load.

/** A logo: a URL, or the content's address in IPFS, for which there are many gateways. */
export interface Logo {
  /** An https URL, or a URL of the list's own origin or of the IPFS gateway. */
  readonly logo?: string;
  /** An `ipfs://` or `ipns://` address. */
  readonly logoIpfs?: string;
}

/** Where logos may be, apart from https. */
export interface LogoOrigins {
  /** The origin of the list, if its publisher serves lists and logos over http. */
  readonly list?: string;
  /** A gateway for addresses in IPFS. */
  readonly ipfsGateway?: string | undefined;
}

const URL_CHARACTERS_MAX = 2048;
const IPFS_ADDRESS = /^(ipfs|ipns):\/\/(?:ip[fn]s\/)?([^/?#\s][^?#\s]*)$/i;
// Public gateways that lists still name, and that have ended or refuse most requests.
// https://github.com/ipfs/kubo/issues/11358
const DEAD_GATEWAY = "(?:(?:gateway\\.)?ipfs\\.io|dweb\\.link|w3s\\.link|(?:cloudflare|cf)-ipfs\\.com|ipfs\\.infura\\.io)";
const PATH_AT_GATEWAY = new RegExp(`^https?://${DEAD_GATEWAY}/(ip[fn]s)/([^/?#\\s][^?#\\s]*)`, "i");
const SUBDOMAIN_AT_GATEWAY = new RegExp(`^https?://([a-z0-9-]+)\\.(ip[fn]s)\\.${DEAD_GATEWAY}(/[^?#\\s]*)?(?:[?#]|$)`, "i");

/** Empty if a page could not safely load the address. */
export function logoOf(address: string, { list, ipfsGateway }: LogoOrigins = {}): Logo {
  const trimmed = address.trim();
  if (trimmed === "" || trimmed.length > URL_CHARACTERS_MAX) {
    return {};
  }
  const [, id = "", subdomainScheme, subdomainPath = ""] = SUBDOMAIN_AT_GATEWAY.exec(trimmed) ?? [];
  const [, scheme = subdomainScheme, path = `${id}${subdomainPath}`] =
    IPFS_ADDRESS.exec(trimmed) ?? PATH_AT_GATEWAY.exec(trimmed) ?? [];
  if (scheme !== undefined) {
    // A path with `..` would leave the content.
    const normal = URL.parse(`https://gateway.invalid/ipfs/${path}`)?.pathname ?? "";
    const content = normal.startsWith("/ipfs/") ? normal.slice("/ipfs/".length).replace(/\/$/, "") : "";
    const kind = scheme.toLowerCase();
    if (content === "") {
      return {};
    }
    const logoIpfs = `${kind}://${content}`;
    return ipfsGateway === undefined ? { logoIpfs } : { logo: `${ipfsGateway.replace(/\/$/, "")}/${kind}/${content}`, logoIpfs };
  }
  const url = URL.parse(trimmed);
  const isSafe = url !== null && (url.protocol === "https:" || url.origin === list) && url.username === "" && url.password === "";
  return isSafe ? { logo: url.href } : {};
}
