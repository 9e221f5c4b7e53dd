// The DNS lookups that finding mirrors needs. Handed in, so that a test answers them.
import { lookup, Resolver } from "node:dns/promises";

/** DNS, as discovery sees it. Both reject when there is no answer. */
export interface NameResolver {
  /** The host names of a service, as the SRV records of `srvName` have them. */
  hostsOf(srvName: string): Promise<readonly string[]>;
  /** The addresses of a host. */
  addressesOf(host: string): Promise<readonly string[]>;
}

/** The machine's own. */
export function systemNameResolver(): NameResolver {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  return {
    hostsOf: async (srvName) => (await resolver.resolveSrv(srvName)).map(({ name }) => name),
    // As connections will look it up, with the hosts file.
    addressesOf: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  };
}
