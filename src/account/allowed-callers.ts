// Checks the addresses and origins from which a customer allows calls with a key.

import { hasHostBits, networkText, parseIpNetwork } from "@quintet/http";
import { withoutSecrets } from "@quintet/transcoding";
import type { Violation } from "../problem/problem.ts";
import { isWebOrigin, originOf } from "../runtime/web-origin.ts";
import type { AllowedCallers } from "../store/records.ts";

const ADDRESSES_MAX = 20;
const ORIGINS_MAX = 10;
// An error quotes at most this many characters of a wrong entry.
const SHOWN_MAX = 100;

const quoted = (text: string): string => JSON.stringify(withoutSecrets(text).slice(0, SHOWN_MAX));

/** What is wrong with the given lists. */
export function callerFaults({ allowedAddresses = [], allowedOrigins = [] }: Partial<AllowedCallers>): Violation[] {
  return [
    ...faultsOf("allowed_addresses", allowedAddresses, ADDRESSES_MAX, addressFault),
    ...faultsOf("allowed_origins", allowedOrigins, ORIGINS_MAX, originFault),
  ];
}

/** The given lists, with addresses and networks in their canonical form. The lists must have been checked. */
export const canonicalCallers = <Given extends Partial<AllowedCallers>>(given: Given): Given => ({
  ...given,
  ...(given.allowedAddresses !== undefined && { allowedAddresses: given.allowedAddresses.map(canonicalAddress) }),
});

function faultsOf(
  field: string,
  entries: readonly string[],
  countMax: number,
  faultOf: (entry: string) => string | undefined,
): Violation[] {
  const canonical = entries.map(canonicalAddress);
  const duplicate = entries.find((_, index) => canonical.indexOf(canonical[index] as string) < index);
  const description =
    entries.length > countMax
      ? `must have at most ${countMax} entries, not ${entries.length}`
      : (entries.map(faultOf).find((fault) => fault !== undefined) ??
        (duplicate === undefined ? undefined : `must not contain ${quoted(duplicate)} twice`));
  return description === undefined ? [] : [{ field, description }];
}

function canonicalAddress(entry: string): string {
  const network = parseIpNetwork(entry);
  return network === undefined ? entry : networkText(network);
}

function addressFault(entry: string): string | undefined {
  const network = parseIpNetwork(entry);
  if (network === undefined) {
    return `must be addresses or networks such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32; ${quoted(entry)} is neither`;
  }
  if (network.prefix === 0) {
    return `has ${quoted(entry)}, which covers every address; to allow every address, leave the list empty`;
  }
  return hasHostBits(network)
    ? `has ${quoted(entry)}, which is an address inside a network; write ${networkText(network)} for the network`
    : undefined;
}

function originFault(entry: string): string | undefined {
  if (isWebOrigin(entry)) {
    return undefined;
  }
  const intended = originOf(entry);
  return intended !== undefined && isWebOrigin(intended)
    ? `must be origins as browsers send them; write ${quoted(entry)} as ${intended}`
    : `must be origins of at most 100 characters such as https://app.example.com; ${quoted(entry)} is not one`;
}
