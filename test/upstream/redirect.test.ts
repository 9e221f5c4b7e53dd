import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPrivateHost, isPublicAddress } from "../../src/runtime/public-address.ts";
import { redirectTarget } from "../../src/upstream/fetch-json.ts";

const publicUrl = "https://lists.example.org/a/list.json";
const localUrl = "http://127.0.0.1:8080/a";

describe("a redirect", () => {
  test.each([
    [publicUrl, "/b", "https://lists.example.org/b"],
    [publicUrl, "b?c=1#d", "https://lists.example.org/a/b?c=1"],
    [publicUrl, "https://cdn.example.net/x", "https://cdn.example.net/x"],
    [publicUrl, "//cdn.example.net/x", "https://cdn.example.net/x"],
    [publicUrl, "https://8.8.8.8/x", "https://8.8.8.8/x"],
    ["http://lists.example.org/", "http://www.example.org/", "http://www.example.org/"],
    ["http://lists.example.org/", "https://lists.example.org/", "https://lists.example.org/"],
    [localUrl, "http://127.0.0.1:9090/", "http://127.0.0.1:9090/"],
    [localUrl, "http://10.0.0.1/", "http://10.0.0.1/"],
  ])("from %s to %s is followed", (from, location, target) => {
    expect(redirectTarget(new URL(from), new URL(from), 302, location).href).toBe(target);
  });

  test.each([
    [publicUrl, undefined, "redirects without a location"],
    [publicUrl, "https://", "redirects without a location"],
    [publicUrl, `https://example.org/${"a".repeat(4096)}`, "redirects without a location"],
    [publicUrl, "http://lists.example.org/", "redirects to a scheme that is not followed"],
    [publicUrl, "file:///etc/passwd", "redirects to a scheme that is not followed"],
    [publicUrl, "data:application/json,{}", "redirects to a scheme that is not followed"],
    [publicUrl, "https://user:password@example.org/", "redirects to a URL with credentials"],
    [publicUrl, "https://127.0.0.1/", "redirects to a private address"],
    [publicUrl, "https://0x7f.1/", "redirects to a private address"],
    [publicUrl, "https://2130706433/", "redirects to a private address"],
    [publicUrl, "https://[::1]/", "redirects to a private address"],
    [publicUrl, "https://[::ffff:10.0.0.1]/", "redirects to a private address"],
    [publicUrl, "https://localhost:8443/", "redirects to a private address"],
    [publicUrl, "https://a.localhost./", "redirects to a private address"],
    [publicUrl, "https://169.254.169.254/latest", "redirects to a private address"],
  ])("from %s to %s is refused", (from, location, message) => {
    expect(() => redirectTarget(new URL(from), new URL(from), 302, location)).toThrow(message);
  });
});

test("a redirect by a public upstream is always refused, or leads to https on a host not known to be private", () => {
  const location = fc.oneof(
    fc.string(),
    fc.webUrl({ withQueryParameters: true }),
    fc.ipV4().map((host) => `https://${host}/`),
    fc.ipV6().map((host) => `//[${host}]/`),
  );
  fc.assert(
    fc.property(location, (text) => {
      const target = followed(text);
      expect([target.protocol, isPrivateHost(target.hostname)]).toEqual(["https:", false]);
    }),
  );
});

/** Where a public upstream's redirect leads; the upstream itself if it is refused. */
function followed(location: string): URL {
  const from = new URL(publicUrl);
  try {
    return redirectTarget(from, from, 302, location);
  } catch {
    return from;
  }
}

test.each([
  ["8.8.8.8", true],
  ["1.1.1.1", true],
  ["172.15.255.255", true],
  ["172.32.0.0", true],
  ["192.88.98.255", true],
  ["223.255.255.255", true],
  ["0.0.0.0", false],
  ["10.1.2.3", false],
  ["100.64.0.1", false],
  ["127.0.0.1", false],
  ["169.254.169.254", false],
  ["172.16.0.0", false],
  ["192.0.0.8", false],
  ["192.0.2.1", false],
  ["192.88.99.1", false],
  ["192.168.1.1", false],
  ["198.18.0.1", false],
  ["198.51.100.1", false],
  ["203.0.113.1", false],
  ["224.0.0.1", false],
  ["240.0.0.1", false],
  ["255.255.255.255", false],
  ["2606:4700:4700::1111", true],
  ["2001:200::1", true],
  ["2a00:1450:4001::200e", true],
  ["2620:fe::fe", true],
  ["::", false],
  ["::1", false],
  ["::7f00:1", false],
  ["::ffff:8.8.8.8", false],
  ["::ffff:0:127.0.0.1", false],
  ["64:ff9b::7f00:1", false],
  ["64:ff9b:1::a00:1", false],
  ["100::1", false],
  ["100:0:0:1::1", false],
  ["2001::1", false],
  ["2001:2::1", false],
  ["2001:10::1", false],
  ["2001:db8::1", false],
  ["2002:7f00:1::", false],
  ["3fff::1", false],
  ["4000::1", false],
  ["5f00::1", false],
  ["fd00::1", false],
  ["fe80::1", false],
  ["fe80::1%1", false],
  ["fec0::1", false],
  ["feff::1", false],
  ["ff02::1", false],
  ["example.org", false],
])("%s is a public address: %j", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});

test.each([
  ["example.org", false],
  ["localhost.example.org", false],
  ["localhost", true],
  ["[::1]", true],
  ["[2606:4700:4700::1111]", false],
])("%s is a private host: %j", (hostname, expected) => {
  expect(isPrivateHost(hostname)).toBe(expected);
});
