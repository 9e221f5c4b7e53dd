// Reads `x-forwarded-client-cert`, in which a proxy that ends mutual TLS says whose certificate it has verified, as Envoy writes it: elements
// separated by commas, each of pairs `Key=value` separated by semicolons. A value may be quoted; keys are in any case.
// https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers#x-forwarded-client-cert
//
// Each proxy adds an element at the end for its own caller. The last one is the word of the proxy that speaks to us, and the only one that is
// believed: those before it came from its caller, who may have made them up.
import { ClientCertificate } from "./client-certificate.ts";

// A value is quoted, with a backslash before a quote or a backslash in it, or it has none of the separators. Then the element goes on, another
// one begins, or the header ends.
const PAIR = /([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^",;]*)(;|, *|$)/y;

/** The certificate in the last element. Undefined where the header cannot be read whole: then nothing in it is believed. */
export function forwardedCertificate(header: string): ClientCertificate | undefined {
  let names = { uris: [] as string[], dnsNames: [] as string[] };
  let at = 0;
  for (;;) {
    PAIR.lastIndex = at;
    const found = PAIR.exec(header);
    if (found === null) {
      return undefined;
    }
    const [whole, key = "", value = "", separator] = found;
    at += whole.length;
    // Envoy writes `URI=` for a certificate that has none.
    const list = value === "" ? undefined : { uri: names.uris, dns: names.dnsNames }[key.toLowerCase()];
    list?.push(unquoted(value));
    if (separator === "") {
      return new ClientCertificate(names, Number.POSITIVE_INFINITY);
    }
    if (separator !== ";") {
      names = { uris: [], dnsNames: [] };
    }
  }
}

const unquoted = (value: string): string => (value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value);
