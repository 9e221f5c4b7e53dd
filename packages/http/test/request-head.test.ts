import { describe, expect, test } from "vitest";
import { type RequestFacts, readRequest } from "../src/h2/request-facts.ts";
import { HeaderField } from "../src/hpack/header-field.ts";
import { DEFAULT_LIMITS } from "../src/limits.ts";
import { callersRequestId, hostFault, splitTarget } from "../src/request-head.ts";

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
  const reasonOf = (host: string | undefined, hostRequired = true): string | undefined =>
    hostFault(host === undefined ? 0 : 1, host, hostRequired)?.reason;

  test.each([
    "a",
    "api.example.com",
    "api.example.com:443",
    "127.0.0.1:8080",
    "[::1]",
    "[2001:db8::1]:8443",
    "under_score",
    "host:",
  ])("may have the host %j", (host) => {
    expect(reasonOf(host)).toBeUndefined();
  });

  test.each(["", "a b", "a/b", "a:b", "a:123456", "[::1", "user@host", "a?b", "<a>", "a,b/c"])(
    "may not have the host %j",
    (host) => {
      expect(reasonOf(host)).toBe("MALFORMED_REQUEST");
    },
  );

  test("may omit the host if none is required", () => {
    expect([reasonOf(undefined, false), reasonOf(undefined)]).toEqual([undefined, "MALFORMED_REQUEST"]);
  });
});

describe("a head over HTTP/2", () => {
  const whole = { ":method": "GET", ":scheme": "http", ":path": "/", ":authority": "a" };
  const read = (...pairs: readonly (readonly [string, string])[]) =>
    readRequest({ fields: pairs.map(([name, value]) => new HeaderField(name, value)), isTooLarge: false }, true, limits);
  const limits = DEFAULT_LIMITS;
  const headWith = (changes: Readonly<Record<string, string | undefined>>, ...more: readonly (readonly [string, string])[]) =>
    read(...(Object.entries({ ...whole, ...changes }).filter(([, value]) => value !== undefined) as [string, string][]), ...more);
  const resultOf = ({ fault, isMalformed }: RequestFacts): string | undefined => (isMalformed ? "malformed" : fault?.reason);
  const many = (count: number): [string, string][] => Array.from({ length: count }, (_, index) => [`x-${index}`, "1"]);

  test.each([
    { what: "no host", facts: headWith({ ":authority": undefined }), result: "MALFORMED_REQUEST" },
    { what: "two hosts", facts: headWith({ ":authority": undefined }, ["host", "a"], ["host", "a"]), result: "MALFORMED_REQUEST" },
    { what: "a host equal to the authority", facts: headWith({}, ["host", "A"]), result: undefined },
    { what: "a host that differs from the authority", facts: headWith({}, ["host", "b"]), result: "MALFORMED_REQUEST" },
    { what: "the addresses of one server", facts: headWith({ ":authority": "127.0.0.1:1,127.0.0.1:2" }), result: undefined },
    {
      what: "an invalid address among them",
      facts: headWith({ ":authority": "127.0.0.1:1,a[" }),
      result: "MALFORMED_REQUEST",
    },
    { what: "the longest URL", facts: headWith({ ":path": "/".repeat(8192) }), result: undefined },
    { what: "a longer URL", facts: headWith({ ":path": "/".repeat(8193) }), result: "URI_TOO_LONG" },
    { what: "the most headers", facts: headWith({}, ...many(100)), result: undefined },
    { what: "more headers", facts: headWith({}, ...many(101)), result: "HEADERS_TOO_LARGE" },
    { what: "the largest headers", facts: headWith({}, ["a", "b".repeat(16_383)]), result: undefined },
    { what: "larger headers", facts: headWith({}, ["a", "b".repeat(16_384)]), result: "HEADERS_TOO_LARGE" },
    { what: "a tunnel", facts: read([":method", "CONNECT"], [":authority", "a:1"]), result: "METHOD_NOT_ALLOWED" },
    { what: "the target of OPTIONS", facts: headWith({ ":method": "OPTIONS", ":path": "*" }), result: undefined },
    { what: "the target of OPTIONS with another method", facts: headWith({ ":path": "*" }), result: "malformed" },
    { what: "a path without a slash", facts: headWith({ ":path": "a" }), result: "malformed" },
    { what: "an empty path", facts: headWith({ ":path": "" }), result: "malformed" },
    { what: "no path", facts: headWith({ ":path": undefined }), result: "malformed" },
    { what: "no method", facts: headWith({ ":method": undefined }), result: "malformed" },
    { what: "no scheme", facts: headWith({ ":scheme": undefined }), result: "malformed" },
    { what: "a pseudo-header twice", facts: headWith({}, [":path", "/"]), result: "malformed" },
    { what: "a response's pseudo-header", facts: headWith({ ":status": "200" }), result: "malformed" },
    { what: "an unknown pseudo-header", facts: headWith({ ":protocol": "websocket" }), result: "malformed" },
    { what: "a pseudo-header after a header", facts: read(["a", "b"], ...Object.entries(whole)), result: "malformed" },
    { what: "a name in upper case", facts: headWith({}, ["A", "b"]), result: "malformed" },
    { what: "a name with a space", facts: headWith({}, ["a b", "c"]), result: "malformed" },
    { what: "a line end in a value", facts: headWith({}, ["a", "b\nc: d"]), result: "malformed" },
    { what: "a space before a value", facts: headWith({}, ["a", " b"]), result: undefined },
    { what: "a length, and no body", facts: headWith({}, ["content-length", "1"]), result: "malformed" },
    { what: "connection", facts: headWith({}, ["connection", "close"]), result: "malformed" },
    { what: "keep-alive", facts: headWith({}, ["keep-alive", "1"]), result: "malformed" },
    { what: "proxy-connection", facts: headWith({}, ["proxy-connection", "close"]), result: "malformed" },
    { what: "transfer-encoding", facts: headWith({}, ["transfer-encoding", "chunked"]), result: "malformed" },
    { what: "upgrade", facts: headWith({}, ["upgrade", "h2c"]), result: "malformed" },
    { what: "te for trailers", facts: headWith({}, ["te", "trailers"]), result: undefined },
    { what: "te for anything else", facts: headWith({}, ["te", "gzip"]), result: "malformed" },
    { what: "a length that is not a number", facts: headWith({}, ["content-length", "+1"]), result: "malformed" },
    { what: "the same length twice", facts: headWith({}, ["content-length", "1"], ["content-length", "1"]), result: "malformed" },
    { what: "two lengths", facts: headWith({}, ["content-length", "1"], ["content-length", "2"]), result: "malformed" },
  ])("with $what: $result", ({ facts, result }) => {
    expect(resultOf(facts)).toBe(result);
  });

  test("joins cookies, joins values of the same name, and keeps the first of single-value headers", () => {
    const facts = headWith(
      {},
      ["cookie", "a=b"],
      ["x", "1"],
      ["cookie", "c=d"],
      ["x", "2"],
      ["content-type", "t"],
      ["content-type", "u"],
    );
    expect(facts).toMatchObject({ headers: { cookie: "a=b; c=d", x: "1, 2", "content-type": "t" } });
  });

  test("has only headers that were sent", () => {
    const { headers } = headWith({}, ["constructor", "c"], ["__proto__", "p"]);
    expect(Object.entries(headers)).toEqual([
      ["constructor", "c"],
      ["__proto__", "p"],
    ]);
    expect([headers.tostring, "toString" in headers]).toEqual([undefined, false]);
  });
});
