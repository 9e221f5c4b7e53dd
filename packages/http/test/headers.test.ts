// A header's value is refused exactly where Node refuses it.
import { validateHeaderValue } from "node:http";
import { expect, test } from "vitest";
import { checkHeaderValue } from "../src/headers.ts";

const refuses = (check: (name: string, value: string) => void, value: string): boolean => {
  try {
    check("x-one", value);
    return false;
  } catch (error) {
    return error instanceof TypeError;
  }
};

test("the characters that a header's value may not contain are those that Node refuses", () => {
  const values = ["", " a ", ...Array.from({ length: 0x200 }, (_, code) => `a${String.fromCharCode(code)}b`), "a\u{1f600}"];
  const refused = values.filter((value) => refuses(checkHeaderValue, value));
  expect(refused).toEqual(values.filter((value) => refuses(validateHeaderValue, value)));
  // 31 control characters and DEL of the first 256, all of the second 256, and the one beyond.
  expect(refused.length).toBe(32 + 0x100 + 1);
});

test("the error names the header and not its value", () => {
  expect(() => checkHeaderValue("x-one", "secret\n")).toThrow(new TypeError("The header x-one has a value that cannot be sent."));
});
