// The sizes shown for a request and a response.
import { expect, test } from "vitest";
import { requestSize, responseSize } from "../../../portal/app/console/wire/sizes.ts";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";

test("the size of a request is its length in HTTP/1.1, with a key", () => {
  const { secret } = generateKey(systemRandomness);
  const head = `POST /farkle/v1/score HTTP/1.1\r\ncontent-type: application/json\r\nx-gateway-key: ${secret}\r\n\r\n`;
  const body = new TextEncoder().encode('{"dice":[1]}');
  const request = {
    verb: "POST",
    target: "/farkle/v1/score",
    headers: [["content-type", "application/json"]],
    body,
  } as const;
  expect(requestSize(request)).toEqual({ head: head.length, body: 12 });
});

test.each([
  { headers: {}, bodyBytes: 100, body: 100 },
  // A browser counts what it has decompressed.
  { headers: { "content-encoding": "br", "content-length": "40" }, bodyBytes: 100, body: 40 },
  { headers: { "content-encoding": "br" }, bodyBytes: 100, body: 100 },
  { headers: { "content-encoding": "identity", "content-length": "40" }, bodyBytes: 100, body: 100 },
])("a response of $bodyBytes bytes with $headers has a body of $body", ({ headers, bodyBytes, body }) => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  expect(responseSize({ status: 200, headers: new Headers(headers as Record<string, string>) }, bodyBytes)).toEqual({
    head: `HTTP/1.1 200\r\n${lines.join("")}\r\n`.length,
    body,
  });
});
