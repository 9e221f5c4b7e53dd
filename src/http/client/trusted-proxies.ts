// The proxies whose word about their callers is taken.
import { BlockList, isIP } from "node:net";

/** What is believed, and of whom. Plain data, because it is handed to other threads. */
export interface ProxyTrust {
  /** Addresses and networks in CIDR notation, such as `10.0.0.0/8`. Each has been checked. */
  readonly networks: readonly string[];
  /** Whether a trusted proxy begins each connection with a PROXY protocol header. */
  readonly sendsProxyProtocol: boolean;
  /** Whether `x-forwarded-client-cert` of a trusted proxy is believed. */
  readonly forwardsClientCert: boolean;
}

/** Nobody is trusted. */
export const NO_PROXIES: ProxyTrust = { networks: [], sendsProxyProtocol: false, forwardsClientCert: false };

/** A set of networks. */
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

  /** Whether an address is one of theirs. False for what is no address. */
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

// As the parser of URLs writes it: https://url.spec.whatwg.org/#concept-ipv6-serializer
const MAPPED = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/;

/**
 * An IPv4 address that is mapped into IPv6, as on a socket that listens on `::` or from a balancer that does, as itself, however it is spelt;
 * any other text as it is.
 */
export function plainAddress(address: string): string {
  if (!/:ffff:/i.test(address) || isIP(address) !== 6 || address.includes("%")) {
    return address;
  }
  const [, high = "", low = ""] = MAPPED.exec(new URL(`http://[${address}]`).hostname) ?? [];
  return low === "" ? address : [high, low].flatMap((group) => octetsOf(Number.parseInt(group, 16))).join(".");
}

const octetsOf = (group: number): readonly number[] => [group >> 8, group & 0xff];
