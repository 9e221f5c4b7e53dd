// Parses one scalar value from text in a path, a query, a form or a JSON string. Strict, because a lenient reader would have to
// guess what `0x10` or ` 5` means: integers are whole decimals in their type's range, also as `1e3`, and booleans are true or false in any
// case.
import { ScalarType } from "@bufbuild/protobuf";
import { wholeText } from "./json.ts";

/** Returned for an invalid string. */
export const INVALID = Symbol("invalid");

/** How to parse the values of one type from text. */
export interface TextReader {
  /** What a value must be, to follow "must be": `true or false`. */
  readonly mustBe: string;
  /** The value in protobuf-es's form, or INVALID. */
  read(text: string): unknown;
}

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const DECIMAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+ -]?[0-9]+)?$/;
const ZERO = 0x30;
const FLOAT_MAX = 3.4028234663852886e38;
// The longest 64-bit integer has 20 characters. A longer string is out of range and need not be converted.
const INTEGER_CHARACTERS_MAX = 20;

function integer32(min: number, max: number): TextReader {
  return {
    mustBe: `a whole number from ${min} to ${max}`,
    read(text) {
      if (text.length === 1 && text >= "0" && text <= "9") {
        // Within every range, and recognised without a regular expression.
        return text.charCodeAt(0) - ZERO;
      }
      const plain = wholeText(text);
      if (plain.length > INTEGER_CHARACTERS_MAX || !INTEGER.test(plain)) {
        return INVALID;
      }
      // Adding zero turns -0 into 0.
      const value = Number(plain) + 0;
      return value >= min && value <= max ? value : INVALID;
    },
  };
}

function integer64(min: bigint, max: bigint, asString: boolean): TextReader {
  return {
    mustBe: `a whole number from ${min} to ${max}`,
    read(text) {
      const plain = wholeText(text);
      if (plain.length > INTEGER_CHARACTERS_MAX || !INTEGER.test(plain)) {
        return INVALID;
      }
      const value = BigInt(plain);
      if (value < min || value > max) {
        return INVALID;
      }
      return asString ? String(value) : value;
    },
  };
}

function decimal(max: number): TextReader {
  return {
    mustBe: "a number",
    read(text) {
      const value = DECIMAL.test(text) ? Number(text.replace(" ", "+")) : Number.NaN;
      return Math.abs(value) <= max ? value : INVALID;
    },
  };
}

const BOOLEAN: TextReader = {
  mustBe: "true or false",
  read(text) {
    const lower = text.length <= 5 ? text.toLowerCase() : "";
    return lower === "true" ? true : lower === "false" ? false : INVALID;
  },
};

const STRING: TextReader = { mustBe: "a string", read: (text) => text };

// In either alphabet, with or without padding.
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

const BYTES: TextReader = {
  mustBe: "bytes in base64",
  read: (text) => (BASE64.test(text) ? Buffer.from(text, "base64") : INVALID),
};

const INT32 = integer32(-2147483648, 2147483647);
const UINT32 = integer32(0, 4294967295);
const DOUBLE = decimal(Number.MAX_VALUE);
const FLOAT = decimal(FLOAT_MAX);

/** The reader of a scalar type. With `longAsString`, 64-bit integers are strings, as the field option `jstype` requires. */
export function scalarTextReader(type: ScalarType, longAsString = false): TextReader {
  switch (type) {
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return INT32;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return UINT32;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return integer64(-(2n ** 63n), 2n ** 63n - 1n, longAsString);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return integer64(0n, 2n ** 64n - 1n, longAsString);
    case ScalarType.DOUBLE:
      return DOUBLE;
    case ScalarType.FLOAT:
      return FLOAT;
    case ScalarType.BOOL:
      return BOOLEAN;
    case ScalarType.STRING:
      return STRING;
    case ScalarType.BYTES:
      return BYTES;
  }
}
