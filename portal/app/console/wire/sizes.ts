// How long requests and answers are, as far as a browser lets a page see: HTTP/2 compresses heads, and a browser adds headers of its own.
import type { AnswerHead } from "./answer.ts";
import { bytesOf } from "./bytes.ts";
import type { WireRequest } from "./request.ts";

/** Bytes. */
export interface Size {
  readonly head: number;
  readonly body: number;
}

type Header = readonly [name: string, value: string];

const headersText = (headers: Iterable<Header>): string => [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");

/** A request's head as text, as HTTP/1.1 writes it, with the key as `key` is given. */
export const requestHead = ({ verb, target, headers }: WireRequest, key: string): string =>
  `${verb} ${target} HTTP/1.1\r\n${headersText([...headers, ["x-gateway-key", key]])}`;

/** An answer's head as text, likewise. */
export const answerHead = ({ status, headers }: AnswerHead): string => `HTTP/1.1 ${status}\r\n${headersText(headers)}`;

// As long as a key, with nothing of one.
const ANY_KEY = "x".repeat(46);

/** Of a request, its key among the headers. */
export const requestSize = (request: WireRequest): Size => ({
  head: bytesOf(requestHead(request, ANY_KEY)).length + 2,
  body: request.body?.length ?? 0,
});

/** Of an answer. Its body is as long as it was sent, which may be compressed. */
export function answerSize(head: AnswerHead, bodyBytes: number): Size {
  const isCompressed = (head.headers.get("content-encoding") ?? "identity") !== "identity";
  const sent = Number(head.headers.get("content-length") ?? Number.NaN);
  return { head: bytesOf(answerHead(head)).length + 2, body: isCompressed && Number.isFinite(sent) ? sent : bodyBytes };
}
