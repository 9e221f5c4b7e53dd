// A caller without a key who has shown a client certificate.

export interface MeshCaller {
  /** The name of the principal that the certificate identifies; undefined if it identifies nobody. */
  readonly principal: string | undefined;
  /** The certificate. `validUntilMs` is in milliseconds since the epoch, and may be brought forward. */
  readonly certificate: { readonly validUntilMs: number };
}

const PREFIX = "mesh:";

/** The name of a principal's account, and the id of its internal credential. The name of a customer's account never contains a colon. */
export const principalAccountName = (principal: string): string => `${PREFIX}${principal}`;

/** The principal of an account with such a name. */
export const principalOf = (accountName: string): string => accountName.slice(PREFIX.length);
