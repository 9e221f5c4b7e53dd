import { expect, test } from "vitest";
import { ChunkedBody } from "../../src/h1/h1-input.ts";

interface Taken {
  readonly data: string;
  readonly rest: string | undefined;
  readonly fault: string | undefined;
}

/** Parses a body that arrives in pieces of this size. */
function take(text: string, pieceBytes: number): Taken {
  const bytes = Buffer.from(text, "latin1");
  const body = new ChunkedBody();
  let data = "";
  let at = 0;
  while (at < bytes.length && !body.isComplete && body.fault === undefined) {
    const end = Math.min(bytes.length, at + pieceBytes);
    at += body.take(bytes.subarray(at, end), 0, (piece) => {
      data += piece.toString("latin1");
    });
  }
  return { data, rest: body.isComplete ? bytes.toString("latin1", at) : undefined, fault: body.fault?.message };
}

const PIECES = [Number.MAX_SAFE_INTEGER, 1, 2, 3, 7];

test.each([
  { sent: "0\r\n\r\n", data: "", rest: "" },
  { sent: "5\r\nhello\r\n0\r\n\r\n", data: "hello", rest: "" },
  { sent: "5\r\nhello\r\n0005\r\nworld\r\n000\r\n\r\nGET", data: "helloworld", rest: "GET" },
  { sent: "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", data: "01234567890123456789", rest: "" },
  { sent: '1;a\r\nx\r\n1;a=b;c="d\\"e;\\\\"\r\ny\r\n0;z\r\n\r\n', data: "xy", rest: "" },
  { sent: "2\r\n\r\n\r\n0\r\n\r\n", data: "\r\n", rest: "" },
  { sent: "1\r\nx\r\n0\r\ngrpc-status: 0\r\nempty:\r\n\r\nrest", data: "x", rest: "rest" },
  { sent: "5\r\nhel", data: "hel", rest: undefined },
  { sent: "1fffffffffffff\r\nx", data: "x", rest: undefined },
  { sent: `1;a=${"b".repeat(4000)}\r\nx\r\n0\r\n\r\n`, data: "x", rest: "" },
])("the chunks $sent are $data, however they are cut", ({ sent, data, rest }) => {
  for (const pieceBytes of PIECES) {
    expect(take(sent, pieceBytes)).toEqual({ data, rest, fault: undefined });
  }
});

const SIZE = "The body's chunks are malformed: each must begin with its size in hexadecimal digits.";
const END = "The body's chunks are malformed: each must be as long as its size says, and end in CRLF.";
const LINE = "The body's chunks are malformed: each line between them must end in CRLF, and contain no other CR or LF.";
const TRAILER = "The body's trailers must be valid header lines, and must not be headers that define the request or where it ends.";
const LONG = "The body's chunks have too much overhead: each line may have at most 4 KiB, and all lines together 16 KiB.";

test.each([
  ["\r\n", SIZE],
  ["nonsense\r\n", SIZE],
  ["-1\r\n", SIZE],
  ["+1\r\n", SIZE],
  ["0x1\r\n", SIZE],
  ["1 \r\n", SIZE],
  [" 1\r\n", SIZE],
  ["1 ;a\r\n", SIZE],
  ["1; a\r\n", SIZE],
  ["1;\r\n", SIZE],
  ["1;a=\r\n", SIZE],
  ['1;a="b\r\n', SIZE],
  ["1;a\x00\r\n", SIZE],
  ["1_0\r\n", SIZE],
  ["20000000000000\r\n", SIZE],
  ["ffffffffffffffff\r\n", SIZE],
  ["10000000000000001\r\n", SIZE],
  ["5\nhello\r\n", LINE],
  ["5\rhello\r\n", LINE],
  ["5;a\rb\r\n", LINE],
  ["5\r\r\nhello\r\n", LINE],
  ["0\r\n\n", LINE],
  ["0\r\na: b\n\r\n", LINE],
  ["5\r\nhelloX\r\n", END],
  ["5\r\nhello0\r\n\r\n", END],
  ["0\r\ncontent-length: 5\r\n\r\n", TRAILER],
  ["0\r\nTransfer-Encoding: chunked\r\n\r\n", TRAILER],
  ["0\r\nhost: b\r\n\r\n", TRAILER],
  ["0\r\na : b\r\n\r\n", TRAILER],
  ["0\r\n a: b\r\n\r\n", TRAILER],
  ["0\r\na: b\r\n c\r\n\r\n", TRAILER],
  ["0\r\na: b\x00\r\n\r\n", TRAILER],
  ["0\r\nGET / HTTP/1.1\r\n\r\n", TRAILER],
])("the chunks %j are refused: %s", (sent, message) => {
  for (const pieceBytes of PIECES) {
    expect(take(sent, pieceBytes)).toMatchObject({ rest: undefined, fault: message });
  }
});

test.each([
  { what: "a line that is too long", sent: `1;a=${"b".repeat(4093)}\r\nx\r\n` },
  { what: "a line that is far too long", sent: `1;a=${"b".repeat(90_000)}` },
  { what: "too many extensions", sent: `1;a=${"b".repeat(4000)}\r\nx\r\n`.repeat(5) },
  { what: "too many trailers", sent: `0\r\n${`a: ${"b".repeat(4000)}\r\n`.repeat(5)}` },
])("chunks with $what are refused", ({ sent }) => {
  for (const pieceBytes of PIECES) {
    expect(take(sent, pieceBytes)).toMatchObject({ rest: undefined, fault: LONG });
  }
});

test("hostile chunks take time linear in their length", () => {
  const hostile = [`1;${"a;".repeat(2000)}\x00`, `1;a="${"\\a".repeat(2000)}`, `1${";a".repeat(2000)} `];
  // CPU time, because wall time grows on a busy machine.
  const started = process.threadCpuUsage();
  for (const line of hostile) {
    take(`${line}\r\n`, 1);
  }
  expect(process.threadCpuUsage(started).user).toBeLessThan(2_000_000);
});
