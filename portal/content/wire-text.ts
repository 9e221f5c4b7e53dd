// A response as it was received, as text: JSON is formatted for reading, anything else is shown as bytes.
import { compactJson } from "./compact-json.ts";

/** The parts of a response. */
export interface ShownResponse {
  readonly status: number;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: Uint8Array;
  readonly trailers?: Iterable<readonly [name: string, value: string]>;
}

const BYTES_IN_ROW = 12;
// Enough to see how a message begins. More rows would be a fifth of the front page.
const ROWS_MAX = 6;
// Headers that say nothing about the call: those with a different value each time, and those that every server sends.
const HIDDEN_HEADERS =
  /^(?:date|vary|access-control-.*|alt-svc|connection|keep-alive|x-content-type-options|traceparent|cache-control)$/;

/** `HTTP/2 200`, the headers, the body, and the trailers. */
export function wireText({ status, headers, body, trailers = [] }: ShownResponse): string {
  const linesOf = (all: Iterable<readonly [string, string]>): string =>
    [...all]
      .filter(([name]) => !HIDDEN_HEADERS.test(name))
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n");
  const isText = [...headers].some(([name, value]) => name === "content-type" && value.startsWith("application/json"));
  const parts = [
    `HTTP/2 ${status}\n${linesOf(headers)}`,
    isText ? compactJson(JSON.parse(new TextDecoder().decode(body))) : bytesText(body),
    linesOf(trailers),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

// `00 00 00 00 07 08 9a 08 22 02 02 03   ........"...`
function bytesText(body: Uint8Array): string {
  const rows = Array.from({ length: Math.min(ROWS_MAX, Math.ceil(body.length / BYTES_IN_ROW)) }, (_, row) => {
    const bytes = [...body.subarray(row * BYTES_IN_ROW, (row + 1) * BYTES_IN_ROW)];
    const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    return `${hex.padEnd(BYTES_IN_ROW * 3)}  ${letters}`;
  });
  return rows.join("\n") + (body.length > ROWS_MAX * BYTES_IN_ROW ? `\n… ${body.length} bytes in all` : "");
}
