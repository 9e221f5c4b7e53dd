// Sends an answer that is there whole: its head, its body and its trailers. https://www.rfc-editor.org/rfc/rfc9112#section-6
// By name, because the global one is a getter, which takes 70 ns of each answer.
import { Buffer } from "node:buffer";
import type { ResponseHeaders } from "../headers.ts";
import type { Part } from "./h1-output.ts";
import { PIECE_BYTES } from "./long-answer.ts";

/** The header line of a body whose length is not said. */
export const CHUNKED = "transfer-encoding: chunked\r\n";

/** The exchange, as it is answered. */
interface Answerable {
  readonly method: string;
  readonly minorVersion: 0 | 1;
  responseBodyBytes: number;
  wholeHead(status: number, headers: ResponseHeaders, framing: string): string;
  trailerLines(trailers: Readonly<Record<string, string>>): string;
  send(part: Part): void;
  finish(part: Part): void;
  finishInPieces(body: Uint8Array): void;
}

/** Answers. A caller of HTTP/1.0 gets no trailers. Throws a TypeError, with nothing sent, where a header or a trailer cannot be sent. */
export function sendWhole(
  exchange: Answerable,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  trailers: Readonly<Record<string, string>> | undefined,
): void {
  if (trailers !== undefined && exchange.minorVersion === 1) {
    sendWithTrailers(exchange, status, headers, body, trailers);
    return;
  }
  // 204 and 304 may have neither: https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1
  const mayHaveBody = status !== 204 && status !== 304;
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
  const head = exchange.wholeHead(status, headers, mayHaveBody ? `content-length: ${length}\r\n` : "");
  if (!mayHaveBody || length === 0 || exchange.method === "HEAD") {
    exchange.finish(head);
    return;
  }
  exchange.responseBodyBytes = length;
  if (length > PIECE_BYTES) {
    exchange.send(head);
    exchange.finishInPieces(typeof body === "string" ? Buffer.from(body) : body);
  } else if (typeof body === "string" && body.length === length) {
    // ASCII, of which each letter is a byte.
    exchange.finish(head + body);
  } else {
    exchange.send(head);
    exchange.finish(typeof body === "string" ? Buffer.from(body) : body);
  }
}

function sendWithTrailers(
  exchange: Answerable,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  trailers: Readonly<Record<string, string>>,
): void {
  const end = `0\r\n${exchange.trailerLines(trailers)}\r\n`;
  const head = exchange.wholeHead(status, headers, `trailer: ${Object.keys(trailers).join(", ")}\r\n${CHUNKED}`);
  if (exchange.method === "HEAD") {
    exchange.finish(head);
    return;
  }
  exchange.send(head);
  if (body.length > 0) {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    exchange.responseBodyBytes = bytes.length;
    exchange.send(`${bytes.length.toString(16)}\r\n`);
    exchange.send(bytes);
    exchange.send("\r\n");
  }
  exchange.finish(end);
}
