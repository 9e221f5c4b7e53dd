// The envelope of gRPC and gRPC-Web. A body must have exactly one, and each fault has its own problem.
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { COMPRESS_BYTES_MIN } from "../../../src/gateway/rpc/compression.ts";
import { frame, readEnvelope, writeEnvelope } from "../../../src/gateway/rpc/envelope.ts";
import type { Failure } from "../../../src/problem/failure.ts";
import type { Problem } from "../../../src/problem/problem.ts";

const LIMITS = { messageBytesMax: 100, allowsGzip: true };
const hi = Buffer.from("hi");
const bytes = (...all: number[]): Buffer => Buffer.from(all);

const malformed = (message: string): Problem => ({ reason: "MALFORMED_REQUEST", message });
const CUT = malformed("The request's message frame is cut short.");
const FLAGS = malformed("The request's message frame has unknown flags.");
const NO_MESSAGE: Problem = {
  reason: "NOT_ONE_MESSAGE",
  message: "The request contains no message; this method takes exactly one.",
};
const MORE: Problem = {
  reason: "NOT_ONE_MESSAGE",
  message: "The request contains more than one message; this method takes exactly one.",
};
const TOO_LARGE: Problem = { reason: "BODY_TOO_LARGE", message: "The message is longer than 100 bytes." };
const UNNAMED: Problem = {
  reason: "COMPRESSION_UNNAMED",
  message: "The request's message is marked as compressed, but no compression is named in grpc-encoding.",
};
const UNKNOWN: Problem = {
  reason: "ENCODING_UNKNOWN",
  message: "The request's compression is not supported; use gzip, identity or none.",
};

describe("a body", () => {
  test.each([
    ["with one message", bytes(0, 0, 0, 0, 2, 104, 105), undefined, hi],
    ["with an empty message", bytes(0, 0, 0, 0, 0), undefined, bytes()],
    ["whose message is not compressed, even though an encoding is named", frame(0, hi), "gzip", hi],
    ["with a compressed message", frame(1, gzipSync(hi)), "gzip", hi],
    ["with a compressed empty message", frame(1, bytes()), "gzip", bytes()],
    ["with a message of the longest length", frame(0, Buffer.alloc(100)), undefined, Buffer.alloc(100)],
    ["with a message of one byte more", frame(0, Buffer.alloc(101)), undefined, TOO_LARGE],
    ["that announces a message longer than allowed, without sending it", bytes(0, 0xff, 0xff, 0xff, 0xff), undefined, TOO_LARGE],
    ["whose message is longer than allowed when it is decompressed", frame(1, gzipSync(Buffer.alloc(101))), "gzip", TOO_LARGE],
    ["that is empty", bytes(), undefined, NO_MESSAGE],
    ["that ends within the head", bytes(0, 0, 0, 0), undefined, CUT],
    ["that ends within the message", bytes(0, 0, 0, 0, 2, 104), undefined, CUT],
    ["with one byte more", bytes(0, 0, 0, 0, 2, 104, 105, 0), undefined, MORE],
    ["with two messages", Buffer.concat([frame(0, hi), frame(0, hi)]), undefined, MORE],
    ["with a second bit in its flags", frame(2, hi), undefined, FLAGS],
    ["with the flag of gRPC-Web's trailers", frame(0x80, hi), undefined, FLAGS],
    ["with a known flag and another", frame(0x81, gzipSync(hi)), "gzip", FLAGS],
    ["whose message is compressed without a named encoding", frame(1, gzipSync(hi)), undefined, UNNAMED],
    ["whose message is compressed although the encoding is identity", frame(1, gzipSync(hi)), "identity", UNNAMED],
    ["whose encoding is unknown, although it is not used", frame(0, hi), "br", UNKNOWN],
    ["that is empty and whose encoding is unknown", bytes(), "br", UNKNOWN],
    ["that is marked as compressed but is not", frame(1, hi), "gzip", malformed("The request's body is not valid gzip.")],
  ] as const)("%s", (_, body, encoding, expected) => {
    let outcome: unknown;
    try {
      outcome = Buffer.from(readEnvelope(body, encoding, LIMITS));
    } catch (thrown) {
      outcome = (thrown as Failure).problem;
    }
    expect(outcome).toEqual(expected);
  });

  test("is read from the middle of a larger buffer", () => {
    const whole = Buffer.concat([bytes(9, 9, 9), frame(0, hi)]);
    expect(Buffer.from(readEnvelope(new Uint8Array(whole.buffer, whole.byteOffset + 3, 7), undefined, LIMITS))).toEqual(hi);
  });
});

describe("a message is written", () => {
  const short = Buffer.alloc(COMPRESS_BYTES_MIN - 1, "a");
  const long = Buffer.alloc(COMPRESS_BYTES_MIN, "a");

  test.each([
    ["uncompressed if the caller does not accept gzip", long, false],
    ["uncompressed if it is short", short, true],
  ])("%s", (_, message, gzip) => {
    expect(writeEnvelope(message, gzip)).toEqual(frame(0, message));
  });

  test("compressed if it is long and the caller accepts gzip", () => {
    const written = writeEnvelope(long, true);
    expect({ flags: written[0], length: written.readUInt32BE(1), message: gunzipSync(written.subarray(5)) }).toEqual({
      flags: 1,
      length: written.byteLength - 5,
      message: long,
    });
  });
});
