import { expect, test } from "vitest";
import { hasHostBits, IpNetworks, networkText, parseIpNetwork } from "../src/ip-network.ts";

test.for<[networks: readonly string[], address: string, isTrusted: boolean]>([
  [[], "127.0.0.1", false],
  [["127.0.0.1"], "127.0.0.1", true],
  [["127.0.0.1"], "127.0.0.2", false],
  [["127.0.0.1"], "::ffff:127.0.0.1", true],
  [["127.0.0.1"], "::1", false],
  [["10.0.0.0/8"], "10.255.255.255", true],
  [["10.0.0.0/8"], "11.0.0.0", false],
  [["10.0.0.0/8"], "::FFFF:10.1.1.1", true],
  [["10.0.0.0/8", "fd00::/8"], "fdff::1", true],
  [["fd00::1"], "fd00:0:0:0:0:0:0:1", true],
  [["fd00::1"], "fd00::2", false],
  [["fe80::/10"], "fe80::1%eth0", true],
  [["10.0.0.0/8"], "fe80::1%eth0", false],
  [["10.0.0.0/8"], "10.0.0.1%eth0", true],
  [["10.0.0.0/8"], "%", false],
  [["10.0.0.0/8"], "", false],
  [["10.0.0.0/8"], "10.0.0.1.evil.example", false],
  [["10.0.0.0/8"], "10.0.0.1:80", false],
])("the networks %j include %s: %j", ([networks, address, isTrusted]) => {
  expect(new IpNetworks(networks).has(address)).toBe(isTrusted);
});

test.for<[text: string, canonical: string | undefined, hasHostBits?: boolean]>([
  ["203.0.113.7", "203.0.113.7"],
  ["203.0.113.7/32", "203.0.113.7"],
  ["10.0.0.0/8", "10.0.0.0/8"],
  ["10.1.2.3/8", "10.0.0.0/8", true],
  ["203.0.113.130/25", "203.0.113.128/25", true],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["2001:db8::/32", "2001:db8::/32"],
  ["2001:db8:1::/32", "2001:db8::/32", true],
  ["2001:db8::ff/121", "2001:db8::80/121", true],
  ["1:2:3:4:5:6:7:8/127", "1:2:3:4:5:6:7:8/127"],
  ["::/0", "::/0"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
  ["::ffff:10.0.0.0/104", undefined],
  ["10.0.0.0/33", undefined],
  ["::/129", undefined],
  ["10.0.0.0/", undefined],
  ["10.0.0.0/8/8", undefined],
  ["10.0.0", undefined],
  ["010.0.0.1", undefined],
  ["fe80::1%eth0", undefined],
  ["example.com", undefined],
  ["", undefined],
])("the network %j is %j in its canonical form, undefined for none", ([text, canonical, isBeyond = false]) => {
  const parsed = parseIpNetwork(text);
  expect(parsed && networkText(parsed)).toBe(canonical);
  expect(parsed !== undefined && hasHostBits(parsed)).toBe(isBeyond);
});
