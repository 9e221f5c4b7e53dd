import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readSecret } from "../../src/cli/secret-input.ts";

function source(chunks: readonly string[], isTTY: boolean) {
  const modes: boolean[] = [];
  const stream = Object.assign(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), {
    isTTY,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  });
  return { stream, modes };
}

async function read(chunks: readonly string[], isTTY: boolean) {
  const { stream, modes } = source(chunks, isTTY);
  let written = "";
  const secret = await readSecret(stream, "Key: ", (text) => {
    written += text;
  });
  return { secret, written, modes };
}

describe("a secret", () => {
  test.for([
    { chunks: ["abc\n"], secret: "abc" },
    { chunks: ["a", "bc"], secret: "abc" },
    { chunks: ["abc\r\nnext\n"], secret: "abc" },
    { chunks: [], secret: "" },
    { chunks: ["x".repeat(5000)], secret: "x".repeat(1024) },
  ])("that is piped in is its first line, without a prompt", async ({ chunks, secret }) => {
    expect(await read(chunks, false)).toEqual({ secret, written: "", modes: [] });
  });

  test.for([
    { chunks: ["abc", "\r"], secret: "abc" },
    { chunks: ["abx\u007fc\b\bbc\u0004"], secret: "abc" },
    { chunks: ["ab\u0003"], secret: "" },
  ])("that is typed is prompted for and not shown", async ({ chunks, secret }) => {
    expect(await read(chunks, true)).toEqual({ secret, written: "Key: \n", modes: [true, false] });
  });
});
