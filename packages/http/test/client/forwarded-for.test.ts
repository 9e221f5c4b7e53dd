import { describe, expect, test } from "vitest";
import { forwardedFor, isForwardedSecure } from "../../src/client/peer.ts";
import { IpNetworks } from "../../src/ip-network.ts";

describe("the caller's address behind trusted proxies", () => {
  const trusted = new IpNetworks(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);

  test.for<[what: string, proxy: string, list: string | undefined, address: string]>([
    ["the proxy's own without the header", "10.0.0.1", undefined, "10.0.0.1"],
    ["the proxy's own if the header is empty", "10.0.0.1", "", "10.0.0.1"],
    ["the only one in the list", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["the last untrusted one", "10.0.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
    ["the last untrusted one, before trusted ones", "10.0.0.1", "198.51.100.1,203.0.113.9,192.0.2.7 , 10.9.9.9", "203.0.113.9"],
    ["the first if all are trusted", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["the only one, whose last digit counts, if it is trusted", "10.0.0.1", "10.0.0.33", "10.0.0.33"],
    ["an IPv6 address", "fd00::1", "2001:db8::9", "2001:db8::9"],
    ["an address with a port", "10.0.0.1", "203.0.113.9:4711", "203.0.113.9"],
    ["an IPv6 address with a port", "10.0.0.1", "[2001:db8::9]:4711", "2001:db8::9"],
    ["an IPv6 address in brackets", "10.0.0.1", "[2001:db8::9]", "2001:db8::9"],
    ["an IPv4-mapped IPv6 address as the IPv4 address", "::ffff:10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
    ["the mapped address in hexadecimal", "10.0.0.1", "::ffff:cb00:7109", "203.0.113.9"],
    ["the mapped address with all zeros", "0:0:0:0:0:FFFF:10.0.0.1", "0000:0000:0000:0000:0000:ffff:203.0.113.9", "203.0.113.9"],
    ["an IPv6 address with ffff elsewhere", "10.0.0.1", "2001:db8::ffff:cb00:7109", "2001:db8::ffff:cb00:7109"],
    ["the proxy's own if the last is not an address", "10.0.0.1", "203.0.113.9, unknown", "10.0.0.1"],
    ["the last proxy's if the entry before it is not an address", "10.0.0.1", "203.0.113.9, _hidden, 10.0.0.2", "10.0.0.2"],
    ["the proxy's own if the last is empty", "10.0.0.1", "203.0.113.9,", "10.0.0.1"],
    ["the proxy's own if the last is a name", "10.0.0.1", "evil.example", "10.0.0.1"],
    ["a link-local address with its zone", "10.0.0.1", "fe80::1%eth0", "fe80::1%eth0"],
    ["an untrusted peer's own, whatever the header says", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ])("is %s", ([, proxy, list, address]) => {
    expect(forwardedFor(proxy, list, trusted)).toBe(address);
  });

  test.for([
    { proxies: 8, address: "203.0.113.9" },
    // More would cost too much, and no real request passes through so many.
    { proxies: 9, address: "10.0.0.2" },
    { proxies: 2000, address: "10.0.0.2" },
  ])("is $address behind $proxies proxies", ({ proxies, address }) => {
    expect(forwardedFor("10.0.0.1", `203.0.113.9${",10.0.0.2".repeat(proxies - 1)}`, trusted)).toBe(address);
  });
});

test.for<[string | undefined, boolean | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["https", true],
  ["HTTPS", true],
  ["http", false],
  ["http, https", true],
  ["https,http", false],
  ["wss", undefined],
])("x-forwarded-proto %j means the caller uses TLS: %j", ([header, isSecure]) => {
  expect(isForwardedSecure(header)).toBe(isSecure);
});
