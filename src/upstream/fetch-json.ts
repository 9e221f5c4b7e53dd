// One attempt: a GET over undici with its redirects, status, body and JSON. Knows nothing about retries, caches or other callers.

import type { Transform } from "node:stream";
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync, type ZlibOptions } from "node:zlib";
import { type Dispatcher, errors } from "undici";
import { nextTurn } from "../runtime/event-loop-turn.ts";
import { isPrivateHost } from "../runtime/public-address.ts";
import type { PropagatedHeaders } from "../runtime/trace-context.ts";
import { UpstreamFault } from "./fault.ts";
import { parseJsonBody } from "./json-body.ts";
import type { Validators } from "./upstream.ts";

// Joins the chunks of a body. Copying megabytes takes milliseconds, so large bodies take turns instead of all being copied at once.

// Bodies up to this size are copied immediately.
const SMALL_BYTES_MAX = 64 * 1024;

/** All bytes of a stream. Throws a RangeError if there are more than `bytesMax`, or the error that the stream fails with. */
async function wholeOf(stream: AsyncIterable<Buffer>, bytesMax = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new RangeError(`more than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  if (bytes > SMALL_BYTES_MAX) {
    await nextTurn();
  }
  return Buffer.concat(chunks, bytes);
}

/** The supported codings, as sent in `accept-encoding`. */
const ACCEPTED_CODINGS = "gzip, br";

interface Decompressor {
  /** Decompresses in other threads, chunk by chunk. */
  create(options: ZlibOptions): Transform;
  /** Decompresses in this thread, which takes a third of the CPU time for a small body. */
  atOnce(body: Buffer, options: ZlibOptions): Buffer;
}

const GZIP: Decompressor = { create: createGunzip, atOnce: gunzipSync };
const BROTLI: Decompressor = { create: createBrotliDecompress, atOnce: brotliDecompressSync };
const DECOMPRESSORS: ReadonlyMap<string, Decompressor> = new Map([
  ["gzip", GZIP],
  ["x-gzip", GZIP],
  ["br", BROTLI],
]);

// Larger than the default, because each chunk costs the thread some work.
const CHUNK_BYTES = 128 * 1024;
/** The largest body that is decompressed synchronously: its compressed and decompressed sizes. That takes less than a millisecond. */
const SMALL_BODY_BYTES_MAX = 32 * 1024;
const SMALL_RESULT_BYTES_MAX = 256 * 1024;
/** Most results fit into one of these. */
const SMALL_CHUNK_BYTES = 32 * 1024;

/**
 * The decoded body. `coding` is the `content-encoding` header. Throws an UpstreamFault "body" if we did not ask for the coding, if
 * the bytes are invalid, or if the result exceeds `bytesMax`.
 */
async function decode(body: Buffer, coding: string | undefined, bytesMax: number): Promise<Buffer> {
  const name = (coding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") {
    return body;
  }
  const decompressor = DECOMPRESSORS.get(name);
  if (decompressor === undefined) {
    throw new UpstreamFault("body", "the body has a content coding that was not requested");
  }
  try {
    return smallResult(decompressor, body, bytesMax) ?? (await largeResult(decompressor, body, bytesMax));
  } catch (cause) {
    throw new UpstreamFault("body", "the body cannot be decompressed, or becomes too large", { cause });
  }
}

// Undefined if the body or the result is not small.
function smallResult(decompressor: Decompressor, body: Buffer, bytesMax: number): Buffer | undefined {
  if (body.length > SMALL_BODY_BYTES_MAX) {
    return undefined;
  }
  try {
    const maxOutputLength = Math.min(bytesMax, SMALL_RESULT_BYTES_MAX);
    return decompressor.atOnce(body, { chunkSize: SMALL_CHUNK_BYTES, maxOutputLength });
  } catch (thrown) {
    if (thrown instanceof RangeError) {
      return undefined;
    }
    throw thrown;
  }
}

async function largeResult(decompressor: Decompressor, body: Buffer, bytesMax: number): Promise<Buffer> {
  const stream = decompressor.create({ chunkSize: CHUNK_BYTES });
  stream.end(body);
  return await wholeOf(stream, bytesMax);
}

/** The longest wait accepted, in milliseconds: an upstream's mistake must not take a service down for a day. */
export const RETRY_AFTER_MAX_MS = 5 * 60_000;

/**
 * How many milliseconds a `Retry-After` header asks us to wait, from 0 to RETRY_AFTER_MAX_MS. The header is a number of seconds, or an HTTP
 * date, which is compared with `nowMs`. Undefined if there is no header, or it has neither form.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,15}$/.test(text)) {
    return Math.min(Number(text) * 1000, RETRY_AFTER_MAX_MS);
  }
  // The three forms of RFC 9110, section 5.6.7, all begin with the day's name; Date.parse alone would accept far more than dates.
  const atMs = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[A-Za-z0-9 ,:-]{16,40}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(atMs - nowMs, 0), RETRY_AFTER_MAX_MS);
}

// Decides where a redirect may lead. An upstream's redirect is untrusted input: it could point into our own network.
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The target of a redirect. `configured` is the upstream's own URL, `current` the one that returned `location`. Allows only http and https,
 * never from https to http, never with credentials, and never to a private address unless the configured URL is itself on one. Names are
 * not resolved here: the connection to another origin does that, with `publicLookup`. Throws an UpstreamFault "status".
 */
export function redirectTarget(configured: URL, current: URL, status: number, location: string | undefined): URL {
  const refuse = (why: string): never => {
    throw new UpstreamFault("status", `redirects ${why}`, { status });
  };
  const target = location === undefined || location.length > 4096 ? null : URL.parse(location, current);
  if (target === null) {
    return refuse("without a location");
  }
  if (target.protocol !== "https:" && !(target.protocol === "http:" && configured.protocol === "http:")) {
    return refuse("to a scheme that is not followed");
  }
  if (target.username !== "" || target.password !== "") {
    return refuse("to a URL with credentials");
  }
  if (isPrivateHost(target.hostname) && !isPrivateHost(configured.hostname)) {
    return refuse("to a private address");
  }
  target.hash = "";
  return target;
}

const REDIRECTS_MAX = 3;

export interface JsonRequest {
  /** Connects to the upstream that the operator configured. */
  readonly dispatcher: Dispatcher;
  /** Only connects to public addresses: for redirects to other origins. */
  readonly guardedDispatcher: Dispatcher;
  readonly userAgent: string;
  /** The largest accepted body in bytes, before and after decompression. */
  readonly bodyBytesMax: number;
  /** The maximum number of JSON values in the body. */
  readonly bodyValuesMax: number;
  /** Makes the request conditional. Without it, a 304 is a fault. */
  readonly validators?: Validators | undefined;
  /** Headers passed on to the origin itself, but not to redirect targets. */
  readonly propagated?: PropagatedHeaders | undefined;
  readonly signal: AbortSignal;
  /** The time, in milliseconds since the epoch: a `Retry-After` may be a date. */
  readonly nowMs: number;
}

export interface JsonResponse {
  readonly json: unknown;
  /** The size of the decoded body. */
  readonly bodyBytes: number;
  readonly validators: Validators;
}

/**
 * GETs a URL and parses its JSON. Follows up to three redirects, by the rules of `redirectTarget`. Returns "unchanged" on a 304 to a
 * conditional request. Throws UpstreamFault or the signal's reason.
 */
export async function fetchJson(url: string, request: JsonRequest): Promise<JsonResponse | "unchanged"> {
  const configured = URL.parse(url);
  if (configured === null) {
    throw new UpstreamFault("connect", "the URL cannot be read");
  }
  let current = configured;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(current, configured, request);
    const { statusCode: status, headers } = response;
    if (REDIRECT_STATUSES.has(status) && redirects < REDIRECTS_MAX) {
      discard(response, request.signal);
      current = redirectTarget(configured, current, status, single(headers.location));
    } else if (status === 304 && request.validators !== undefined) {
      discard(response, request.signal);
      return "unchanged";
    } else if (status < 200 || status > 299) {
      discard(response, request.signal);
      const retryAfterMs = parseRetryAfter(single(headers["retry-after"]), request.nowMs);
      throw new UpstreamFault("status", `responded with status ${status}`, {
        status,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    } else {
      return await readJson(response, request);
    }
  }
}

// Node joins some repeated headers into one string, and returns others as a list, whose first value is used.
const single = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

async function send(current: URL, configured: URL, request: JsonRequest): Promise<Dispatcher.ResponseData> {
  const { validators, propagated, signal } = request;
  // If the operator configured a private URL, it may redirect to private addresses too; a public upstream may not.
  const trusted = current.origin === configured.origin || isPrivateHost(configured.hostname);
  const dispatcher = trusted ? request.dispatcher : request.guardedDispatcher;
  try {
    return await dispatcher.request({
      origin: current.origin,
      path: current.pathname + current.search,
      method: "GET",
      headers: {
        ...(current.origin === configured.origin ? propagated : {}),
        "user-agent": request.userAgent,
        accept: "application/json, */*;q=0.1",
        "accept-encoding": ACCEPTED_CODINGS,
        ...(validators?.etag === undefined ? {} : { "if-none-match": validators.etag }),
        ...(validators?.lastModified === undefined ? {} : { "if-modified-since": validators.lastModified }),
      },
      signal,
    });
  } catch (cause) {
    signal.throwIfAborted();
    // A response that breaks HTTP's rules, or whose content-length is too large, is a bad response. Any other error means that there was no
    // response.
    const isBadResponse = cause instanceof errors.HTTPParserError || /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(codeOf(cause));
    // The parser's error contains the body, which must not be logged.
    throw new UpstreamFault(isBadResponse ? "body" : "connect", `no response (${reasonOf(cause)})`, isBadResponse ? {} : { cause });
  }
}

async function readJson(response: Dispatcher.ResponseData, request: JsonRequest): Promise<JsonResponse> {
  const { headers, body } = response;
  if (/html/i.test(single(headers["content-type"]) ?? "")) {
    discard(response, request.signal);
    throw new UpstreamFault("body", "the body is a web page");
  }
  const packed = await readWhole(body, request.signal);
  const bytes = await decode(packed, single(headers["content-encoding"]), request.bodyBytesMax);
  const etag = validatorOf(headers.etag);
  const lastModified = validatorOf(headers["last-modified"]);
  return {
    json: await parseJsonBody(bytes, request.bodyValuesMax, request.signal),
    bodyBytes: bytes.length,
    validators: { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) },
  };
}

async function readWhole(body: Dispatcher.ResponseData["body"], signal: AbortSignal): Promise<Buffer> {
  try {
    // The dispatcher's maxResponseSize limits what arrives.
    return await wholeOf(body);
  } catch (cause) {
    signal.throwIfAborted();
    throw new UpstreamFault("body", `the body was cut off or is too large (${codeOf(cause)})`, { cause });
  }
}

// The validator is later sent back in a request header, so it must be short and printable.
function validatorOf(header: string | string[] | undefined): string | undefined {
  const text = single(header);
  return text !== undefined && /^[\x20-\x7e]{1,200}$/.test(text) ? text : undefined;
}

// Reads the rest of an unused body, so that its connection can be reused. A long body is cut off.
function discard({ body }: Dispatcher.ResponseData, signal: AbortSignal): void {
  body.dump({ limit: 16_384, signal }).catch(() => {});
}

// undici says that a proxy refused only in the message.
function reasonOf(cause: unknown): string {
  const [, status] = (cause instanceof Error && /^Proxy response \((\d+)\)/.exec(cause.message)) || [];
  return status === undefined ? codeOf(cause) : `the proxy responded with status ${status}`;
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) {
    return "no error";
  }
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
