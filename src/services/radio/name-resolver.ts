// The DNS lookups for finding mirrors. Passed in, so that a test can replace them.
import { lookup, Resolver } from "node:dns/promises";

/** The DNS lookups that discovery makes. Both methods reject if there is no response. */
export interface NameResolver {
  /** The host names of a service, from the SRV records of `srvName`. */
  hostsOf(srvName: string): Promise<readonly string[]>;
  addressesOf(host: string): Promise<readonly string[]>;
}

/** The machine's own resolver. */
export function systemNameResolver(): NameResolver {
  return {
    // A resolver keeps using the name servers that the system had when it was created.
    hostsOf: async (srvName) => (await new Resolver({ timeout: 2000, tries: 2 }).resolveSrv(srvName)).map(({ name }) => name),
    // The same lookup that connections use, including the hosts file.
    addressesOf: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  };
}
