// IP addresses and networks in CIDR notation: their canonical text, and sets of them.
import { BlockList, isIP } from "node:net";

const BITS = { 4: 32, 6: 128 } as const;

/** A network; a single address has the longest prefix. */
interface IpNetwork {
  readonly address: string;
  readonly prefix: number;
  readonly version: 4 | 6;
}

/** Reads an address or a network, such as `10.0.0.0/8`. Undefined if it is neither. Zones of link-local addresses are not supported. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [given = "", prefix, ...more] = text.split("/");
  const address = plainAddress(given);
  const version = isIP(address) as 0 | 4 | 6;
  if (version === 0 || address.includes("%") || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) {
    return undefined;
  }
  const bits = prefix === undefined ? BITS[version] : Number(prefix);
  return bits <= BITS[version] ? { address, prefix: bits, version } : undefined;
}

/** The canonical text of a network, without the bits set beyond the prefix: `10.0.0.0/8`. A single address has no prefix. */
export function networkText({ address, prefix, version }: IpNetwork): string {
  const beyond = BigInt(BITS[version] - prefix);
  const first = addressText((bitsOf(address, version) >> beyond) << beyond, version);
  return prefix === BITS[version] ? first : `${first}/${prefix}`;
}

/** Whether an address has bits set beyond the prefix, which is probably a mistake. */
export const hasHostBits = ({ address, prefix, version }: IpNetwork): boolean =>
  (bitsOf(address, version) & ((1n << BigInt(BITS[version] - prefix)) - 1n)) !== 0n;

export class IpNetworks {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /** `networks`: addresses and networks that have been checked. */
  constructor(networks: readonly string[]) {
    this.#isEmpty = networks.length === 0;
    for (const network of networks) {
      const parsed = parseIpNetwork(network);
      if (parsed !== undefined) {
        this.#list.addSubnet(parsed.address, parsed.prefix, `ipv${parsed.version}`);
      }
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
 * Returns the IPv4 form of an IPv4-mapped IPv6 address in any spelling. A socket that listens on `::` reports such addresses for IPv4
 * clients. Returns any other string unchanged.
 */
export function plainAddress(address: string): string {
  if (!/:ffff:/i.test(address) || isIP(address) !== 6 || address.includes("%")) {
    return address;
  }
  const [, high = "", low = ""] = MAPPED.exec(new URL(`http://[${address}]`).hostname) ?? [];
  return low === "" ? address : [high, low].flatMap((group) => bytesOf(Number.parseInt(group, 16))).join(".");
}

const bytesOf = (group: number): readonly number[] => [group >> 8, group & 0xff];

function bitsOf(address: string, version: 4 | 6): bigint {
  if (version === 4) {
    return address.split(".").reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  }
  // The URL parser writes an IPv4 address at the end in hexadecimal, and the longest run of zeros as `::`.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const first = groupsOf(head);
  const last = groupsOf(tail ?? "");
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

const groupsOf = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));

function addressText(bits: bigint, version: 4 | 6): string {
  if (version === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
  }
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
