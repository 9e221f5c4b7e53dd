import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SubjectAltNames } from "../../src/client/client-certificate.ts";
import { forwardedCertificate } from "../../src/client/peer.ts";

const HASH = "Hash=468ed33be74eee6556d90c0149c1309e9ba61d6425303443c0748a02dd8de688";
const names = (header: string): SubjectAltNames | undefined => forwardedCertificate(header)?.names;

describe("x-forwarded-client-cert", () => {
  test.for<[what: string, header: string, uris: readonly string[], dnsNames: readonly string[]]>([
    [
      "as Envoy writes it",
      `By=spiffe://a.example/gateway;${HASH};Subject="CN=shop,O=\\"Acme\\"; Inc";URI=spiffe://a.example/shop;DNS=shop.example;DNS=www.shop.example`,
      ["spiffe://a.example/shop"],
      ["shop.example", "www.shop.example"],
    ],
    ["with the certificate in it", `${HASH};Cert="-----BEGIN%20CERTIFICATE-----%0AMIIB=";URI=spiffe://a/b`, ["spiffe://a/b"], []],
    ["with keys in either case", "by=x;uri=spiffe://a/b;Dns=c.example", ["spiffe://a/b"], ["c.example"]],
    ["with a quoted URI", 'URI="spiffe://a/b"', ["spiffe://a/b"], []],
    ["of a certificate without names", `By=spiffe://a/gateway;${HASH};Subject="";URI=`, [], []],
    ["with several URIs: all are kept", "URI=spiffe://a/b;URI=spiffe://a/c", ["spiffe://a/b", "spiffe://a/c"], []],
    ["with several elements: the last one", "URI=spiffe://a/first;DNS=first.example,URI=spiffe://a/last", ["spiffe://a/last"], []],
    ["with a space after the comma", "URI=spiffe://a/first, DNS=last.example", [], ["last.example"]],
    ["with a quoted element", 'URI=spiffe://a/b;Subject=",URI=spiffe://a/victim;"', ["spiffe://a/b"], []],
    [
      "with the most pairs allowed",
      `${"DNS=a.example;".repeat(99)}URI=spiffe://a/b`,
      ["spiffe://a/b"],
      Array(99).fill("a.example"),
    ],
    ["with a last element that names nobody", `URI=spiffe://a/victim,${HASH}`, [], []],
  ])("%s", ([, header, uris, dnsNames]) => {
    expect(names(header)).toEqual({ uris, dnsNames });
  });

  test.for([
    "",
    ",",
    ";",
    "spiffe://a/b",
    "URI",
    "=spiffe://a/b",
    "URI=spiffe://a/b;",
    "URI=spiffe://a/b,",
    ",URI=spiffe://a/b",
    'URI="spiffe://a/b',
    'URI=spiffe://a/b"',
    'URI="spiffe://a/b\\"',
    'URI="spiffe://a/b"c',
    "URI=spiffe://a/b ; DNS=c",
    `${"DNS=a.example;".repeat(100)}URI=spiffe://a/b`,
  ])("%j cannot be parsed, and nothing in it is trusted", (header) => {
    expect(forwardedCertificate(header)).toBeUndefined();
  });

  test("comes from the last element, whatever comes before it", () => {
    const text = fc.string({ unit: fc.constantFrom("U", "R", "I", "=", ";", ",", '"', "\\", " ", "a"), maxLength: 40 });
    fc.assert(
      fc.property(text, (before) => {
        const read = names(`${before},URI=spiffe://a/last`);
        // What comes before may make the element unreadable, or leave a quote open around it, but can add nothing to it.
        expect([undefined, ["spiffe://a/last"]]).toContainEqual(read?.uris);
      }),
    );
  });

  test("round-trips every quoted value", () => {
    const value = fc.string({ minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(value, (uri) => {
        const quoted = `"${uri.replaceAll(/["\\]/g, "\\$&")}"`;
        expect(names(`By=x;URI=${quoted};Subject=${quoted}`)?.uris).toEqual([uri]);
      }),
    );
  });
});
