// The proxies that are trusted to say who their clients are.

/** Which proxies are trusted, and which of their statements. Plain data, because it is passed to other threads. */
export interface ProxyTrust {
  /** Addresses and networks in CIDR notation, such as `10.0.0.0/8`, already checked. */
  readonly networks: readonly string[];
  /** Whether a trusted proxy begins each connection with a PROXY protocol header. */
  readonly sendsProxyProtocol: boolean;
  /** Whether a trusted proxy's `x-forwarded-client-cert` is trusted. */
  readonly forwardsClientCert: boolean;
}

export const NO_PROXIES: ProxyTrust = { networks: [], sendsProxyProtocol: false, forwardsClientCert: false };
