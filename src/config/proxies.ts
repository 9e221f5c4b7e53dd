// Reads which proxies are in front of the server, and which of their headers are trusted. Headers from other peers are never trusted.
import { parseIpNetwork } from "@quintet/http";
import type { Environment } from "./environment.ts";

export interface ProxyConfig {
  /** Addresses and networks in CIDR notation; empty if no proxy is trusted. */
  readonly networks: readonly string[];
  /** Whether a trusted proxy begins each connection with a PROXY protocol header. */
  readonly sendsProxyProtocol: boolean;
  /** Whether a trusted proxy's `x-forwarded-client-cert` is trusted. */
  readonly forwardsClientCert: boolean;
}

const NETWORKS = "QUINTET_TRUSTED_PROXIES";
const PROTOCOL = "QUINTET_PROXY_PROTOCOL";
const CLIENT_CERT = "QUINTET_FORWARDED_CLIENT_CERT";

/** Reads QUINTET_TRUSTED_PROXIES, QUINTET_PROXY_PROTOCOL and QUINTET_FORWARDED_CLIENT_CERT. */
export function readProxyConfig(environment: Environment): ProxyConfig {
  const text = environment.optionalText(
    NETWORKS,
    "The proxies in front of the server: addresses and networks such as `10.0.0.0/8,fd00::/8`, separated by commas. Their " +
      "`x-forwarded-for` and `x-forwarded-proto` headers are trusted; those of any other peer are ignored.",
  );
  const networks = text?.split(",").map((part) => part.trim()) ?? [];
  const sendsProxyProtocol =
    environment.choice(
      PROTOCOL,
      "off",
      ["off", "v2"],
      "`v2` if trusted proxies begin each connection with a PROXY protocol header, version 2; otherwise `off`. Connections " +
        "from other addresses have no such header.",
    ) === "v2";
  const forwardsClientCert =
    environment.choice(
      CLIENT_CERT,
      "off",
      ["off", "on"],
      "Whether trusted proxies terminate mutual TLS and describe the verified certificate in `x-forwarded-client-cert`: `off` or `on`. Turn it on only " +
        "if each of them removes that header from its own callers' requests.",
    ) === "on";
  for (const network of networks) {
    const description = faultOf(network);
    if (description !== undefined) {
      environment.fault(NETWORKS, description);
      return { networks: [], sendsProxyProtocol, forwardsClientCert };
    }
  }
  if (sendsProxyProtocol && networks.length === 0) {
    environment.fault(PROTOCOL, `needs ${NETWORKS}: the proxies that may say where a connection comes from`);
  }
  if (forwardsClientCert && networks.length === 0) {
    environment.fault(CLIENT_CERT, `needs ${NETWORKS}: the proxies that may describe a caller's certificate`);
  }
  return { networks, sendsProxyProtocol, forwardsClientCert };
}

function faultOf(network: string): string | undefined {
  const parsed = parseIpNetwork(network);
  if (parsed === undefined) {
    return `must contain addresses and networks such as 10.0.0.0/8 or fd00::1, separated by commas; "${network}" is neither`;
  }
  // Otherwise any caller could claim any address.
  return parsed.prefix === 0 ? `must not trust every address, as "${network}" does; name the proxies' networks` : undefined;
}
