import { describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../src/config/http-limits.ts";
import { callersRequestId, headFault, splitTarget } from "../../src/http/request-head.ts";

test.each([
  ["/", { path: "/", query: "" }],
  ["/a/b?c=d&e", { path: "/a/b", query: "c=d&e" }],
  ["/a?b?c", { path: "/a", query: "b?c" }],
  ["/?", { path: "/", query: "" }],
  ["//a//b", { path: "//a//b", query: "" }],
  ["http://host:80/a?b", { path: "/a", query: "b" }],
  ["HTTPS://host", { path: "/", query: "" }],
  ["https://host?b", { path: "/", query: "b" }],
  ["*", { path: "*", query: "" }],
  ["", { path: "/", query: "" }],
])("the target %j splits into %j", (url, target) => {
  expect(splitTarget(url)).toEqual(target);
});

test.each([
  ["3b241101-e2bb-4255-8caf-4136c566a962", true],
  ["00000000-0000-0000-0000-000000000000", true],
  ["3b241101e2bb42558caf4136c566a962", false],
  ["3b241101-e2bb-4255-8caf-4136c566a962, 3b241101-e2bb-4255-8caf-4136c566a962", false],
  ["", false],
])("a caller's request id %j is kept: %j", (id, kept) => {
  expect(callersRequestId({ "x-request-id": id })).toBe(kept ? id : undefined);
});

describe("a head", () => {
  const reasonOf = (head: Partial<Parameters<typeof headFault>[0]>): string | undefined =>
    headFault({ url: "/", rawHeaders: [], host: "a", hostRequired: true, ...head }, DEFAULT_HTTP_LIMITS)?.reason;

  test.each([
    "a",
    "api.example.com",
    "api.example.com:443",
    "127.0.0.1:8080",
    "[::1]",
    "[2001:db8::1]:8443",
    "under_score",
    "host:",
  ])("may name the host %j", (host) => {
    expect(reasonOf({ host })).toBeUndefined();
  });

  test.each(["", "a b", "a/b", "a:b", "a:123456", "[::1", "user@host", "a?b", "<a>", "a,b/c"])(
    "may not name the host %j",
    (host) => {
      expect(reasonOf({ host })).toBe("MALFORMED_REQUEST");
    },
  );

  test.each([
    { what: "no host where none is required", head: { host: undefined, hostRequired: false }, reason: undefined },
    { what: "no host where one is required", head: { host: undefined }, reason: "MALFORMED_REQUEST" },
    { what: "two hosts", head: { rawHeaders: ["Host", "a", "host", "a"] }, reason: "MALFORMED_REQUEST" },
    { what: "the longest URL", head: { url: "/".repeat(8192) }, reason: undefined },
    { what: "a longer URL", head: { url: "/".repeat(8193) }, reason: "URI_TOO_LONG" },
    { what: "the most headers", head: { rawHeaders: Array(200).fill("a") }, reason: undefined },
    { what: "more headers", head: { rawHeaders: Array(202).fill("a") }, reason: "HEADERS_TOO_LARGE" },
    { what: "the largest headers", head: { rawHeaders: ["a", "b".repeat(16_383)] }, reason: undefined },
    { what: "larger headers", head: { rawHeaders: ["a", "b".repeat(16_384)] }, reason: "HEADERS_TOO_LARGE" },
  ])("with $what: $reason", ({ head, reason }) => {
    expect(reasonOf(head)).toBe(reason);
  });
});
