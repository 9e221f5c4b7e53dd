// Reads what a trusted proxy says about its client in `x-forwarded-for` and `x-forwarded-proto`. Each proxy appends its client's
// address to the list. So the list can be trusted from its end back to the first address that is not a trusted proxy's. The client
// may have made up everything before that.
import { isIP } from "node:net";
import { type IpNetworks, plainAddress } from "../../runtime/ip-network.ts";

// `192.0.2.1:4711`, `[2001:db8::1]:4711` and `[2001:db8::1]`, as some proxies write addresses.
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([0-9a-f:.]+)\](?::\d{1,5})?)$/i;

// No real chain of proxies is this long.
const PROXIES_MAX = 8;

/**
 * The address of the client behind `proxy`. If an entry of the list cannot be read, or there are too many, it is the last address
 * that could be read.
 */
export function forwardedFor(proxy: string, list: string | undefined, trusted: IpNetworks): string {
  let address = proxy;
  let unread = list;
  for (let proxies = 0; unread !== undefined && proxies < PROXIES_MAX && trusted.has(address); proxies += 1) {
    const comma = unread.lastIndexOf(",");
    const text = unread.slice(comma + 1).trim();
    unread = comma < 0 ? undefined : unread.slice(0, comma);
    const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
    const next = plainAddress(ipv4 ?? ipv6 ?? text);
    // Not an address, such as `unknown`: the client behind this proxy is unknown.
    if (isIP(next) === 0) {
      break;
    }
    address = next;
  }
  return address;
}

/** Whether the client of the last proxy used TLS; undefined if the header does not say. */
export function isForwardedSecure(list: string | undefined): boolean | undefined {
  const proto = list
    ?.slice(list.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase();
  return proto === "https" ? true : proto === "http" ? false : undefined;
}
