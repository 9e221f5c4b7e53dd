// How a listener speaks TLS.
import { constants } from "node:crypto";
import type { TlsOptions } from "node:tls";
import type { ServerLimits } from "./limits.ts";

/** A certificate with its key and, for mutual TLS, the CAs of client certificates. All are PEM. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
  /** Whether client certificates are requested, and required. `off` without `clientCa`. */
  readonly clientCerts: "off" | "request" | "require";
}

// For TLS 1.2, only ciphers with forward secrecy and authenticated encryption, so that recorded traffic stays secret if the key leaks.
// https://www.rfc-editor.org/rfc/rfc9325#section-4.2
const CIPHERS = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** The TLS options of a listener: TLS 1.2 and up, HTTP/2 before HTTP/1.1, and client certificates if requested. */
export function tlsOptions({ cert, key, clientCa, clientCerts }: TlsMaterial, limits: ServerLimits): TlsOptions {
  const asksForCert = clientCa !== undefined && clientCerts !== "off";
  return {
    cert,
    key,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    // Renegotiation costs the peer little and us a lot: https://www.rfc-editor.org/rfc/rfc9113#section-9.2.1. A resumed session is
    // not verified again, so a certificate would be accepted although it has expired or its CA was removed:
    // https://docs.openssl.org/3.5/man3/SSL_CTX_set_verify/
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | (asksForCert ? constants.SSL_OP_NO_TICKET : 0),
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: limits.firstByteTimeoutMs,
    ...(asksForCert ? { ca: clientCa, requestCert: true, rejectUnauthorized: clientCerts === "require" } : {}),
  };
}
