// Parses the JSON of a body. First measures it: how deep it nests, how many values it has, how many members its objects have, and how
// long its strings are, because a few megabytes can expand to hundreds of megabytes of small objects. A large body is measured and parsed
// in slices, between which calls are served. All bodies share the slices: only one slice runs per turn.
import { nextTurn } from "../runtime/event-loop-turn.ts";
import { UpstreamFault } from "./fault.ts";

// Deeper than anything that an upstream sends: the extensions of token lists nest six deep.
const DEPTH_MAX = 16;
// More than any object that we read: stations have under 40 members, a response with prices at most 30.
const MEMBERS_MAX = 1000;
/** How much is measured or parsed in one step. */
const SLICE_BYTES = 64 * 1024;
/** A string cannot be parsed in slices. The longest of 55,170 stations has 15,000 bytes. */
const TEXT_BYTES_MAX = SLICE_BYTES;

/**
 * Parses a body. Throws an UpstreamFault "body" if it is not JSON in UTF-8, nests more than 16 deep, has an object of more than
 * 1,000 members or a string of more than 65,536 bytes, or has more than `valuesMax` values. Throws the signal's reason if it aborts
 * between two slices.
 */
export async function parseJsonBody(bytes: Uint8Array, valuesMax: number, signal: AbortSignal): Promise<unknown> {
  const pause = async (): Promise<void> => {
    await nextTurn();
    signal.throwIfAborted();
  };
  const scan = new BoundsScan(bytes, valuesMax);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    await pause();
    scan.upTo(Math.min(bytes.length, at + SLICE_BYTES));
  }
  return await parseSpan(bytes, 0, bytes.length, pause);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LIST_OPEN = 0x5b;
const LIST_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;

const notJson = (): UpstreamFault => new UpstreamFault("body", "the body is not JSON");
const tooMuch = (what: string): UpstreamFault => new UpstreamFault("body", `the body ${what}`);

/** Measures a body from beginning to end, in any number of steps. */
class BoundsScan {
  readonly #bytes: Uint8Array;
  readonly #valuesMax: number;
  // Depth → how many members the open object has so far. Not counted for lists.
  readonly #members = new Int32Array(DEPTH_MAX + 1);
  readonly #isObject = new Uint8Array(DEPTH_MAX + 1);
  #at = 0;
  #depth = 0;
  #values = 1;
  #isInText = false;
  #textStart = 0;

  constructor(bytes: Uint8Array, valuesMax: number) {
    this.#bytes = bytes;
    this.#valuesMax = valuesMax;
  }

  /** Continues up to `end`. Throws an UpstreamFault "body" if a limit is exceeded. */
  upTo(end: number): void {
    while (this.#at < end) {
      if (this.#isInText) {
        this.#at = endOfText(this.#bytes, this.#at, end);
        this.#isInText = this.#at >= end;
        if (this.#at - this.#textStart > TEXT_BYTES_MAX) {
          throw tooMuch(`has a string of more than ${TEXT_BYTES_MAX} bytes`);
        }
        // An escape may extend beyond the end of the step.
        this.#at += this.#isInText ? 0 : 1;
      } else {
        this.#step(this.#bytes[this.#at] as number);
        this.#at += 1;
      }
    }
  }

  #step(byte: number): void {
    if (byte === QUOTE) {
      this.#isInText = true;
      this.#textStart = this.#at + 1;
    } else if (byte === COMMA) {
      this.#count();
      if (this.#isObject[this.#depth] === 1) {
        this.#members[this.#depth] = (this.#members[this.#depth] as number) + 1;
        if ((this.#members[this.#depth] as number) > MEMBERS_MAX) {
          throw tooMuch(`has an object of more than ${MEMBERS_MAX} members`);
        }
      }
    } else if (byte === LIST_OPEN || byte === OBJECT_OPEN) {
      this.#count();
      this.#depth += 1;
      if (this.#depth > DEPTH_MAX) {
        throw tooMuch(`nests more than ${DEPTH_MAX} deep`);
      }
      this.#isObject[this.#depth] = byte === OBJECT_OPEN ? 1 : 0;
      this.#members[this.#depth] = 1;
    } else if (byte === LIST_CLOSE || byte === OBJECT_CLOSE) {
      this.#depth -= 1;
      if (this.#depth < 0) {
        throw notJson();
      }
    }
  }

  // A list or an object has one more value than commas. Its opening bracket counts for that one, so the count is never too low.
  #count(): void {
    this.#values += 1;
    if (this.#values > this.#valuesMax) {
      throw tooMuch(`has more than ${this.#valuesMax} values`);
    }
  }
}

// The end of the string that continues at `from`; at least `end` if it does not close before that.
function endOfText(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== QUOTE) {
    at += bytes[at] === BACKSLASH ? 2 : 1;
  }
  return at;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function parsePart(bytes: Uint8Array, start: number, end: number, open = "", close = ""): unknown {
  try {
    return JSON.parse(open + UTF_8.decode(bytes.subarray(start, end)) + close);
  } catch {
    // The parser's message quotes the body, and adds nothing to this one.
    throw notJson();
  }
}

