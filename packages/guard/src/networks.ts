// The networks that an address is in, from the narrowest to the widest. A provider may give one customer a whole network, so many addresses
// may be one caller.

/**
 * IPv6: the /64, /56 and /48 networks (2^64, 2^72 and 2^80 addresses), because a customer gets one of these. IPv4: the address alone and
 * its /24 (256 addresses).
 */
export function networksOf(peer: string): readonly [own: string, ...wider: string[]] {
  const address = peer.replace(/^::ffff:(?=\d+\.)/, "");
  if (!address.includes(":")) {
    const lastDot = address.lastIndexOf(".");
    return lastDot < 0 ? [address] : [address, `${address.slice(0, lastDot)}.0/24`];
  }
  const [first, second, third, fourth] = groupsOf(address) as [string, string, string, string];
  const site = `${first}:${second}:${third}`;
  const subnet = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
  return [`${site}:${fourth}::/64`, `${site}:${subnet}::/56`, `${site}::/48`];
}

// The first four groups of an IPv6 address, without leading zeros.
function groupsOf(address: string): string[] {
  const [head = "", tail] = address.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  return [...first, ...zeros, ...last].slice(0, 4);
}
