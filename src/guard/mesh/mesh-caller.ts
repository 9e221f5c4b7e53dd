// A caller without a key who has shown a client certificate.

export interface MeshCaller {
  /** The name of the principal that the certificate identifies; undefined if it identifies nobody. */
  readonly principal: string | undefined;
  /** The certificate. `validUntilMs` is in milliseconds since the epoch, and may be brought forward. */
  readonly certificate: { readonly validUntilMs: number };
}

/** The name of a principal's account. No customer's has a colon, and the id of its internal credential is the same. */
export const principalAccountName = (principal: string): string => `mesh:${principal}`;
