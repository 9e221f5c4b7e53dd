// DNS from a table, for tests.
import type { NameResolver } from "../../../src/services/radio/name-resolver.ts";

/** Resolves names that are in the tables, and rejects all others as DNS does. */
export function tableResolver(tables: {
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  readonly services: Readonly<Record<string, readonly string[]>>;
}): NameResolver {
  const find = async (table: Readonly<Record<string, readonly string[]>>, name: string): Promise<readonly string[]> => {
    const found = table[name];
    if (found === undefined) {
      throw new Error(`ENOTFOUND ${name}`);
    }
    return found;
  };
  return {
    hostsOf: (srvName) => find(tables.services, srvName),
    addressesOf: (host) => find(tables.addresses, host),
  };
}
