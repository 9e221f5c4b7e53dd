import type { Client, Exchange } from "@quintet/http";
import { describe, expect, test } from "vitest";
import { isCrossOrigin, isSecureOrigin } from "../../../src/gateway/session/account-services.ts";

type Headers = Exchange["headers"];

const clientOf = (isSecure: boolean): Client => ({ address: "203.0.113.9", isSecure, certificate: undefined });

describe("a page", () => {
  const host = "api.example:8080";
  test.for<{ authority?: string; headers: Headers; isForeign: boolean }>([
    // Not a browser: no such header.
    { authority: host, headers: {}, isForeign: false },
    { headers: {}, isForeign: false },
    { authority: host, headers: { origin: "http://api.example:8080" }, isForeign: false },
    { authority: "API.Example:8080", headers: { origin: "http://api.example:8080" }, isForeign: false },
    { authority: host, headers: { origin: "HTTP://API.Example:8080" }, isForeign: false },
    { authority: host, headers: { origin: "http://api.example:8080" }, isForeign: false },
    { authority: host, headers: { host: "other.example", origin: "http://api.example:8080" }, isForeign: false },
    { authority: "other.example", headers: { host, origin: "http://api.example:8080" }, isForeign: true },
    { authority: "[::1]:8080", headers: { origin: "http://[::1]:8080" }, isForeign: false },
    { authority: "api.example", headers: { origin: "http://api.example" }, isForeign: false },
    { authority: "api.example", headers: { origin: "http://api.example:80" }, isForeign: false },
    // Behind a proxy that terminates TLS, the page is on https but the connection is not encrypted.
    { authority: "api.example", headers: { origin: "https://api.example" }, isForeign: false },
    { authority: host, headers: { origin: "http://api.example:8081" }, isForeign: true },
    { authority: host, headers: { origin: "http://api.example" }, isForeign: true },
    { authority: host, headers: { origin: "http://evil.example:8080" }, isForeign: true },
    { authority: host, headers: { origin: "http://api.example.evil.example:8080" }, isForeign: true },
    { authority: host, headers: { origin: "http://sub.api.example:8080" }, isForeign: true },
    { authority: host, headers: { origin: "http://api.example:8080@evil.example" }, isForeign: true },
    { headers: { origin: "http://api.example:8080" }, isForeign: true },
    { headers: { origin: "http://undefined" }, isForeign: true },
    // The same host, with a scheme that none of its pages has.
    { authority: host, headers: { origin: "ftp://api.example:8080" }, isForeign: true },
    { authority: host, headers: { origin: "ws://api.example:8080" }, isForeign: true },
    { authority: host, headers: { origin: "chrome-extension://api.example:8080" }, isForeign: true },
    // With 300 characters, and with more than any origin has.
    { authority: "a".repeat(293), headers: { origin: `http://${"a".repeat(293)}` }, isForeign: false },
    { authority: "a".repeat(294), headers: { origin: `http://${"a".repeat(294)}` }, isForeign: true },
    // A sandboxed frame, a file, or a page after a redirect.
    { authority: host, headers: { origin: "null" }, isForeign: true },
    { authority: host, headers: { origin: "" }, isForeign: true },
    { authority: host, headers: { origin: "file://" }, isForeign: true },
    { authority: host, headers: { origin: "chrome-extension://abcdefghijklmnop" }, isForeign: true },
    { authority: host, headers: { origin: "http://api.example:8080, http://evil.example" }, isForeign: true },
    { authority: host, headers: { "sec-fetch-site": "same-origin" }, isForeign: false },
    { authority: host, headers: { "sec-fetch-site": "none" }, isForeign: false },
    { authority: host, headers: { "sec-fetch-site": "same-site" }, isForeign: true },
    { authority: host, headers: { "sec-fetch-site": "cross-site" }, isForeign: true },
    { authority: host, headers: { "sec-fetch-site": "Cross-Site" }, isForeign: true },
    { authority: host, headers: { "sec-fetch-site": "same-origin, cross-site" }, isForeign: true },
    { authority: host, headers: { "sec-fetch-site": "" }, isForeign: true },
    { authority: host, headers: { "sec-fetch-site": "another-word" }, isForeign: true },
    { authority: host, headers: { origin: "http://api.example:8080", "sec-fetch-site": "cross-site" }, isForeign: true },
    { authority: host, headers: { origin: "http://evil.example", "sec-fetch-site": "same-origin" }, isForeign: true },
  ])("of $authority that sends $headers is foreign: $isForeign", ({ authority, headers, isForeign }) => {
    expect(isCrossOrigin({ authority, headers, client: clientOf(false) })).toBe(isForeign);
  });

  test.for<{ authority?: string; headers: Headers; isForeign: boolean }>([
    { authority: "api.example", headers: { origin: "https://api.example" }, isForeign: false },
    { authority: host, headers: { origin: "https://api.example:8080" }, isForeign: false },
    { authority: "api.example", headers: { origin: "http://api.example" }, isForeign: true },
    { authority: host, headers: { origin: "http://api.example:8080" }, isForeign: true },
    { authority: host, headers: {}, isForeign: false },
  ])("of $authority that sends $headers over TLS is foreign: $isForeign", ({ authority, headers, isForeign }) => {
    expect(isCrossOrigin({ authority, headers, client: clientOf(true) })).toBe(isForeign);
  });
});

describe("cookies are marked as secure", () => {
  test.for<{ origin: string | undefined; isSecure: boolean; wanted: boolean }>([
    { origin: undefined, isSecure: false, wanted: false },
    { origin: undefined, isSecure: true, wanted: true },
    { origin: "https://api.example", isSecure: false, wanted: true },
    { origin: "http://api.example", isSecure: false, wanted: false },
    { origin: "null", isSecure: false, wanted: false },
  ])("for a page of $origin, over TLS $isSecure: $wanted", ({ origin, isSecure, wanted }) => {
    expect(isSecureOrigin({ headers: { origin }, client: clientOf(isSecure) })).toBe(wanted);
  });
});
