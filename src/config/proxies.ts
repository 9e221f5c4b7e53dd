// Reads which proxies stand in front of the server, and what of their word is believed. Nobody else's is.
import { isIP } from "node:net";
import type { Environment } from "./environment.ts";

/** The proxies in front of the server. */
export interface ProxyConfig {
  /** Addresses and networks in CIDR notation; none where no proxy is trusted. */
  readonly networks: readonly string[];
  /** Whether a trusted proxy begins each connection with a PROXY protocol header. */
  readonly sendsProxyProtocol: boolean;
  /** Whether `x-forwarded-client-cert` of a trusted proxy is believed. */
  readonly forwardsClientCert: boolean;
}

const NETWORKS = "QUINTET_TRUSTED_PROXIES";
const PROTOCOL = "QUINTET_PROXY_PROTOCOL";
const CLIENT_CERT = "QUINTET_FORWARDED_CLIENT_CERT";

/** Reads QUINTET_TRUSTED_PROXIES, QUINTET_PROXY_PROTOCOL and QUINTET_FORWARDED_CLIENT_CERT. */
export function readProxyConfig(environment: Environment): ProxyConfig {
  const text = environment.optionalText(
    NETWORKS,
    "The proxies in front of the server: addresses and networks such as `10.0.0.0/8,fd00::/8`, separated by commas. What they say of their " +
      "callers in `x-forwarded-for` and `x-forwarded-proto` is believed, and nobody else's word.",
  );
  const networks = text?.split(",").map((part) => part.trim()) ?? [];
  const sendsProxyProtocol =
    environment.choice(
      PROTOCOL,
      "off",
      ["off", "v2"],
      "`v2` where trusted proxies begin each connection with a PROXY protocol header, version 2, and `off` where they do not. Connections " +
        "from other addresses have none.",
    ) === "v2";
  const forwardsClientCert =
    environment.choice(
      CLIENT_CERT,
      "off",
      ["off", "on"],
      "Whether trusted proxies end mutual TLS and say in `x-forwarded-client-cert` whose certificate they have verified: `off` or `on`. Only " +
        "where each of them removes that header from what its own callers send.",
    ) === "on";
  for (const network of networks) {
    const whatIsWrong = faultOf(network);
    if (whatIsWrong !== undefined) {
      environment.fault(NETWORKS, whatIsWrong);
      return { networks: [], sendsProxyProtocol, forwardsClientCert };
    }
  }
  if (sendsProxyProtocol && networks.length === 0) {
    environment.fault(PROTOCOL, `needs ${NETWORKS}: who may say where a connection comes from`);
  }
  if (forwardsClientCert && networks.length === 0) {
    environment.fault(CLIENT_CERT, `needs ${NETWORKS}: who may say whose certificate it is`);
  }
  return { networks, sendsProxyProtocol, forwardsClientCert };
}

function faultOf(network: string): string | undefined {
  const [address = "", prefix, ...more] = network.split("/");
  const version = isIP(address);
  const bitsMax = version === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsMax);
  if (version === 0 || address.includes("%") || !isPrefix || more.length > 0) {
    return `must hold addresses and networks such as 10.0.0.0/8 or fd00::1, separated by commas; "${network}" is neither`;
  }
  // Everybody could then say that they are anybody.
  return prefix !== undefined && Number(prefix) === 0
    ? `must not trust every address, as "${network}" does; name the proxies' networks`
    : undefined;
}
