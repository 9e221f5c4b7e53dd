// Finds the bytes of each value in JSON text. If the text, which comes from a server, is not JSON, it becomes one node that says so.
import { type NodeBudget, quoted, takeNode, type WireNode } from "./node.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const DEPTH_MAX = 64;

class NotJson extends Error {}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The node of the JSON value in `bytes` from `start` to `end`. */
export function jsonNode(bytes: Uint8Array, start: number, end: number, label: string, budget: NodeBudget): WireNode {
  try {
    return new JsonReader(bytes, end, budget).value(start, label, 0);
  } catch (error) {
    if (!(error instanceof NotJson)) {
      throw error;
    }
    const text = new TextDecoder().decode(bytes.subarray(start, end));
    return leaf(label, "text", quoted(text), start, end);
  }
}

const leaf = (label: string, note: string, value: string, start: number, end: number): WireNode => ({
  label,
  note,
  value,
  start,
  end,
  parts: [{ kind: "value", start, end }],
  children: [],
});

class JsonReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #budget: NodeBudget;

  constructor(bytes: Uint8Array, end: number, budget: NodeBudget) {
    this.#bytes = bytes;
    this.#end = end;
    this.#budget = budget;
  }

  /** Reads the value at `from`, after any whitespace. `nameStart`: where its name starts; the name is a part of the value's node. */
  value(from: number, label: string, depth: number, nameStart?: number): WireNode {
    const start = this.#skipBlanks(from);
    const byte = this.#bytes[start];
    if (start >= this.#end || depth > DEPTH_MAX) {
      throw new NotJson();
    }
    const node =
      byte === OPEN_OBJECT || byte === OPEN_LIST
        ? this.#container(start, label, depth, byte === OPEN_OBJECT)
        : this.#scalar(start, label);
    return nameStart === undefined
      ? node
      : { ...node, start: nameStart, parts: [{ kind: "tag", start: nameStart, end: start }, ...node.parts] };
  }

  #scalar(start: number, label: string): WireNode {
    const end = this.#bytes[start] === QUOTE ? this.#stringEnd(start) : this.#wordEnd(start);
    const value = this.#parsed(start, end);
    return typeof value === "string"
      ? leaf(label, "text", quoted(value), start, end)
      : leaf(label, value === null ? "null" : typeof value, String(value), start, end);
  }

  #container(start: number, label: string, depth: number, isObject: boolean): WireNode {
    const close = isObject ? CLOSE_OBJECT : CLOSE_LIST;
    const children: WireNode[] = [];
    let at = this.#skipBlanks(start + 1);
    let count = 0;
    while (this.#bytes[at] !== close) {
      let name = `[${count}]`;
      let nameStart: number | undefined;
      if (isObject) {
        nameStart = at;
        const nameEnd = this.#stringEnd(at);
        name = String(this.#parsed(at, nameEnd));
        at = this.#expect(this.#skipBlanks(nameEnd), COLON);
      }
      const hasRoom = takeNode(this.#budget);
      const child = hasRoom ? this.value(at, name, depth + 1, nameStart) : undefined;
      at = this.#skipBlanks(child?.end ?? this.#skipValue(at));
      if (child !== undefined) {
        children.push(child);
      }
      count += 1;
      if (this.#bytes[at] === COMMA) {
        at = this.#skipBlanks(at + 1);
      } else if (this.#bytes[at] !== close || at >= this.#end) {
        throw new NotJson();
      }
    }
    const note = isObject ? `object, ${count} ${count === 1 ? "field" : "fields"}` : `list of ${count}`;
    return { label, note, value: count === 0 ? (isObject ? "{}" : "[]") : "", start, end: at + 1, parts: [], children };
  }

  // Skips a value that gets no node. Returns where it ends.
  #skipValue(from: number): number {
    let at = this.#skipBlanks(from);
    let open = 0;
    do {
      const byte = this.#bytes[at];
      if (at >= this.#end) {
        throw new NotJson();
      }
      if (byte === QUOTE) {
        at = this.#stringEnd(at);
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST || byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        open += byte === OPEN_OBJECT || byte === OPEN_LIST ? 1 : -1;
        at += 1;
      } else if (byte === COMMA || byte === COLON || isBlank(byte)) {
        at += 1;
      } else {
        at = this.#wordEnd(at);
      }
    } while (open > 0);
    return at;
  }

  #parsed(start: number, end: number): unknown {
    try {
      return JSON.parse(new TextDecoder().decode(this.#bytes.subarray(start, end)));
    } catch {
      throw new NotJson();
    }
  }

  #stringEnd(start: number): number {
    this.#expect(start, QUOTE);
    for (let at = start + 1; at < this.#end; at++) {
      const byte = this.#bytes[at];
      if (byte === BACKSLASH) {
        at += 1;
      } else if (byte === QUOTE) {
        return at + 1;
      }
    }
    throw new NotJson();
  }

  #wordEnd(start: number): number {
    let at = start;
    while (at < this.#end && !isBlank(this.#bytes[at]) && ![COMMA, CLOSE_LIST, CLOSE_OBJECT].includes(this.#bytes[at] ?? 0)) {
      at += 1;
    }
    if (at === start) {
      throw new NotJson();
    }
    return at;
  }

  #expect(at: number, byte: number): number {
    if (at >= this.#end || this.#bytes[at] !== byte) {
      throw new NotJson();
    }
    return at + 1;
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (at < this.#end && isBlank(this.#bytes[at])) {
      at += 1;
    }
    return at;
  }
}
