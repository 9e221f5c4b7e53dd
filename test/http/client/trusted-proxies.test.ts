import { expect, test } from "vitest";
import { TrustedProxies } from "../../../src/http/client/trusted-proxies.ts";

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
  expect(new TrustedProxies(networks).has(address)).toBe(isTrusted);
});
