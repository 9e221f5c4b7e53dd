// What a trusted proxy says of its caller in `x-forwarded-for` and `x-forwarded-proto`. Each proxy adds the address of its own caller at the end
// of the list, so the list is true from the end to the first address that is no trusted proxy's. What stands before that the caller has made up,
// or might have.
import { isIP } from "node:net";
import { plainAddress, type TrustedProxies } from "./trusted-proxies.ts";

// `192.0.2.1:4711`, `[2001:db8::1]:4711` and `[2001:db8::1]`, as some proxies write them.
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([0-9a-f:.]+)\](?::\d{1,5})?)$/i;

/** The address of the caller whom the proxy at `proxy` speaks for; the last proxy's own where the list cannot be read further. */
export function forwardedFor(proxy: string, list: string | undefined, trusted: TrustedProxies): string {
  let address = proxy;
  const entries = list?.split(",") ?? [];
  while (entries.length > 0 && trusted.has(address)) {
    const text = entries.pop()?.trim() ?? "";
    const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
    const next = plainAddress(ipv4 ?? ipv6 ?? text);
    // Not an address, such as `unknown`: nobody knows who is before this proxy.
    if (isIP(next) === 0) {
      break;
    }
    address = next;
  }
  return address;
}

/** Whether the caller of the last proxy used TLS; undefined where the header does not say. */
export function isForwardedSecure(list: string | undefined): boolean | undefined {
  const proto = list
    ?.slice(list.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase();
  return proto === "https" ? true : proto === "http" ? false : undefined;
}
