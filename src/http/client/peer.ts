// The other end of a connection: a client, or a trusted proxy that forwards for many clients.
import { IpNetworks } from "../../runtime/ip-network.ts";
import type { RequestHeaders } from "../headers.ts";
import type { Client } from "./client.ts";
import type { ClientCertificate } from "./client-certificate.ts";
import { forwardedCertificate } from "./forwarded-client-cert.ts";
import { forwardedFor, isForwardedSecure } from "./forwarded-for.ts";
import type { ProxyTrust } from "./trusted-proxies.ts";

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
