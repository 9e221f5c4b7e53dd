// Writes the heads of responses as strings in which each character is one byte. Lines that repeat are cached. No header value can end
// its line. https://www.rfc-editor.org/rfc/rfc9112#section-4

import type { HttpDate } from "../headers.ts";
import { checkHeaderValue, type ResponseHeaders } from "../headers.ts";

// The reason phrases of status lines. Programs ignore them; they are for people reading the bytes.
// https://www.iana.org/assignments/http-status-codes
const STATUS_TEXTS: ReadonlyMap<number, string> = new Map([
  [200, "OK"],
  [201, "Created"],
  [202, "Accepted"],
  [204, "No Content"],
  [206, "Partial Content"],
  [301, "Moved Permanently"],
  [302, "Found"],
  [303, "See Other"],
  [304, "Not Modified"],
  [307, "Temporary Redirect"],
  [308, "Permanent Redirect"],
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [402, "Payment Required"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [405, "Method Not Allowed"],
  [406, "Not Acceptable"],
  [408, "Request Timeout"],
  [409, "Conflict"],
  [410, "Gone"],
  [411, "Length Required"],
  [412, "Precondition Failed"],
  [413, "Payload Too Large"],
  [414, "URI Too Long"],
  [415, "Unsupported Media Type"],
  [416, "Range Not Satisfiable"],
  [417, "Expectation Failed"],
  [421, "Misdirected Request"],
  [422, "Unprocessable Entity"],
  [429, "Too Many Requests"],
  [431, "Request Header Fields Too Large"],
  [499, "Client Closed Request"],
  [500, "Internal Server Error"],
  [501, "Not Implemented"],
  [502, "Bad Gateway"],
  [503, "Service Unavailable"],
  [504, "Gateway Timeout"],
  [505, "HTTP Version Not Supported"],
]);

/** The phrase of a status; empty if it has none. */
const statusText = (status: number): string => STATUS_TEXTS.get(status) ?? "";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** How many names are cached, each with its last line, and the longest value that is cached. */
const NAMES_MAX = 128;
const KEPT_VALUE_LENGTH_MAX = 256;

// Headers whose value differs in each response, so caching is useless. Cookies are also secrets.
const CHANGING: ReadonlySet<string> = new Set(["ratelimit", "set-cookie"]);

interface CachedLine {
  readonly start: string;
  /** Undefined if no value is kept. */
  value: string | undefined;
  line: string;
}

/** Writes heads for all connections of a listener. */
export class ResponseHeads {
  readonly #date: HttpDate;
  readonly #lines = new Map<string, CachedLine>();
  readonly #statusLines = new Map<number, string>();
  #dateText = "";
  #keepAliveLines = "";
  #lastLines = "";

  constructor(date: HttpDate) {
    this.#date = date;
  }

  /** Such as `HTTP/1.1 200 OK`, with its line end. */
  statusLine(status: number): string {
    let line = this.#statusLines.get(status);
    if (line === undefined) {
      line = `HTTP/1.1 ${status} ${statusText(status)}\r\n`;
      this.#statusLines.set(status, line);
    }
    return line;
  }

  /** The last lines of a head: the date, the keep-alive lines, and the blank line. */
  lastLines(keepAliveLines: string): string {
    const { text } = this.#date;
    if (text !== this.#dateText || keepAliveLines !== this.#keepAliveLines) {
      this.#dateText = text;
      this.#keepAliveLines = keepAliveLines;
      // Joining makes a flat string rather than a rope, which would have to be flattened for each response.
      this.#lastLines = ["date: ", text, "\r\n", keepAliveLines, "\r\n"].join("");
    }
    return this.#lastLines;
  }

  /** One line per header. Throws a TypeError if a name or a value cannot be sent. */
  lines(headers: ResponseHeaders): string {
    let text = "";
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === "string") {
        text += this.#line(name, value);
      } else if (typeof value === "number") {
        text += this.#line(name, String(value));
      } else if (value !== undefined) {
        for (const one of value) {
          text += this.#line(name, one);
        }
      }
    }
    return text;
  }

  #line(name: string, value: string): string {
    const kept = this.#lines.get(name);
    if (kept !== undefined && kept.value === value) {
      return kept.line;
    }
    checkHeaderValue(name, value);
    if (kept === undefined && !TOKEN.test(name)) {
      throw new TypeError("A header has a name that cannot be sent.");
    }
    const start = kept === undefined ? `${name}: ` : kept.start;
    const line = `${start}${value}\r\n`;
    if (kept === undefined) {
      this.#keep(name, { start, value, line });
    } else if (kept.value !== undefined && value.length <= KEPT_VALUE_LENGTH_MAX) {
      kept.value = value;
      kept.line = line;
    }
    return line;
  }

  #keep(name: string, first: CachedLine & { readonly value: string }): void {
    if (this.#lines.size < NAMES_MAX && first.value.length <= KEPT_VALUE_LENGTH_MAX) {
      this.#lines.set(name, CHANGING.has(name) ? { start: first.start, value: undefined, line: "" } : first);
    }
  }
}
