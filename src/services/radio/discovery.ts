// Finds the directory's mirrors by DNS if a service name is configured. The configured list stands behind them, or in their place if there
// are none.
// One machine with two names counts as one mirror.
import { isIP } from "node:net";
import type { NameResolver } from "./name-resolver.ts";

export interface DiscoveryOptions {
  /** The SRV name, such as `_api._tcp.example.org`; undefined for none. */
  readonly srvName: string | undefined;
  /** The configured origins. */
  readonly mirrors: readonly string[];
  readonly resolver: NameResolver;
}

/** A longer list is a mistake or an attack. */
const MIRRORS_MAX = 16;

/** The origins of the mirrors. */
export interface FoundMirrors {
  /** Those found by DNS, `https://HOST`; the configured ones if DNS names none that can be used. */
  readonly found: readonly string[];
  /** The configured ones behind those found by DNS. */
  readonly reserves: readonly string[];
}

/** Finds the mirrors. None only if none is configured. Never rejects. */
export async function discoverMirrors({ srvName, mirrors, resolver }: DiscoveryOptions): Promise<FoundMirrors> {
  const named = srvName === undefined ? [] : await discovered(srvName, resolver);
  const configured = mirrors.slice(0, MIRRORS_MAX);
  const reachable = await distinct([...named, ...configured], resolver);
  const found = reachable.filter((origin) => named.includes(origin));
  const reserves = reachable.filter((origin) => !named.includes(origin));
  if (found.length > 0) {
    return { found, reserves };
  }
  // If no name resolves, our own DNS is down, and the configured names are still the best choice.
  return { found: reserves.length > 0 ? reserves : mirrors, reserves: [] };
}

async function discovered(srvName: string, resolver: NameResolver): Promise<readonly string[]> {
  // The DNS response may only name hosts in the service's own domain. The ports of the records are ignored: the directory's
  // clients all use https.
  const domain = srvName.toLowerCase().split(".").slice(2).join(".");
  try {
    const hosts = await resolver.hostsOf(srvName);
    const names = hosts.map((host) => host.toLowerCase().replace(/\.$/, ""));
    return [...new Set(names)]
      .filter((name) => /^[a-z0-9.-]{1,253}$/.test(name) && name.endsWith(`.${domain}`))
      .slice(0, MIRRORS_MAX)
      .map((name) => `https://${name}`);
  } catch {
    return [];
  }
}

// The origins whose names resolve, without those with the same address and port as an earlier one.
async function distinct(origins: readonly string[], resolver: NameResolver): Promise<readonly string[]> {
  const endpoints = await Promise.all(origins.map((origin) => endpointsOf(new URL(origin), resolver)));
  const seen = new Set<string>();
  return origins.filter((_, index) => {
    const own = endpoints[index] ?? [];
    const fresh = own.length > 0 && !own.some((endpoint) => seen.has(endpoint));
    for (const endpoint of own) {
      seen.add(endpoint);
    }
    return fresh;
  });
}

async function endpointsOf({ hostname, protocol, port }: URL, resolver: NameResolver): Promise<readonly string[]> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const portNumber = port === "" ? protocol : port;
  try {
    const addresses = isIP(host) === 0 ? await resolver.addressesOf(host) : [host];
    return addresses.map((address) => `${address} ${portNumber}`);
  } catch {
    return [];
  }
}
