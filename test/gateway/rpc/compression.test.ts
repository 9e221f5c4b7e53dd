// gzip in both directions: its names, bytes that are not gzip, and how long the result may be.
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { acceptsGzip } from "../../../src/gateway/media-type.ts";
import { compress, decompress, isGzip } from "../../../src/gateway/rpc/compression.ts";
import type { Failure } from "../../../src/problem/failure.ts";
import type { Problem } from "../../../src/problem/problem.ts";
import { startGateway } from "../../fixtures/gateway.ts";

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
    ["GZIP", true],
    ["x-gzip", true],
    ["X-GZip", true],
    [" gzip", true],
    ["Identity", false],
    ["IDENTITY ", false],
    ["br", UNKNOWN],
    ["x-br", UNKNOWN],
    ["gzip, gzip", UNKNOWN],
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
    ["*", true],
    ["*;q=0", false],
    ["identity, gzip", true],
    ["identity, gzip;q=0.5", false],
    ["gzipped", false],
    ["not-gzip", false],
    ["br, zstd, gzip", true],
    ["br, deflate", false],
  ])("%j", (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});

describe("over the wire", () => {
  const ENVELOPE = 5;
  const json = Buffer.from('{"dice":[1,5]}');
  const proto = Buffer.from([0x0a, 2, 1, 5]);
  const framed = (message: Uint8Array, flag: number): Buffer => {
    const bytes = Buffer.alloc(ENVELOPE + message.length);
    bytes.writeUInt8(flag, 0);
    bytes.writeUInt32BE(message.length, 1);
    bytes.set(message, ENVELOPE);
    return bytes;
  };
  const RPC = "/quintet.farkle.v1.FarkleService/Score";
  const protocols = [
    { what: "REST", path: "/farkle/v1/score", type: "application/json", header: "content-encoding", plain: json, flag: undefined },
    { what: "Connect", path: RPC, type: "application/json", header: "content-encoding", plain: json, flag: undefined },
    { what: "gRPC-Web", path: RPC, type: "application/grpc-web+proto", header: "grpc-encoding", plain: proto, flag: 1 },
  ];

  test.each(protocols)("$what reads names in any case, and an unknown one costs nothing of the month", async (protocol) => {
    const { path, type, header, plain, flag } = protocol;
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    const { secret } = await gateway.makeCustomer({ farkle: "free" });
    const call = async (encoding: string, isCompressed: boolean) => {
      const message = isCompressed ? gzipSync(plain) : plain;
      const body = Buffer.from(flag === undefined ? message : framed(message, isCompressed ? flag : 0));
      const headers = { "x-gateway-key": secret, "content-type": type, [header]: encoding };
      const response = await fetch(gateway.origin + path, { method: "POST", headers, body });
      const left = /"month";r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1];
      const bytes = Buffer.from(await response.arrayBuffer());
      return {
        isOk: response.ok && (flag === undefined || bytes.includes("grpc-status: 0") || bytes.includes("grpc-status:0")),
        left,
      };
    };
    const calls = [];
    for (const name of ["gzip", "GZIP", "x-gzip"]) {
      calls.push(await call(name, true));
    }
    for (const name of ["Identity", "IDENTITY"]) {
      calls.push(await call(name, false));
    }
    calls.push(await call("br", false), await call("gzip", true));
    expect(calls.map(({ isOk }) => isOk)).toEqual([true, true, true, true, true, false, true]);
    expect(calls.map(({ left }) => Number(left)).filter((_, index) => index !== 5)).toEqual(
      [1, 2, 3, 4, 5, 6].map((spent) => 1_000_000 - spent),
    );
  });
});
