// Batches of bytes: plain HTTP/1.1 requests, HTTP/2 requests with everything in the connection's header table, and frames between them.
import { FLAG, FRAME, frame, PREFACE } from "../../../packages/http/test/h2/frames.ts";
import type { Batch } from "./sender.ts";

/** One request. */
export interface Request {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What follows the head, including framing. */
  readonly body?: string;
}

const REQUESTS = 50;

function h1Request({ method = "GET", target = "/livez", headers = {}, body = "" }: Request): string {
  const lines = Object.entries({ host: "a.example", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Many requests over one HTTP/1.1 connection. */
export const overH1 = (request: Request, requests = REQUESTS): Batch => ({
  protocol: "HTTP/1.1",
  opening: Buffer.from(h1Request({})),
  bytes: Buffer.from(h1Request(request).repeat(requests), "latin1"),
  requests,
});

// https://www.rfc-editor.org/rfc/rfc7541#section-5.1
function integer(value: number, prefixMax: number): readonly number[] {
  if (value < prefixMax) {
    return [value];
  }
  const bytes = [prefixMax];
  let rest = value - prefixMax;
  for (; rest >= 128; rest >>= 7) {
    bytes.push((rest & 127) | 128);
  }
  return [...bytes, rest];
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from(integer(value.length, 127)), Buffer.from(value, "latin1")]);
// With incremental indexing and a new name: https://www.rfc-editor.org/rfc/rfc7541#section-6.2.1
const added = ([name, value]: readonly [string, string]): Buffer => Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);
const FIRST_DYNAMIC_INDEX = 62;
const ENDS = FLAG.END_STREAM | FLAG.END_HEADERS;
const WIDE_WINDOW = Buffer.from([0x7f, 0, 0, 0]);

// The start of a connection, its first request, and the block that repeats it.
function opened({ method = "GET", target = "/livez", headers = {} }: Request): {
  readonly opening: Buffer;
  readonly block: Buffer;
} {
  const fields = Object.entries({ ":method": method, ":scheme": "http", ":path": target, ":authority": "a.example", ...headers });
  const first = frame(FRAME.HEADERS, ENDS, 1, Buffer.concat(fields.map(added)));
  return {
    opening: Buffer.concat([PREFACE, frame(FRAME.SETTINGS, 0, 0), frame(FRAME.WINDOW_UPDATE, 0, 0, WIDE_WINDOW), first]),
    block: Buffer.from(fields.map((_, index) => 0x80 | (FIRST_DYNAMIC_INDEX + fields.length - 1 - index))),
  };
}

/** The ids of the client's streams after the first, in order. */
const streamIds = Array.from({ length: REQUESTS }, (_, index) => 2 * index + 3);

/**
 * Many requests over one HTTP/2 connection, with all headers in its table: each takes about 13 bytes, however long they are. The frames
 * of `before` precede each request.
 */
export function overH2(request: Request, before: (streamId: number) => Uint8Array = () => Buffer.alloc(0)): Batch {
  const { opening, block } = opened(request);
  const frames = streamIds.flatMap((id) => [before(id), frame(FRAME.HEADERS, ENDS, id, block)]);
  return { protocol: "HTTP/2", opening, bytes: Buffer.concat(frames), requests: REQUESTS };
}

/** The same requests, each with `bytes` before the fields of its block, and `literals` after them. */
export function withBlocks(request: Request, updates: Uint8Array, literals: Uint8Array): Batch {
  const { opening, block } = opened(request);
  const frames = streamIds.map((id) => frame(FRAME.HEADERS, ENDS, id, Buffer.concat([updates, block, literals])));
  return { protocol: "HTTP/2", opening, bytes: Buffer.concat(frames), requests: REQUESTS };
}
