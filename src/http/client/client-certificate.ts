// A client certificate that has been verified: what it says of its holder, and for how long that holds.
import type { TLSSocket } from "node:tls";
import { parseSubjectAltNames, type SubjectAltNames } from "./subject-alt-names.ts";

/** A verified certificate. */
export class ClientCertificate {
  /** Its URI and DNS names, as they stand in it. Nothing else of it names its holder: a common name has no rules. */
  readonly names: SubjectAltNames;
  #validUntilMs: number;

  /** `validUntilMs` is in milliseconds since the epoch. */
  constructor(names: SubjectAltNames, validUntilMs: number) {
    this.names = names;
    this.#validUntilMs = validUntilMs;
  }

  /** When it ends to be good, in milliseconds since the epoch; Infinity where only the proxy that verified it knows. */
  get validUntilMs(): number {
    return this.#validUntilMs;
  }

  /** It is good no longer than until then: the authorities have changed, and nobody has verified it by the new ones. */
  endBy(nowMs: number): void {
    this.#validUntilMs = Math.min(this.#validUntilMs, nowMs);
  }
}

/** The certificate of a connection's peer; undefined where it has shown none. The handshake has verified it where `socket.authorized`. */
export function certificateOf(socket: TLSSocket): ClientCertificate | undefined {
  const certificate = socket.getPeerX509Certificate();
  return (
    certificate && new ClientCertificate(parseSubjectAltNames(certificate.subjectAltName ?? ""), certificate.validToDate.getTime())
  );
}
