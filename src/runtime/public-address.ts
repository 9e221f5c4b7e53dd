// Tells public internet addresses from those of this machine and of private networks, so that neither a redirect nor a customer's webhook
// can reach systems that only we can reach.
import { BlockList, isIP } from "node:net";

// IANA's special-purpose registry for IPv4, with multicast and the reserved ranges.
const NON_PUBLIC_IPV4 = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  NON_PUBLIC_IPV4.addSubnet(network, prefix, "ipv4");
}

// Only 2000::/3 is global unicast. Everything else in IPv6 is special: loopback, link-local, unique local and the old site-local
// addresses, multicast, segment routing, and all the forms that embed an IPv4 address.
const GLOBAL_UNICAST_IPV6 = new BlockList();
GLOBAL_UNICAST_IPV6.addSubnet("2000::", 3, "ipv6");
// The special ranges within 2000::/3: protocol assignments (including Teredo, benchmarking and ORCHID), documentation, and 6to4.
const NON_PUBLIC_IPV6 = new BlockList();
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  NON_PUBLIC_IPV6.addSubnet(network, prefix, "ipv6");
}

/** Whether an IP address, without brackets, is on the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NON_PUBLIC_IPV4.check(address, "ipv4");
    case 6:
      return GLOBAL_UNICAST_IPV6.check(address, "ipv6") && !NON_PUBLIC_IPV6.check(address, "ipv6");
    default:
      return false;
  }
}

/** Whether a URL's host is a non-public IP address, or a name of this machine. Says nothing about other names. */
export function isPrivateHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) === 0 ? /^(.*\.)?localhost\.?$/.test(hostname) : !isPublicAddress(bare);
}
