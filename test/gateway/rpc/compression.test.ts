// gzip in both directions: its names, bytes that are not gzip, and how long the result may be.
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { acceptsGzip, compress, decompress, isGzip } from "../../../src/gateway/rpc/compression.ts";
import type { Failure } from "../../../src/problem/failure.ts";
import type { Problem } from "../../../src/problem/problem.ts";

const UNKNOWN: Problem = {
  reason: "ENCODING_UNKNOWN",
  message: "The request's compression is not supported; use gzip, identity or none.",
};
const NOT_GZIP: Problem = { reason: "MALFORMED_REQUEST", message: "The request's body is not valid gzip." };

function outcome<Response>(work: () => Response): Response | Problem {
  try {
    return work();
  } catch (thrown) {
    return (thrown as Failure).problem;
  }
}

describe("an encoding by its name:", () => {
  test.each([
    [undefined, false],
    ["", false],
    ["identity", false],
    ["gzip", true],
    ["GZIP", UNKNOWN],
    ["x-gzip", UNKNOWN],
    ["br", UNKNOWN],
    ["gzip, gzip", UNKNOWN],
    [" gzip", UNKNOWN],
  ])("%j", (name, expected) => {
    expect(outcome(() => isGzip(name, { allowsGzip: true }))).toEqual(expected);
  });
});

const text = Buffer.from("a text that is longer than its compressed self ".repeat(10));
const zipped = gzipSync(text);
const none = new Uint8Array(0);

describe("decompression", () => {
  test.each([
    ["returns what was compressed", zipped, "gzip", text.byteLength, text],
    ["changes nothing without an encoding", zipped, undefined, 1, zipped],
    ["changes nothing for identity", text, "identity", 1, text],
    ["changes nothing in an empty body, even if an encoding is named", none, "gzip", 10, none],
    ["accepts several members, as gzip allows", Buffer.concat([zipped, zipped]), "gzip", 2000, Buffer.concat([text, text])],
    ["refuses an unknown encoding, even of an empty body", none, "br", 10, UNKNOWN],
    ["refuses a body that is not compressed", text, "gzip", 2000, NOT_GZIP],
    ["refuses a body that is cut short", zipped.subarray(0, -1), "gzip", 2000, NOT_GZIP],
    ["refuses a body with a wrong checksum", Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)]), "gzip", 2000, NOT_GZIP],
    [
      "refuses one byte more than is allowed",
      zipped,
      "gzip",
      text.byteLength - 1,
      { reason: "BODY_TOO_LARGE", message: `The message is longer than ${text.byteLength - 1} bytes.` },
    ],
  ] as const)("%s", (_, data, encoding, bytesMax, expected) => {
    expect(outcome(() => decompress(data, encoding, { messageBytesMax: bytesMax, allowsGzip: true }))).toEqual(expected);
  });
});

test("a compressed message can be decompressed as gzip", () => {
  const compressed = compress(text);
  expect({ isSmaller: compressed.byteLength < text.byteLength, back: gunzipSync(compressed) }).toEqual({
    isSmaller: true,
    back: text,
  });
});

describe("whether a caller accepts gzip:", () => {
  test.each([
    [undefined, false],
    ["", false],
    ["gzip", true],
    ["GZip", true],
    ["x-gzip", true],
    ["br, gzip", true],
    ["br,gzip,deflate", true],
    ["gzip;q=1.0, *;q=0", true],
    ["gzip; q=0.5", true],
    ["gzip ;q=0.001", true],
    ["gzip;q=0", false],
    ["gzip; q=0.000 , br", false],
    ["gzip;q=0,identity", false],
    ["identity", false],
    ["*", false],
    ["gzipped", false],
    ["not-gzip", false],
    ["br, zstd, gzip", true],
    ["br, deflate", false],
  ])("%j", (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});
