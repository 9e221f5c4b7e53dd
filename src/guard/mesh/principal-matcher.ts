// Finds the principal of a client certificate.
import { isSpiffeId, type MeshPrincipal } from "../../catalogue/principals.ts";

export interface CertifiedNames {
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
}

/** The principals of a server, by their identities. */
export class PrincipalMatcher {
  readonly #spiffeIds = new Map<string, string>();
  /** Principals by the part of their identity before the `*`, with the slash. */
  readonly #prefixes = new Map<string, string>();
  readonly #dnsNames = new Map<string, string>();

  constructor(principals: readonly MeshPrincipal[]) {
    for (const { name, identities } of principals) {
      for (const identity of identities) {
        if (identity.endsWith("/*")) {
          this.#prefixes.set(identity.slice(0, -1), name);
        } else {
          (isSpiffeId(identity) ? this.#spiffeIds : this.#dnsNames).set(identity, name);
        }
      }
    }
  }

  /**
   * The name of the principal, or undefined. A certificate with a SPIFFE ID and another URI identifies nobody:
   * https://github.com/spiffe/spiffe/blob/main/standards/X509-SVID.md#2-spiffe-id. If the SPIFFE ID belongs to no principal, the
   * certificate's DNS names count. If they belong to several principals, the certificate identifies nobody either.
   */
  find({ uris, dnsNames }: CertifiedNames): string | undefined {
    if (uris.length > 1 && uris.some((uri) => /^spiffe:/i.test(uri))) {
      return undefined;
    }
    const [uri = ""] = uris;
    const bySpiffeId = isSpiffeId(uri) ? this.#findSpiffeId(uri) : undefined;
    if (bySpiffeId !== undefined) {
      return bySpiffeId;
    }
    const found = new Set(dnsNames.map((name) => this.#dnsNames.get(name.toLowerCase())));
    found.delete(undefined);
    return found.size === 1 ? [...found][0] : undefined;
  }

  // Tries the ID itself, then the longest prefix.
  #findSpiffeId(id: string): string | undefined {
    const exact = this.#spiffeIds.get(id);
    if (exact !== undefined || this.#prefixes.size === 0) {
      return exact;
    }
    const pathAt = id.indexOf("/", "spiffe://".length);
    for (let end = id.lastIndexOf("/"); end >= pathAt; end = id.lastIndexOf("/", end - 1)) {
      const found = this.#prefixes.get(id.slice(0, end + 1));
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }
}
