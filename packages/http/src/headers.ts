// Headers as the transport passes them on: plain records with names in lower case. Also checks which values may be sent.
import type { Clock } from "./clock.ts";

/** The text of a `date` header. It is formatted at most once a second. */
export class HttpDate {
  readonly #clock: Pick<Clock, "nowMs">;
  #second = Number.NaN;
  #text = "";

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** Such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
  get text(): string {
    const second = Math.floor(this.#clock.nowMs() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toUTCString();
    }
    return this.#text;
  }
}

// Finds a member in a comma-separated header such as `accept`. The list is searched rather than split: it may have thousands of
// members, and callers want only a few. https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1
const SPACE = 0x20;
const TAB = 0x09;
const COMMA = 0x2c;
/** Separates the cookies of a `cookie` header, and a member from its parameters. */
export const SEMICOLON = 0x3b;

/**
 * The parameters of the first member called `name`, in lower case, from the first semicolon to its end. Empty if it has none;
 * undefined if there is no such member. `name` is in lower case; the list may be in any case.
 */
export function memberParameters(list: string, name: string): string | undefined {
  const text = list.toLowerCase();
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    if (!beginsElement(text, at, COMMA)) {
      continue;
    }
    const end = afterBlanks(text, at + name.length);
    if (end === text.length || text.charCodeAt(end) === COMMA) {
      return "";
    }
    if (text.charCodeAt(end) === SEMICOLON) {
      const comma = text.indexOf(",", end);
      return comma < 0 ? text.slice(end) : text.slice(end, comma);
    }
  }
  return undefined;
}

/** Whether a list has a member, given in lower case. The list may be in any case. */
export const hasMember = (list: string | undefined, name: string): boolean =>
  list !== undefined && memberParameters(list, name) !== undefined;

/** Whether there are only spaces and tabs between `at` and the separator before it, or the beginning of the string. */
export function beginsElement(text: string, at: number, separator: number): boolean {
  let before = at - 1;
  while (before >= 0 && isBlank(text.charCodeAt(before))) {
    before -= 1;
  }
  return before < 0 || text.charCodeAt(before) === separator;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) {
    at += 1;
  }
  return at;
}

/** Whether a character, or a byte, is a space or a tab. A missing character is NaN, which is neither. */
export const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** A text without the spaces and tabs around it. `trim` would also remove line ends and non-breaking spaces. */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text.charCodeAt(start))) {
    start += 1;
  }
  while (end > start && isBlank(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return text.slice(start, end);
}

/**
 * A request's headers. If a name was sent several times, its values are joined by commas, and cookies by semicolons. For headers
 * that can have only one value, such as `content-type`, the first is kept.
 */
export interface RequestHeaders {
  readonly [name: string]: string | undefined;
}

// Headers that cannot have several values.
const SINGLE_VALUED: ReadonlySet<string> = new Set(
  (
    "age authorization content-type etag expires from if-modified-since if-unmodified-since last-modified location max-forwards " +
    "proxy-authorization referer retry-after server user-agent"
  ).split(" "),
);

/** Adds a header to those of a request, as RequestHeaders says. The same over HTTP/1.1 and HTTP/2. */
export function addHeader(headers: Record<string, string | undefined>, name: string, value: string): void {
  const known = headers[name];
  if (known === undefined) {
    headers[name] = value;
  } else if (!SINGLE_VALUED.has(name)) {
    headers[name] = `${known}${name === "cookie" ? "; " : ", "}${value}`;
  }
}

/** A response's headers or trailers. An array is sent as one header per value; a name whose value is undefined is not sent. */
export interface ResponseHeaders {
  [name: string]: number | string | string[] | undefined;
}

/** Headers that concern only one connection. HTTP/2 forbids them: https://www.rfc-editor.org/rfc/rfc9113#section-8.2.2 */
export const CONNECTION_SPECIFIC: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
];

// A field value consists of visible characters, spaces, tabs, and bytes above ASCII: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws a TypeError that names the header if its value cannot be sent. */
export function checkHeaderValue(name: string, value: string): void {
  if (NOT_IN_VALUES.test(value)) {
    throw new TypeError(`The header ${name} has a value that cannot be sent.`);
  }
}
