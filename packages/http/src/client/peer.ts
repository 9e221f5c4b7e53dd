// The other end of a connection: a client, or a trusted proxy that forwards for many clients.

import { isIP } from "node:net";
import type { RequestHeaders } from "../headers.ts";
import { IpNetworks, plainAddress } from "../ip-network.ts";
import type { Client } from "./client.ts";
import { ClientCertificate } from "./client-certificate.ts";
import type { ProxyTrust } from "./trusted-proxies.ts";

// Reads what a trusted proxy says about its client in `x-forwarded-for` and `x-forwarded-proto`. Each proxy appends its client's
// address to the list. So the list can be trusted from its end back to the first address that is not a trusted proxy's. The client
// may have made up everything before that.

// `192.0.2.1:4711`, `[2001:db8::1]:4711` and `[2001:db8::1]`, as some proxies write addresses.
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([0-9a-f:.]+)\](?::\d{1,5})?)$/i;

// No real chain of proxies is this long.
const PROXIES_MAX = 8;

/**
 * The address of the client behind `proxy`. If an entry of the list cannot be read, or there are too many, it is the last address
 * that could be read.
 */
export function forwardedFor(proxy: string, list: string | undefined, trusted: IpNetworks): string {
  let address = proxy;
  let unread = list;
  for (let proxies = 0; unread !== undefined && proxies < PROXIES_MAX && trusted.has(address); proxies += 1) {
    const comma = unread.lastIndexOf(",");
    const text = unread.slice(comma + 1).trim();
    unread = comma < 0 ? undefined : unread.slice(0, comma);
    const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
    const next = plainAddress(ipv4 ?? ipv6 ?? text);
    // Not an address, such as `unknown`: the client behind this proxy is unknown.
    if (isIP(next) === 0) {
      break;
    }
    address = next;
  }
  return address;
}

/** Whether the client of the last proxy used TLS; undefined if the header does not say. */
export function isForwardedSecure(list: string | undefined): boolean | undefined {
  const proto = list
    ?.slice(list.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase();
  return proto === "https" ? true : proto === "http" ? false : undefined;
}

// Reads `x-forwarded-client-cert`, in which a proxy that terminates mutual TLS describes the certificate that it verified. Envoy's format:
// comma-separated elements of `Key=value` pairs separated by semicolons; values may be quoted, keys are case-insensitive. Each proxy
// appends an element for its own client. Only the last one is trusted, because it comes from the proxy that talks to us: the client may
// have made up the others. https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers#x-forwarded-client-cert

// A value is either quoted, with a backslash before each quote or backslash in it, or it contains no separators. After it comes another
// pair, another element or the end of the header.
const PAIR = /([A-Za-z]+)=("[^"\\]*(?:\\.[^"\\]*)*"|[^",;]*)(;|, *|$)/y;
// Enough for several chained proxies whose certificates have many names.
const PAIRS_MAX = 100;
const KIND_LENGTH = "URI".length;

/**
 * The certificate in the last element. Undefined if the header is too long or any part of it cannot be read: then nothing in it is trusted.
 */
export function forwardedCertificate(header: string): ClientCertificate | undefined {
  let names = { uris: [] as string[], dnsNames: [] as string[] };
  let at = 0;
  for (let pairs = 0; pairs < PAIRS_MAX; pairs += 1) {
    PAIR.lastIndex = at;
    const found = PAIR.exec(header);
    if (found === null) {
      return undefined;
    }
    const [whole, key = "", value = "", separator] = found;
    at += whole.length;
    // Envoy writes an empty `URI=` for a certificate without one.
    const kind = value === "" || key.length !== KIND_LENGTH ? "" : key.toLowerCase();
    if (kind === "uri") {
      names.uris.push(value);
    } else if (kind === "dns") {
      names.dnsNames.push(value);
    }
    if (separator === "") {
      const unquotedNames = { uris: names.uris.map(unquoted), dnsNames: names.dnsNames.map(unquoted) };
      return new ClientCertificate(unquotedNames, Number.POSITIVE_INFINITY);
    }
    if (separator !== ";") {
      names = { uris: [], dnsNames: [] };
    }
  }
  return undefined;
}

const unquoted = (value: string): string => (value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value);

/** Tells clients from trusted proxies. */
export class ProxyRules {
  readonly trusted: IpNetworks;
  readonly sendsProxyProtocol: boolean;
  readonly #forwardsClientCert: boolean;

  constructor({ networks, sendsProxyProtocol, forwardsClientCert }: ProxyTrust) {
    this.trusted = new IpNetworks(networks);
    this.sendsProxyProtocol = sendsProxyProtocol;
    this.#forwardsClientCert = forwardsClientCert;
  }

  /** The client that a trusted proxy names for a request. */
  clientOf(peer: Peer, headers: RequestHeaders): Client {
    const forwardedCert = headers["x-forwarded-client-cert"];
    return {
      address: forwardedFor(peer.address, headers["x-forwarded-for"], this.trusted),
      isSecure: isForwardedSecure(headers["x-forwarded-proto"]) ?? peer.isSecure,
      certificate: this.#forwardsClientCert && forwardedCert !== undefined ? forwardedCertificate(forwardedCert) : undefined,
    };
  }
}

export class Peer implements Client {
  readonly address: string;
  readonly isSecure: boolean;
  readonly certificate: ClientCertificate | undefined;
  /** The certificate of this connection itself, even if a proxy forwards for a client. */
  readonly ownCertificate: ClientCertificate | undefined;
  readonly #rules: ProxyRules | undefined;

  /** With `rules`, the peer is a trusted proxy: its headers say who the clients are, and its own certificate is not theirs. */
  constructor({ address, isSecure, certificate }: Client, rules?: ProxyRules) {
    this.address = address;
    this.isSecure = isSecure;
    this.certificate = rules === undefined ? certificate : undefined;
    this.ownCertificate = certificate;
    this.#rules = rules;
  }

  clientOf(headers: RequestHeaders): Client {
    return this.#rules === undefined ? this : this.#rules.clientOf(this, headers);
  }
}
