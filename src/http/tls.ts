// How a listener speaks TLS.
import { constants } from "node:crypto";
import type { TlsOptions } from "node:tls";
import type { ServerLimits } from "./limits.ts";

/** A certificate with its key, and for mutual TLS the authorities that sign the callers' certificates. All are PEM. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly clientCa: Buffer | undefined;
}

// Of TLS 1.2 those with forward secrecy and authenticated encryption: who gets hold of the private key later can read nothing that was
// recorded before. https://www.rfc-editor.org/rfc/rfc9325#section-4.2
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

/** How a listener uses them: TLS 1.2 and up, HTTP/2 before HTTP/1.1, and callers' certificates where authorities are given. */
export function tlsOptions({ cert, key, clientCa }: TlsMaterial, limits: ServerLimits): TlsOptions {
  return {
    cert,
    key,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    // A second handshake within a connection costs its peer little and us much. https://www.rfc-editor.org/rfc/rfc9113#section-9.2.1
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: limits.firstByteTimeoutMs,
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  };
}
