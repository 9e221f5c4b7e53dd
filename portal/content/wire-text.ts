// A response as it was received, as text: JSON is formatted for reading, anything else is shown as bytes.
import { compactJson } from "./compact-json.ts";

/** The parts of a response. */
export interface ShownResponse {
  readonly status: number;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: Uint8Array;
  readonly trailers?: Iterable<readonly [name: string, value: string]>;
  /** The HTTP version, as in the status line; `HTTP/2` if it is left out. */
  readonly version?: string;
  /** How many rows of bytes are shown at most: by default, enough to see how a message begins. */
  readonly rowsMax?: number;
}

const BYTES_IN_ROW = 12;
// More rows would be a fifth of the front page.
const ROWS_MAX = 6;
// Headers that say nothing about the call: those with a different value each time, and those that every server sends.
const HIDDEN_HEADERS =
  /^(?:date|vary|access-control-.*|alt-svc|connection|keep-alive|x-content-type-options|traceparent|cache-control)$/;

/** `HTTP/2 200`, the headers, the body, and the trailers. */
export function wireText({ status, headers, body, trailers = [], version = "HTTP/2", rowsMax = ROWS_MAX }: ShownResponse): string {
  const linesOf = (all: Iterable<readonly [string, string]>): string =>
    [...all]
      .filter(([name]) => !HIDDEN_HEADERS.test(name))
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n");
  const isText = [...headers].some(([name, value]) => name === "content-type" && value.startsWith("application/json"));
  const parts = [
    `${version} ${status}\n${linesOf(headers)}`,
    isText ? jsonText(new TextDecoder().decode(body)) : bytesText(body, rowsMax),
    linesOf(trailers),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

// Text that is not valid JSON, because it was cut off or a proxy sent it, is shown as it came.
function jsonText(text: string): string {
  try {
    return compactJson(JSON.parse(text));
  } catch {
    return text;
  }
}

// `00 00 00 00 07 08 9a 08 22 02 02 03   ........"...`
function bytesText(body: Uint8Array, rowsMax: number): string {
  const rows = Array.from({ length: Math.min(rowsMax, Math.ceil(body.length / BYTES_IN_ROW)) }, (_, row) => {
    const bytes = [...body.subarray(row * BYTES_IN_ROW, (row + 1) * BYTES_IN_ROW)];
    const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    return `${hex.padEnd(BYTES_IN_ROW * 3)}  ${letters}`;
  });
  return rows.join("\n") + (body.length > rowsMax * BYTES_IN_ROW ? `\n… ${body.length} bytes in all` : "");
}
