// Where calls with a key may come from: the addresses of machines, and the origins of pages. Nearly all keys have no such restriction, and
// need none of these objects.
import type { Problem } from "../../problem/problem.ts";
import { IpNetworks } from "../../runtime/ip-network.ts";
import type { AllowedCallers, Key } from "../../store/records.ts";
import { keyAddressRefused, keyOriginRefused } from "./key-refusals.ts";

// The memory of the sets, and of each network and origin in them, measured on 64-bit V8.
const SETS_BYTES = 700;
const ENTRY_BYTES = 200;

/** What a request says about where it comes from. */
export interface CallerOrigin {
  /** The caller's IP address. */
  readonly address: string;
  /** The `Origin` header, which browsers send; undefined if there is none. */
  readonly origin?: string | undefined;
}

type RestrictedKey = AllowedCallers & Pick<Key, "id">;

export class CallerRestriction {
  /** How much memory it takes. */
  readonly bytes: number;
  readonly #networks: IpNetworks | undefined;
  readonly #origins: readonly string[];

  readonly #keyId: string;

  private constructor({ id, allowedAddresses, allowedOrigins }: RestrictedKey) {
    this.#keyId = id;
    this.bytes = SETS_BYTES + ENTRY_BYTES * (allowedAddresses.length + allowedOrigins.length);
    this.#networks = allowedAddresses.length === 0 ? undefined : new IpNetworks(allowedAddresses);
    this.#origins = allowedOrigins;
  }

  /** A key's restriction; undefined if its calls may come from anywhere. */
  static of(key: RestrictedKey): CallerRestriction | undefined {
    return key.allowedAddresses.length + key.allowedOrigins.length === 0 ? undefined : new CallerRestriction(key);
  }

  /** Why a call from this place is refused; undefined if it is not. */
  refusal({ address, origin }: CallerOrigin): Problem | undefined {
    if (this.#networks?.has(address) === false) {
      return keyAddressRefused(this.#keyId, address);
    }
    const isAllowed = this.#origins.length === 0 || (origin !== undefined && this.#origins.includes(origin));
    return isAllowed ? undefined : keyOriginRefused(this.#keyId, origin);
  }
}
