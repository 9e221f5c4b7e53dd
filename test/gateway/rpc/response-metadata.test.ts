// Headers and trailers that a handler sets reach the caller along with those of the protocol and the gateway, which they never replace.
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { addMetadata, failureTrailers, type HandlerMetadata, responseHeaders } from "../../../src/gateway/rpc/response-metadata.ts";
import { problemOf } from "../../../src/problem/failure.ts";

const added = (set: readonly [string, string][], prefix = "", target: Record<string, string> = {}): object => {
  addMetadata(target, new Headers(set as [string, string][]), prefix);
  return target;
};

describe("a header that a handler sets", () => {
  test.each<{ name: string; set: [string, string][]; expected: object; prefix?: string; target?: Record<string, string> }>([
    { name: "is added, its name in lower case", set: [["X-One", "1"]], expected: { "x-one": "1" } },
    {
      name: "several times is sent as one value",
      set: [
        ["x-one", "1"],
        ["x-one", "2"],
      ],
      expected: { "x-one": "1, 2" },
    },
    {
      name: "as a cookie is sent several times",
      set: [
        ["set-cookie", "a=1, b"],
        ["set-cookie", "c=2"],
      ],
      expected: { "set-cookie": ["a=1, b", "c=2"] },
    },
    { name: "gets the prefix", set: [["x-one", "1"]], prefix: "trailer-", expected: { "trailer-x-one": "1" } },
    { name: "replaces no other header", set: [["x-one", "mine"]], target: { "x-one": "ours" }, expected: { "x-one": "ours" } },
    {
      name: "replaces no other header with the prefix and its name",
      set: [["x-one", "mine"]],
      prefix: "trailer-",
      target: { "trailer-x-one": "ours" },
      expected: { "trailer-x-one": "ours" },
    },
  ])("$name", ({ set, expected, prefix, target }) => {
    expect(added(set, prefix, target)).toEqual(expected);
  });

  test.each([
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "grpc-status",
    "grpc-message",
    "grpc-status-details-bin",
    "grpc-encoding",
    "grpc-accept-encoding",
    "connect-protocol-version",
    "connect-content-encoding",
    "accept-encoding",
  ])("as %s is left out, with a prefix too", (name) => {
    expect({ plain: added([[name, "1"]]), prefixed: added([[name, "1"]], "trailer-") }).toEqual({ plain: {}, prefixed: {} });
  });

  test("is sent if its name is only similar to one of those", () => {
    expect(
      added([
        ["grpc-statuses", "1"],
        ["connection-id", "2"],
        ["connect", "3"],
      ]),
    ).toEqual({ "grpc-statuses": "1", "connection-id": "2", connect: "3" });
  });

  test("throws at once if it cannot be sent", () => {
    expect(() => added([["x-odd", "\u0001"]])).toThrow(TypeError);
  });
});

test("the protocol's headers override the gateway's, and both override the handler's; values of vary are joined", () => {
  const set = new Headers([
    ["vary", "mine"],
    ["x-mine", "1"],
  ]);
  expect(
    responseHeaders({ vary: "protocol", "x-protocol": "1" }, { vary: "gateway", "x-gateway": "1", "x-protocol": "2" }, set),
  ).toEqual({
    vary: "gateway, protocol",
    "x-protocol": "1",
    "x-gateway": "1",
    "x-mine": "1",
  });
});

test("a failure's trailers are its status, the error's metadata and the handler's trailers", () => {
  const error = new ConnectError("no", Code.Aborted, { "x-both": "error", "grpc-status": "0", "x-error": "1" });
  const call = { trailersSet: new Headers({ "x-both": "handler", "x-handler": "1", "grpc-message": "mine" }) };
  expect(failureTrailers({ "grpc-status": "10" }, problemOf(error), call as unknown as HandlerMetadata)).toEqual({
    "grpc-status": "10",
    "x-both": "error",
    "x-error": "1",
    "x-handler": "1",
  });
});
