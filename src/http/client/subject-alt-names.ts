// Parses the subject alternative names of a certificate from Node's text, such as `DNS:a.example, URI:spiffe://a/b`. Node writes
// names with unusual characters as JSON strings, so that one name cannot pass for several.
// https://nodejs.org/api/crypto.html#x509subjectaltname

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
