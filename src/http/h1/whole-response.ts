// Sends a complete response: head, body and trailers. https://www.rfc-editor.org/rfc/rfc9112#section-6
import type { ResponseHeaders } from "../headers.ts";
import { bytesOf, type ResponseBody, sized } from "../response-body.ts";
import type { Part } from "./h1-output.ts";
import { PIECE_BYTES } from "./long-response.ts";

/** The header line for a body whose length is not announced. */
export const CHUNKED = "transfer-encoding: chunked\r\n";

interface RespondingExchange {
  readonly method: string;
  readonly minorVersion: 0 | 1;
  responseBodyBytes: number;
  wholeHead(status: number, headers: ResponseHeaders, framing: string): string;
  trailerLines(trailers: Readonly<Record<string, string>>): string;
  send(part: Part): void;
  finish(part: Part): void;
  finishInPieces(body: Uint8Array): void;
}

/**
 * Sends the response. HTTP/1.0 callers get no trailers. If a header or trailer cannot be sent, throws a TypeError and sends
 * nothing.
 */
export function sendWhole(
  exchange: RespondingExchange,
  status: number,
  headers: ResponseHeaders,
  body: ResponseBody,
  trailers: Readonly<Record<string, string>> | undefined,
): void {
  if (trailers !== undefined && exchange.minorVersion === 1) {
    sendWithTrailers(exchange, status, headers, body, trailers);
    return;
  }
  // 204 and 304 have neither body nor length: https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1
  const mayHaveBody = status !== 204 && status !== 304;
  const text = body instanceof Uint8Array ? undefined : typeof body === "string" ? sized(body) : body;
  const length = text === undefined ? (body as Uint8Array).byteLength : text.bytes;
  const head = exchange.wholeHead(status, headers, mayHaveBody ? `content-length: ${length}\r\n` : "");
  if (!mayHaveBody || length === 0 || exchange.method === "HEAD") {
    exchange.finish(head);
    return;
  }
  exchange.responseBodyBytes = length;
  if (length > PIECE_BYTES) {
    exchange.send(head);
    exchange.finishInPieces(bytesOf(body));
  } else if (text?.text.length === length) {
    // ASCII: each character is one byte.
    exchange.finish(head + text.text);
  } else {
    exchange.send(head);
    exchange.finish(bytesOf(body));
  }
}

function sendWithTrailers(
  exchange: RespondingExchange,
  status: number,
  headers: ResponseHeaders,
  body: ResponseBody,
  trailers: Readonly<Record<string, string>>,
): void {
  const end = `0\r\n${exchange.trailerLines(trailers)}\r\n`;
  const head = exchange.wholeHead(status, headers, `trailer: ${Object.keys(trailers).join(", ")}\r\n${CHUNKED}`);
  if (exchange.method === "HEAD") {
    exchange.finish(head);
    return;
  }
  exchange.send(head);
  const bytes = bytesOf(body);
  if (bytes.length > 0) {
    exchange.responseBodyBytes = bytes.length;
    exchange.send(`${bytes.length.toString(16)}\r\n`);
    exchange.send(bytes);
    exchange.send("\r\n");
  }
  exchange.finish(end);
}