const isWhitespace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

// The first byte from `from` on that is not whitespace, or `to`.
async function skipWhitespace(bytes: Uint8Array, from: number, to: number, pause: () => Promise<void>): Promise<number> {
  for (let at = from; at < to; at += 1) {
    if (!isWhitespace(bytes[at])) {
      return at;
    }
    if (at - from > 0 && (at - from) % SLICE_BYTES === 0) {
      await pause();
    }
  }
  return to;
}

// The end of the input before `to`, without trailing whitespace.
async function trimTrailingWhitespace(bytes: Uint8Array, from: number, to: number, pause: () => Promise<void>): Promise<number> {
  let end = to;
  while (end > from && isWhitespace(bytes[end - 1])) {
    end -= 1;
    if ((to - end) % SLICE_BYTES === 0) {
      await pause();
    }
  }
  return end;
}

// The value between two positions. A list or an object larger than a slice is parsed in groups of its elements or members.
async function parseSpan(bytes: Uint8Array, from: number, to: number, pause: () => Promise<void>): Promise<unknown> {
  await pause();
  const start = await skipWhitespace(bytes, from, to, pause);
  const end = await trimTrailingWhitespace(bytes, start, to, pause);
  const isList = bytes[start] === LIST_OPEN;
  if (end - start <= SLICE_BYTES || !(isList || bytes[start] === OBJECT_OPEN)) {
    return parsePart(bytes, start, end);
  }
  const close = end - 1;
  if (bytes[close] !== (isList ? LIST_CLOSE : OBJECT_CLOSE)) {
    throw notJson();
  }
  const elements: unknown[] = [];
  const members: [string, unknown][] = [];
  const addGroup = async (first: number, last: number): Promise<void> => {
    await pause();
    const group = isList ? parsePart(bytes, first, last, "[", "]") : parsePart(bytes, first, last, "{", "}");
    const added = isList ? (group as unknown[]) : Object.entries(group as object);
    if (added.length === 0) {
      throw notJson();
    }
    for (const each of added) {
      (isList ? elements : members).push(each as never);
    }
  };
  let groupStart = await skipWhitespace(bytes, start + 1, close, pause);
  if (groupStart === close) {
    return isList ? [] : {};
  }
  for (let childStart = groupStart; childStart <= close; ) {
    const child = new ChildScan(bytes, childStart, close);
    while (!child.hasEnded(SLICE_BYTES)) {
      await pause();
    }
    const childEnd = child.at;
    if (childEnd - childStart > SLICE_BYTES) {
      if (childStart > groupStart) {
        await addGroup(groupStart, childStart - 1);
      }
      if (isList) {
        elements.push(await parseSpan(bytes, childStart, childEnd, pause));
      } else {
        const [name, valueStart] = readName(bytes, childStart, childEnd);
        members.push([name, await parseSpan(bytes, valueStart, childEnd, pause)]);
      }
      groupStart = childEnd + 1;
    } else if (childEnd === close || childEnd + 1 - groupStart > SLICE_BYTES) {
      await addGroup(groupStart, childEnd);
      groupStart = childEnd + 1;
    }
    childStart = childEnd + 1;
  }
  return isList ? elements : Object.fromEntries(members);
}

/** Finds the end of an element or member, in any number of steps. */
class ChildScan {
  /**
   * The current position. At the end of the scan, the position of the comma after the child, or of the closing bracket of its list or
   * object.
   */
  at: number;
  readonly #bytes: Uint8Array;
  readonly #close: number;
  #depth = 0;

  constructor(bytes: Uint8Array, from: number, close: number) {
    this.#bytes = bytes;
    this.at = from;
    this.#close = close;
  }

  /** Continues for about `length` bytes. Returns whether it has found the end. */
  hasEnded(length: number): boolean {
    const limit = Math.min(this.at + length, this.#close);
    for (; this.at < limit; this.at += 1) {
      const byte = this.#bytes[this.at];
      if (byte === QUOTE) {
        this.at = endOfText(this.#bytes, this.at + 1, this.#close);
      } else if (byte === COMMA && this.#depth === 0) {
        return true;
      } else if (byte === LIST_OPEN || byte === OBJECT_OPEN) {
        this.#depth += 1;
      } else if (byte === LIST_CLOSE || byte === OBJECT_CLOSE) {
        this.#depth -= 1;
        if (this.#depth < 0) {
          throw notJson();
        }
      }
    }
    this.at = Math.min(this.at, this.#close);
    return this.at === this.#close;
  }
}

// The name of a member, and where its value starts.
function readName(bytes: Uint8Array, start: number, end: number): readonly [string, number] {
  const quote = bytes.indexOf(QUOTE, start);
  const nameEnd = quote === -1 ? end : endOfText(bytes, quote + 1, end) + 1;
  const colon = bytes.indexOf(COLON, nameEnd);
  if (colon === -1 || colon >= end) {
    throw notJson();
  }
  const name = parsePart(bytes, start, colon);
  if (typeof name !== "string") {
    throw notJson();
  }
  return [name, colon + 1];
}
