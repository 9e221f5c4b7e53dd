// Parses JSON (RFC 8259) strictly, and keeps what `JSON.parse` loses: duplicate keys, and numbers as they were written, so that
// 9007199254740993 keeps its last digit and 1e2 is not mistaken for an integer. Nesting is limited here; the length of the text is
// limited where it is received. Errors give the line and column.

/** How deep arrays and objects may nest. */
export const JSON_DEPTH_MAX = 64;

/** A number as it was written. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object as it was written: its members in order, including duplicate keys. */
export class JsonMembers {
  readonly members: readonly (readonly [key: string, value: Json])[];

  constructor(members: readonly (readonly [string, Json])[]) {
    this.members = members;
  }
}

/** A JSON value as it was written. */
export type Json = null | boolean | string | JsonNumber | JsonMembers | readonly Json[];

// A number with a fraction or an exponent. A longer one is in no range of whole numbers. A plus sign in a query arrives as a space.
const WITH_FRACTION = /^(?=.{1,40}$)(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+ -]?\d{1,2}))?$/;

/**
 * A whole number in plain digits, however it is written; any other text unchanged. In protobuf's JSON, 477.0 and 1.76e+09 are whole
 * numbers, and some languages write no other form.
 */
export function wholeText(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  if (last < ZERO || last > NINE || !/[.eE]/.test(text)) {
    return text;
  }
  const [, sign = "", whole, fraction = "", exponent = "0"] = WITH_FRACTION.exec(text) ?? [];
  if (whole === undefined) {
    return text;
  }
  const zeros = Number(exponent) - fraction.length;
  const digits = whole + fraction + "0".repeat(Math.max(0, zeros));
  const end = digits.length + Math.min(0, zeros);
  if (/[1-9]/.test(digits.slice(Math.max(0, end)))) {
    return text;
  }
  return sign + (digits.slice(0, Math.max(0, end)).replace(/^0+(?=\d)/, "") || "0");
}

/** Writes a value as it was written, without white space. */
export function writeJson(json: Json): string {
  if (json instanceof JsonNumber) {
    return json.text;
  }
  if (json instanceof JsonMembers) {
    return `{${json.members.map(([key, value]) => `${JSON.stringify(key)}:${writeJson(value)}`).join(",")}}`;
  }
  return json !== null && typeof json === "object" ? `[${json.map(writeJson).join(",")}]` : JSON.stringify(json);
}

/** Why a string is not JSON: `expected a value at line 1, column 8`. */
export class JsonSyntaxError extends Error {}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ZERO = 0x30;
const NINE = 0x39;
const BLANKS = /[ \t\r\n]*/y;
const HEX4 = /[0-9A-Fa-f]{4}/y;
// Matches up to the first character that ends the string or has a meaning in it: a quote, a backslash or a control character.
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings, so they end the run.
const PLAIN = /[^"\\\u0000-\u001f]*/y;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Parses one JSON value. Throws a JsonSyntaxError. */
export function readJson(text: string): Json {
  return new JsonReader(text).whole();
}

class JsonReader {
  readonly #text: string;
  #position = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Json {
    const value = this.#value();
    if (this.#peek() !== undefined) {
      throw this.#error("expected the end");
    }
    return value;
  }

  #value(): Json {
    switch (this.#peek()) {
      case "{":
        return this.#nested(() => new JsonMembers(this.#list("}", () => this.#member())));
      case "[":
        return this.#nested(() => this.#list("]", () => this.#value()));
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #nested<Value>(read: () => Value): Value {
    if (this.#depth === JSON_DEPTH_MAX) {
      throw this.#error(`more than ${JSON_DEPTH_MAX} levels`);
    }
    this.#depth += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  // Reads from the opening bracket to the closing one.
  #list<Item>(close: string, readItem: () => Item): Item[] {
    const items: Item[] = [];
    this.#position += 1;
    if (this.#peek() === close) {
      this.#position += 1;
      return items;
    }
    for (;;) {
      items.push(readItem());
      const next = this.#peek();
      if (next !== "," && next !== close) {
        throw this.#error(`expected "," or "${close}"`);
      }
      this.#position += 1;
      if (next === close) {
        return items;
      }
    }
  }

  #member(): readonly [string, Json] {
    if (this.#peek() !== '"') {
      throw this.#error("expected a key in double quotes");
    }
    const key = this.#string();
    if (this.#peek() !== ":") {
      throw this.#error('expected ":"');
    }
    this.#position += 1;
    return [key, this.#value()];
  }

  #string(): string {
    this.#position += 1;
    let value = this.#take(PLAIN);
    let next = this.#text[this.#position];
    while (next === "\\") {
      value += this.#escape() + this.#take(PLAIN);
      next = this.#text[this.#position];
    }
    if (next !== '"') {
      throw this.#error(next === undefined ? "expected a closing quote" : "a control character must be escaped");
    }
    if (!value.isWellFormed()) {
      throw this.#error("half of a surrogate pair");
    }
    this.#position += 1;
    return value;
  }

  #escape(): string {
    const letter = this.#text[this.#position + 1] ?? "";
    if (letter === "u") {
      this.#position += 2;
      const hex = this.#take(HEX4);
      if (hex === "") {
        throw this.#error("expected four hexadecimal digits");
      }
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (character === undefined) {
      throw this.#error("an unknown escape");
    }
    this.#position += 2;
    return character;
  }

  #number(): JsonNumber {
    const text = this.#take(NUMBER);
    if (text === "") {
      throw this.#error("expected a value");
    }
    return new JsonNumber(text);
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#position)) {
      throw this.#error("expected a value");
    }
    this.#position += word.length;
    return value;
  }

  // The next character that is not white space.
  #peek(): string | undefined {
    this.#take(BLANKS);
    return this.#text[this.#position];
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const text = pattern.exec(this.#text)?.[0] ?? "";
    this.#position += text.length;
    return text;
  }

  #error(what: string): JsonSyntaxError {
    const before = this.#text.slice(0, this.#position);
    const line = before.split("\n").length;
    const column = this.#position - before.lastIndexOf("\n");
    return new JsonSyntaxError(`${what} at line ${line}, column ${column}`);
  }
}
