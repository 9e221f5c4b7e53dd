// Reads `x-forwarded-client-cert`, in which a proxy that terminates mutual TLS describes the certificate that it verified. Envoy's format:
// comma-separated elements of `Key=value` pairs separated by semicolons; values may be quoted, keys are case-insensitive. Each proxy
// appends an element for its own client. Only the last one is trusted, because it comes from the proxy that talks to us: the client may
// have made up the others. https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers#x-forwarded-client-cert
import { ClientCertificate } from "./client-certificate.ts";

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
