// Looks up names that strangers choose: hosts of customers' webhooks, and those that upstreams redirect to. The system's own lookup would
// occupy a thread of Node's pool until the name's servers respond, and there are two such threads for the lookups of the whole process:
// names whose servers never respond would keep all other lookups waiting. So these queries go to the resolver directly. They use neither
// the hosts file nor search domains, which no public name needs. Each lookup has a resolver of its own, because a resolver keeps
// using the servers that it found in the system's configuration when it was created.
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { isPrivateHost, isPublicAddress } from "./public-address.ts";

/** The error code of a lookup that found an address that is not public. */
export const PRIVATE_ADDRESS = "PRIVATE_ADDRESS";

/** The queries that a lookup makes. Both reject if the name has no such address, or nothing responds. */
export type AddressResolver = Pick<Resolver, "resolve4" | "resolve6">;

interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

// The codes of the resolver's errors if the name has no address, or does not exist.
const NOT_FOUND: ReadonlySet<string | undefined> = new Set(["ENODATA", "ENOTFOUND"]);

/**
 * A lookup for `net.connect` that fails if any of the name's addresses is not public. The connection goes to the addresses that were
 * checked. If there is none, the error has the code ENOTFOUND, or EAI_AGAIN if that may change soon.
 */
export function createPublicLookup(createResolver: () => AddressResolver): LookupFunction {
  return (hostname, { family, all }, callback) => {
    addressesOf(createResolver, hostname, family).then(
      (addresses) => {
        const first = addresses[0] as Address;
        all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

/** The lookup that uses the machine's resolver. */
export const publicLookup: LookupFunction = createPublicLookup(() => new Resolver({ timeout: 2000, tries: 2 }));

// At least one address, IPv4 first.
async function addressesOf(
  createResolver: () => AddressResolver,
  hostname: string,
  family: number | string | undefined,
): Promise<readonly Address[]> {
  if (isPrivateHost(hostname)) {
    throw privateAddress();
  }
  const resolver = createResolver();
  const queries = [
    family === 6 || family === "IPv6" ? [] : resolver.resolve4(hostname),
    family === 4 || family === "IPv4" ? [] : resolver.resolve6(hostname),
  ];
  const results = await Promise.allSettled(queries);
  const addresses = results.flatMap((result, index): Address[] =>
    result.status === "rejected" ? [] : result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
  );
  if (!addresses.every(({ address }) => isPublicAddress(address))) {
    throw privateAddress();
  }
  if (addresses.length === 0) {
    const isUnknown = results.every((result) => result.status === "fulfilled" || NOT_FOUND.has(result.reason?.code));
    throw Object.assign(new Error("the name could not be resolved"), { code: isUnknown ? "ENOTFOUND" : "EAI_AGAIN" });
  }
  return addresses;
}

const privateAddress = (): Error => Object.assign(new Error("the name resolves to a private address"), { code: PRIVATE_ADDRESS });
