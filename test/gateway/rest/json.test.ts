import { JsonMembers, JsonNumber, JsonSyntaxError, plainJson, readJson } from "@quintet/transcoding";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

test("output of JSON.stringify is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(plainJson(readJson(text))).toEqual(JSON.parse(text));
    }),
  );
});

test("a string is accepted exactly if JSON.parse accepts it", () => {
  const noise = fc.array(fc.constantFrom(...'{}[]:,"\\u0019-+.eE tfn\n\tx', "true", "null", '"a"', "\\u00e9", "\ud800", "12"));
  const parses = (parse: (text: string) => unknown, text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(noise, (pieces) => {
      const text = pieces.join("");
      fc.pre(text.isWellFormed() && !/\\u[dD][89a-fA-F]/.test(text));
      expect(parses(readJson, text)).toBe(parses(JSON.parse, text));
    }),
    { numRuns: 3000 },
  );
});

test("numbers are kept as written, and a key that is given twice is kept twice", () => {
  expect(readJson(' {"a": 1e2, "a": [9007199254740993, -0.50]} ')).toEqual(
    new JsonMembers([
      ["a", new JsonNumber("1e2")],
      ["a", [new JsonNumber("9007199254740993"), new JsonNumber("-0.50")]],
    ]),
  );
});

test("there is no plain value for repeated keys or numbers that are too large", () => {
  expect(['{"a":1,"a":2}', '[{"a":1,"a":1}]', "1e999", '{"a":[1e999]}'].map((text) => plainJson(readJson(text)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("a key __proto__ is a key like any other", () => {
  const plain = plainJson(readJson('{"__proto__":{"polluted":true}}')) as Record<string, unknown>;
  expect(Object.keys(plain)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
});

test("64 levels are read", () => {
  expect(JSON.stringify(readJson("[".repeat(64) + "]".repeat(64)))).toBe("[".repeat(64) + "]".repeat(64));
});

describe("invalid JSON is refused, with the line and the column", () => {
  test.each([
    ["", "expected a value at line 1, column 1"],
    ["  ", "expected a value at line 1, column 3"],
    ["{", "expected a key in double quotes at line 1, column 2"],
    ["{a:1}", "expected a key in double quotes at line 1, column 2"],
    ['{"a"}', 'expected ":" at line 1, column 5'],
    ['{"a":}', "expected a value at line 1, column 6"],
    ['{"a":1,}', "expected a key in double quotes at line 1, column 8"],
    ['{"a":1 "b":2}', 'expected "," or "}" at line 1, column 8'],
    ["[1,]", "expected a value at line 1, column 4"],
    ["[1 2]", 'expected "," or "]" at line 1, column 4'],
    ["[1", 'expected "," or "]" at line 1, column 3'],
    ["1 2", "expected the end at line 1, column 3"],
    ["01", "expected the end at line 1, column 2"],
    ["+1", "expected a value at line 1, column 1"],
    ["1.", "expected the end at line 1, column 2"],
    [".5", "expected a value at line 1, column 1"],
    ["NaN", "expected a value at line 1, column 1"],
    ["tru", "expected a value at line 1, column 1"],
    ['"a', "expected a closing quote at line 1, column 3"],
    ['"a\nb"', "a control character must be escaped at line 1, column 3"],
    ['"\\x"', "an unknown escape at line 1, column 2"],
    ['"\\u12g4"', "expected four hexadecimal digits at line 1, column 4"],
    ['"\\ud800"', "half of a surrogate pair at line 1, column 8"],
    ['{\n  "a": 1,\n  oops\n}', "expected a key in double quotes at line 3, column 3"],
    ["\u00a01", "expected a value at line 1, column 1"],
    ["[".repeat(65), "more than 64 levels at line 1, column 65"],
  ])("%j", (text, message) => {
    expect(() => readJson(text)).toThrow(new JsonSyntaxError(message));
  });
});
