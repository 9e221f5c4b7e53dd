import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { parseSubjectAltNames } from "../../src/client/client-certificate.ts";
import { makeAuthority } from "../fixtures/certificates.ts";

test.for<[text: string, uris: readonly string[], dnsNames: readonly string[]]>([
  ["", [], []],
  ["URI:spiffe://a/b", ["spiffe://a/b"], []],
  ["DNS:a.example, URI:spiffe://a/b, DNS:b.example", ["spiffe://a/b"], ["a.example", "b.example"]],
  ["IP Address:127.0.0.1, email:a@b.example, DNS:a.example", [], ["a.example"]],
  // A name that contains a separator stays one name.
  ['DNS:"a.example, URI:spiffe://a/b"', [], ['"a.example, URI:spiffe://a/b"']],
  ['URI:"spiffe://a/\\", URI:spiffe://c/d"', ['"spiffe://a/\\", URI:spiffe://c/d"'], []],
  // A list that cannot be parsed identifies nobody.
  ["URI:spiffe://a/b, ", ["spiffe://a/b"], []],
  ["URI:spiffe://a/b,URI:spiffe://c/d", [], []],
  ['URI:spiffe://a/b, URI:"spiffe://c', [], []],
  ["spiffe://a/b", [], []],
])("the names in %j are parsed", ([text, uris, dnsNames]) => {
  expect(parseSubjectAltNames(text)).toEqual({ uris, dnsNames });
});

test("the names of a certificate are parsed as Node writes them, whatever they contain", () => {
  const authority = makeAuthority();
  const namesOf = (names: string) =>
    parseSubjectAltNames(new X509Certificate(authority.certify({ names }).cert).subjectAltName ?? "");
  expect([
    namesOf("URI:spiffe://a.example/b,DNS:c.example,IP:127.0.0.1"),
    namesOf("@more\n[more]\nDNS.1=a.example\\, URI:spiffe://victim/b\nURI.1=spiffe://a/b"),
  ]).toEqual([
    { uris: ["spiffe://a.example/b"], dnsNames: ["c.example"] },
    { uris: ["spiffe://a/b"], dnsNames: ['"a.example\\u002c URI:spiffe://victim/b"'] },
  ]);
});
