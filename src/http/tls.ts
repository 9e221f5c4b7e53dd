// How a listener speaks TLS.
import { constants } from "node:crypto";
import type { TlsOptions } from "node:tls";
import type { ServerLimits } from "./limits.ts";

/** A certificate with its key, and for mutual TLS the authorities that sign the callers' certificates. All are PEM. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
  /** Whether callers are asked for a certificate, and whether those without one are refused. `off` without `clientCa`. */
  readonly clientCerts: "off" | "request" | "require";
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

/** How a listener uses them: TLS 1.2 and up, HTTP/2 before HTTP/1.1, and callers' certificates where they are asked for. */
export function tlsOptions({ cert, key, clientCa, clientCerts }: TlsMaterial, limits: ServerLimits): TlsOptions {
  const asksForCert = clientCa !== undefined && clientCerts !== "off";
  return {
    cert,
    key,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    // A second handshake within a connection costs its peer little and us much. https://www.rfc-editor.org/rfc/rfc9113#section-9.2.1
    // And a session that is taken up again is not verified again: a certificate would be good although it has expired, or its authority has
    // been taken away. https://docs.openssl.org/3.5/man3/SSL_CTX_set_verify/
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | (asksForCert ? constants.SSL_OP_NO_TICKET : 0),
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: limits.firstByteTimeoutMs,
    ...(asksForCert ? { ca: clientCa, requestCert: true, rejectUnauthorized: clientCerts === "require" } : {}),
  };
}
