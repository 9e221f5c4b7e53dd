// The proxies that are trusted to say who their clients are.
import { BlockList, isIP } from "node:net";

/** What is trusted, and from whom. Plain data, because it is passed to other threads. */
export interface ProxyTrust {
  /** Addresses and networks in CIDR notation, such as `10.0.0.0/8`, already checked. */
  readonly networks: readonly string[];
  /** Whether a trusted proxy begins each connection with a PROXY protocol header. */
  readonly sendsProxyProtocol: boolean;
  /** Whether a trusted proxy's `x-forwarded-client-cert` is trusted. */
  readonly forwardsClientCert: boolean;
}

export const NO_PROXIES: ProxyTrust = { networks: [], sendsProxyProtocol: false, forwardsClientCert: false };

export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  constructor(networks: readonly string[]) {
    this.#isEmpty = networks.length === 0;
    for (const network of networks) {
      const [address = "", prefix] = network.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      this.#list.addSubnet(address, prefix === undefined ? (family === "ipv6" ? 128 : 32) : Number(prefix), family);
    }
  }

  /** Whether the set contains an address. False for text that is not an address. */
  has(address: string): boolean {
    if (this.#isEmpty) {
      return false;
    }
    // Node's list refuses the zone of a link-local address, as in `fe80::1%eth0`.
    const plain = plainAddress(address).replace(/%.*$/, "");
    const version = isIP(plain);
    return version !== 0 && this.#list.check(plain, version === 6 ? "ipv6" : "ipv4");
  }
}

// In the canonical form: https://url.spec.whatwg.org/#concept-ipv6-serializer
const MAPPED = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/;

/**
 * Returns an IPv4-mapped IPv6 address in its IPv4 form, however it is written, as seen on a socket that listens on `::`. Returns
 * any other string unchanged.
 */
export function plainAddress(address: string): string {
  if (!/:ffff:/i.test(address) || isIP(address) !== 6 || address.includes("%")) {
    return address;
  }
  const [, high = "", low = ""] = MAPPED.exec(new URL(`http://[${address}]`).hostname) ?? [];
  return low === "" ? address : [high, low].flatMap((group) => bytesOf(Number.parseInt(group, 16))).join(".");
}

const bytesOf = (group: number): readonly number[] => [group >> 8, group & 0xff];
