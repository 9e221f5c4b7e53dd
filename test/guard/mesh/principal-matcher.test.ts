import { expect, test } from "vitest";
import type { MeshPrincipal } from "../../../src/catalogue/principals.ts";
import { type CertifiedNames, PrincipalMatcher } from "../../../src/guard/mesh/principal-matcher.ts";

const principal = (name: string, ...identities: string[]): MeshPrincipal => ({ name, identities, plans: { farkle: "free" } });
const matcher = new PrincipalMatcher([
  principal("shop", "spiffe://a.example/ns/shop", "shop.example"),
  principal("shops", "spiffe://a.example/ns/shop/*"),
  principal("all", "spiffe://a.example/*", "all.example"),
  principal("root", "spiffe://b.example/ns/*"),
]);
const NONE: CertifiedNames = { uris: [], dnsNames: [] };
const uri = (...uris: string[]): CertifiedNames => ({ uris, dnsNames: [] });
const dns = (...dnsNames: string[]): CertifiedNames => ({ uris: [], dnsNames });

test.for<[what: string, names: CertifiedNames, principal: string | undefined]>([
  ["no name", NONE, undefined],
  ["an exact SPIFFE ID", uri("spiffe://a.example/ns/shop"), "shop"],
  ["one below a prefix", uri("spiffe://a.example/ns/shop/till"), "shops"],
  ["one far below a prefix", uri("spiffe://a.example/ns/shop/till/1"), "shops"],
  ["one that only begins like a prefix", uri("spiffe://a.example/ns/shopping"), "all"],
  ["one of the trust domain", uri("spiffe://a.example/x"), "all"],
  ["the prefix itself, which is not below it", uri("spiffe://b.example/ns"), undefined],
  ["another path of a trust domain with a prefix", uri("spiffe://b.example/other"), undefined],
  ["another trust domain", uri("spiffe://a.example.evil/ns/shop"), undefined],
  ["a trust domain in the path", uri("spiffe://evil/a.example/ns/shop"), undefined],
  ["a trust domain as user", uri("spiffe://a.example@evil/ns/shop"), undefined],
  ["one with `..` in its path", uri("spiffe://b.example/ns/../other"), undefined],
  ["one with escapes", uri("spiffe://a.example/ns%2Fshop"), undefined],
  ["one in capitals", uri("SPIFFE://A.EXAMPLE/ns/shop"), undefined],
  ["another scheme", uri("https://a.example/ns/shop"), undefined],
  ["two SPIFFE IDs", uri("spiffe://a.example/ns/shop", "spiffe://a.example/ns/shop/till"), undefined],
  ["a SPIFFE ID next to another URI", uri("spiffe://a.example/ns/shop", "https://a.example"), undefined],
  ["a SPIFFE ID next to another, with DNS names", { uris: ["Spiffe://x/y", "https://z"], dnsNames: ["shop.example"] }, undefined],
  ["a DNS name", dns("shop.example"), "shop"],
  ["a DNS name in capitals", dns("SHOP.Example"), "shop"],
  ["a DNS name among others", dns("www.example", "shop.example"), "shop"],
  ["DNS names of two principals", dns("shop.example", "all.example"), undefined],
  ["a wildcard", dns("*.example"), undefined],
  ["a name below one", dns("till.shop.example"), undefined],
  ["a SPIFFE ID as a DNS name", dns("spiffe://a.example/ns/shop"), undefined],
  ["a DNS name as URI", uri("shop.example"), undefined],
  ["an unknown SPIFFE ID and a DNS name", { uris: ["spiffe://c.example/x"], dnsNames: ["shop.example"] }, "shop"],
  ["a SPIFFE ID before a DNS name", { uris: ["spiffe://a.example/x"], dnsNames: ["shop.example"] }, "all"],
])("%s", ([, names, found]) => {
  expect(matcher.find(names)).toBe(found);
});
