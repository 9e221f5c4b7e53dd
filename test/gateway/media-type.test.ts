// The character encoding in a content type: in the header itself, and in requests to a server.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isUtf8 } from "../../src/gateway/media-type.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";

describe("text is UTF-8 if its content type names UTF-8 or no charset:", () => {
  test.each([
    [undefined, true],
    ["application/json", true],
    ["application/json;", true],
    ["application/json; charset=utf-8", true],
    ["application/json;charset=UTF-8", true],
    ["application/json; Charset=Utf-8", true],
    ['application/json; charset="utf-8"', true],
    ["application/json ; charset = utf8 ; q=1", true],
    ["application/json; version=1", true],
    ["application/json; x-charset=latin1", true],
    ["application/json; charset=latin1", false],
    ["application/json;charset=iso-8859-1", false],
    ["application/json; charset=utf-16", false],
    ["application/json; charset=us-ascii", false],
    ["application/json; charset=", false],
    ['application/json; charset=""', false],
    ["application/json; charset='utf-8'", false],
    ["application/json; charset=utf-8x", false],
    ["application/json; charset=utf-8; charset=latin1", false],
    ["application/json; version=1; CHARSET=latin1", false],
  ])("%s: %s", (contentType, expected) => {
    expect(isUtf8(contentType)).toBe(expected);
  });
});

describe("a body of another encoding is refused before it is read", () => {
  let gateway: Gateway;
  let secret: string;

  beforeAll(async () => {
    gateway = await startGateway();
    ({ secret } = await gateway.makeCustomer({ farkle: "free" }));
  });
  afterAll(() => gateway.close());

  const REST = "/farkle/v1/score";
  const CONNECT = "/quintet.farkle.v1.FarkleService/Score";
  const JSON_BODY = '{"dice":[1]}';
  const refused = {
    status: 415,
    reason: "UNSUPPORTED_MEDIA_TYPE",
    message: "The body must be UTF-8; leave the charset out of content-type, or set it to utf-8.",
  };
  const taken = { status: 200, reason: undefined, message: undefined };

  test.each([
    { path: REST, type: "application/json; charset=latin1", body: JSON_BODY, expected: refused },
    { path: REST, type: 'application/json; charset="UTF-8"', body: JSON_BODY, expected: { ...taken, message: "Roll scored" } },
    { path: REST, type: "application/x-www-form-urlencoded; charset=windows-1252", body: "dice=1", expected: refused },
    {
      path: REST,
      type: "application/x-www-form-urlencoded; charset=UTF-8",
      body: "dice=1",
      expected: { ...taken, message: "Roll scored" },
    },
    { path: CONNECT, type: "application/json; charset=latin1", body: JSON_BODY, expected: refused },
    { path: CONNECT, type: "application/json; charset=UTF-8", body: JSON_BODY, expected: taken },
  ])("POST $path as $type", async ({ path, type, body, expected }) => {
    const headers = { "x-gateway-key": secret, "content-type": type };
    const response = await fetch(`${gateway.origin}${path}`, { method: "POST", headers, body });
    const { error, message } = (await response.json()) as { error?: { reason: string }; message?: string };
    expect({ status: response.status, reason: error?.reason, message }).toEqual(expected);
  });

  test("the charset of binary protobuf is ignored", async () => {
    const headers = { "x-gateway-key": secret, "content-type": "application/proto; charset=latin1" };
    const response = await fetch(`${gateway.origin}${CONNECT}`, { method: "POST", headers, body: "\n\u0001\u0001" });
    expect({ status: response.status, type: response.headers.get("content-type") }).toEqual({
      status: 200,
      type: "application/proto",
    });
  });

  test("the charset of a request without a body is ignored", async () => {
    const headers = { "x-gateway-key": secret, "content-type": "application/json; charset=latin1" };
    expect((await fetch(`${gateway.origin}${REST}?dice=1`, { headers })).status).toBe(200);
  });
});
