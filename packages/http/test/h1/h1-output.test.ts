// What is written at the end of a turn: short parts together, long ones without a copy.
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { H1Output, type Part } from "../../src/h1/h1-output.ts";

function writesOf(...parts: readonly Part[]): readonly unknown[] {
  const written: unknown[] = [];
  const corks: string[] = [];
  const socket = {
    writable: true,
    writableLength: 0,
    write: (bytes: unknown) => written.push(bytes),
    cork: () => corks.push("cork"),
    uncork: () => corks.push("uncork"),
  };
  const output = new H1Output(socket as unknown as Socket);
  for (const part of parts) {
    output.add(part);
  }
  output.flush();
  expect(corks).toEqual(parts.includes(long) ? ["cork", "uncork"] : []);
  return written;
}

const long = Buffer.alloc(16 * 1024 + 1, "l");
const short = Buffer.alloc(16 * 1024, "s");

test("text alone is written as it is", () => {
  expect(writesOf("HTTP", "/1.1")).toEqual(["HTTP/1.1"]);
});

test("short parts are joined", () => {
  expect(writesOf("head\xe9", short, "end")).toEqual([
    Buffer.concat([Buffer.from("head\xe9", "latin1"), short, Buffer.from("end")]),
  ]);
});

test("a long part is handed over itself, in order with the others", () => {
  const written = writesOf("head\xe9", long, "end");
  expect(written).toEqual([Buffer.from("head\xe9", "latin1"), long, Buffer.from("end")]);
  expect(written[1]).toBe(long);
});

test("a long part alone is not copied either", () => {
  expect(writesOf(long)[0]).toBe(long);
});
