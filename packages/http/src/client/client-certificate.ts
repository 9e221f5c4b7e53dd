// A verified client certificate: which client it identifies, and when it expires.
import type { TLSSocket } from "node:tls";

/** The names that can identify a holder. */
export interface SubjectAltNames {
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
}

const NO_NAMES: SubjectAltNames = { uris: [], dnsNames: [] };

// A kind, and a value that is quoted or contains no comma.
const NAME = /^([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/;

/** The names. Empty if any part of the text cannot be parsed: such a certificate identifies nobody. */
export function parseSubjectAltNames(text: string): SubjectAltNames {
  const uris: string[] = [];
  const dnsNames: string[] = [];
  let rest = text;
  while (rest !== "") {
    const found = NAME.exec(rest);
    if (found === null) {
      return NO_NAMES;
    }
    const [whole, kind, value = ""] = found;
    rest = rest.slice(whole.length);
    if (kind === "URI") {
      uris.push(value);
    } else if (kind === "DNS") {
      dnsNames.push(value);
    }
  }
  return { uris, dnsNames };
}

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
