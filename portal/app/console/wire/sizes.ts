// How long requests and responses are, as far as a page can tell: HTTP/2 compresses headers, and a browser adds some of its own.

import { bytesOf } from "./bytes.ts";
import type { WireRequest } from "./request.ts";
import type { ResponseHead } from "./response.ts";

/** Bytes. */
export interface Size {
  readonly head: number;
  readonly body: number;
}

type Header = readonly [name: string, value: string];

const headersText = (headers: Iterable<Header>): string => [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");

/** A request's head as text, as HTTP/1.1 writes it, with `key` in place of the key. */
export const requestHead = ({ verb, target, headers }: WireRequest, key: string): string =>
  `${verb} ${target} HTTP/1.1\r\n${headersText([...headers, ["x-gateway-key", key]])}`;

/** A response's head as text, in the same form. */
export const responseHead = ({ status, headers }: ResponseHead): string => `HTTP/1.1 ${status}\r\n${headersText(headers)}`;

// A placeholder of the same length as a key.
const ANY_KEY = "x".repeat(46);

/** The size of a request, including the header with its key. */
export const requestSize = (request: WireRequest): Size => ({
  head: bytesOf(requestHead(request, ANY_KEY)).length + 2,
  body: request.body?.length ?? 0,
});

/** The size of a response. The body's length is that on the wire, where it may be compressed. */
export function responseSize(head: ResponseHead, bodyBytes: number): Size {
  const isCompressed = (head.headers.get("content-encoding") ?? "identity") !== "identity";
  const sent = Number(head.headers.get("content-length") ?? Number.NaN);
  return { head: bytesOf(responseHead(head)).length + 2, body: isCompressed && Number.isFinite(sent) ? sent : bodyBytes };
}
