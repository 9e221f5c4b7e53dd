// The messages of streams are checked one by one, before they are parsed, however their bytes arrive.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { checkedMessages } from "../../../src/gateway/rpc/connect-pipeline.ts";
import { frame } from "../../../src/gateway/rpc/envelope.ts";
import type { Problem } from "../../../src/problem/problem.ts";

const REFUSED: Problem = { reason: "MALFORMED_REQUEST", message: "It begins with x." };
const checks = (encoding?: string) => ({
  encoding,
  messageBytesMax: 100,
  check: (message: Uint8Array) => (message[0] === 0x78 ? REFUSED : undefined),
});

const message = (text: string): Buffer => frame(0, Buffer.from(text));
const gzipped = (text: string): Buffer => frame(1, gzipSync(text));

// The result for a body cut into pieces of this many bytes: the bytes that are passed on, or the problem.
async function handedOn(body: Buffer, pieceBytes: number, encoding?: string): Promise<unknown> {
  const pieces = (async function* () {
    for (let at = 0; at < body.length; at += pieceBytes) {
      yield body.subarray(at, at + pieceBytes);
    }
  })();
  const all: Uint8Array[] = [];
  try {
    for await (const piece of checkedMessages(pieces, checks(encoding))) {
      all.push(piece);
    }
  } catch (thrown) {
    const { problem, message: text } = thrown as Error & { readonly problem?: Problem };
    return problem?.message ?? text;
  }
  return Buffer.concat(all).toString("latin1");
}

const asText = (bytes: Buffer): string => bytes.toString("latin1");
const two = Buffer.concat([message("one"), message("")]);

test.each([
  { what: "messages are passed on unchanged", body: two, expected: asText(two) },
  {
    what: "a compressed message is passed on still compressed",
    body: gzipped("one"),
    encoding: "gzip",
    expected: asText(message("one")),
  },
  {
    what: "a compressed message in another encoding is left to connect-es",
    body: gzipped("one"),
    encoding: "br",
    expected: asText(gzipped("one")),
  },
  { what: "unknown flags are left to connect-es", body: frame(4, Buffer.from("x")), expected: asText(frame(4, Buffer.from("x"))) },
  { what: "a frame that is cut short is left to connect-es", body: two.subarray(0, -1), expected: asText(two.subarray(0, -1)) },
  { what: "a message that the check refuses is refused", body: Buffer.concat([two, message("x")]), expected: REFUSED.message },
  { what: "it is refused even if it was compressed", body: gzipped("x"), encoding: "gzip", expected: REFUSED.message },
  {
    what: "a message that is too long is refused as soon as its head arrives",
    body: message("a".repeat(101)).subarray(0, 5),
    expected: "The message is longer than 100 bytes.",
  },
  {
    what: "one that becomes too long is refused",
    body: gzipped("a".repeat(101)),
    encoding: "gzip",
    expected: "[resource_exhausted] message is larger than 100 bytes after decompression",
  },
])("$what", async ({ body, encoding, expected }) => {
  for (const pieceBytes of [1, 7, 1000]) {
    expect(await handedOn(body, pieceBytes, encoding)).toBe(expected);
  }
});
