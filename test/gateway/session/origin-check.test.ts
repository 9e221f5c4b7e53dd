import { describe, expect, test } from "vitest";
import { isCrossOrigin, isSecureOrigin } from "../../../src/gateway/session/origin-check.ts";
import type { Exchange } from "../../../src/http/exchange.ts";

type Headers = Exchange["headers"];

describe("a page", () => {
  const host = "api.example:8080";
  test.for<{ headers: Headers; isForeign: boolean }>([
    // Not a browser: no such header.
    { headers: { host }, isForeign: false },
    { headers: {}, isForeign: false },
    { headers: { host, origin: "http://api.example:8080" }, isForeign: false },
    { headers: { host: "API.Example:8080", origin: "http://api.example:8080" }, isForeign: false },
    { headers: { host, origin: "HTTP://API.Example:8080" }, isForeign: false },
    { headers: { ":authority": host, origin: "http://api.example:8080" }, isForeign: false },
    { headers: { ":authority": host, host: "other.example", origin: "http://api.example:8080" }, isForeign: false },
    { headers: { ":authority": "other.example", host, origin: "http://api.example:8080" }, isForeign: true },
    { headers: { host: "[::1]:8080", origin: "http://[::1]:8080" }, isForeign: false },
    { headers: { host: "api.example", origin: "http://api.example" }, isForeign: false },
    { headers: { host: "api.example", origin: "http://api.example:80" }, isForeign: false },
    // Behind a proxy that ends TLS, the page is on https and the connection is not encrypted.
    { headers: { host: "api.example", origin: "https://api.example" }, isForeign: false },
    { headers: { host, origin: "http://api.example:8081" }, isForeign: true },
    { headers: { host, origin: "http://api.example" }, isForeign: true },
    { headers: { host, origin: "http://evil.example:8080" }, isForeign: true },
    { headers: { host, origin: "http://api.example.evil.example:8080" }, isForeign: true },
    { headers: { host, origin: "http://sub.api.example:8080" }, isForeign: true },
    { headers: { host, origin: "http://api.example:8080@evil.example" }, isForeign: true },
    { headers: { origin: "http://api.example:8080" }, isForeign: true },
    { headers: { origin: "http://undefined" }, isForeign: true },
    // A sandboxed frame, a file, or a page after a redirect.
    { headers: { host, origin: "null" }, isForeign: true },
    { headers: { host, origin: "" }, isForeign: true },
    { headers: { host, origin: "file://" }, isForeign: true },
    { headers: { host, origin: "chrome-extension://abcdefghijklmnop" }, isForeign: true },
    { headers: { host, origin: "http://api.example:8080, http://evil.example" }, isForeign: true },
    { headers: { host, "sec-fetch-site": "same-origin" }, isForeign: false },
    { headers: { host, "sec-fetch-site": "none" }, isForeign: false },
    { headers: { host, "sec-fetch-site": "same-site" }, isForeign: true },
    { headers: { host, "sec-fetch-site": "cross-site" }, isForeign: true },
    { headers: { host, origin: "http://api.example:8080", "sec-fetch-site": "cross-site" }, isForeign: true },
    { headers: { host, origin: "http://evil.example", "sec-fetch-site": "same-origin" }, isForeign: true },
  ])("that sends $headers is foreign: $isForeign", ({ headers, isForeign }) => {
    expect(isCrossOrigin({ headers, isSecure: false })).toBe(isForeign);
  });

  test.for<{ headers: Headers; isForeign: boolean }>([
    { headers: { host: "api.example", origin: "https://api.example" }, isForeign: false },
    { headers: { host, origin: "https://api.example:8080" }, isForeign: false },
    { headers: { host: "api.example", origin: "http://api.example" }, isForeign: true },
    { headers: { host, origin: "http://api.example:8080" }, isForeign: true },
    { headers: { host }, isForeign: false },
  ])("that sends $headers over TLS is foreign: $isForeign", ({ headers, isForeign }) => {
    expect(isCrossOrigin({ headers, isSecure: true })).toBe(isForeign);
  });
});

describe("cookies are for TLS only", () => {
  test.for<{ origin: string | undefined; isSecure: boolean; wanted: boolean }>([
    { origin: undefined, isSecure: false, wanted: false },
    { origin: undefined, isSecure: true, wanted: true },
    { origin: "https://api.example", isSecure: false, wanted: true },
    { origin: "http://api.example", isSecure: false, wanted: false },
    { origin: "null", isSecure: false, wanted: false },
  ])("for a page of $origin, over TLS $isSecure: $wanted", ({ origin, isSecure, wanted }) => {
    expect(isSecureOrigin({ headers: { origin }, isSecure })).toBe(wanted);
  });
});
