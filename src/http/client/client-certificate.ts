// A verified client certificate: which client it identifies, and when it expires.
import type { TLSSocket } from "node:tls";
import { parseSubjectAltNames, type SubjectAltNames } from "./subject-alt-names.ts";

export class ClientCertificate {
  /** Its URI and DNS names, as written. Common names are ignored, because no rule says what they contain. */
  readonly names: SubjectAltNames;
  #validUntilMs: number;

  /** `validUntilMs` is in milliseconds since the epoch. */
  constructor(names: SubjectAltNames, validUntilMs: number) {
    this.names = names;
    this.#validUntilMs = validUntilMs;
  }

  /** When it expires, in milliseconds since the epoch. Infinity if only the proxy that verified it knows. */
  get validUntilMs(): number {
    return this.#validUntilMs;
  }

  /** Expires the certificate at this time: the CAs have changed and the new ones have not verified it. */
  expireBy(nowMs: number): void {
    this.#validUntilMs = Math.min(this.#validUntilMs, nowMs);
  }
}

/** The certificate of a connection's peer; undefined if it presented none. The handshake has verified it if `socket.authorized`. */
export function certificateOf(socket: TLSSocket): ClientCertificate | undefined {
  const certificate = socket.getPeerX509Certificate();
  return (
    certificate && new ClientCertificate(parseSubjectAltNames(certificate.subjectAltName ?? ""), certificate.validToDate.getTime())
  );
}
